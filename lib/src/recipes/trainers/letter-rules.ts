/** Four letters in, four letters out, by a rule that a sign names: a language small enough to learn from nothing in seconds. */
import type { Environment, Task } from '../../envs/types.js';
import { randomStream } from '../../tensor/index.js';
import { chatTokens, renderCompletion, renderPrompt, trainBpe, type Tokenizer } from '../../text/index.js';
import type { PromptCompletionRow } from '../../trainers/index.js';

const alphabet = 'abcdefgh';
const LENGTH = 4;

export type LetterRule = (letters: string) => string;

const copy: LetterRule = (letters) => letters;
const reverse: LetterRule = (letters) => [...letters].reverse().join('');
const shift =
  (by: number): LetterRule =>
  (letters) =>
    [...letters].map((letter) => alphabet[(alphabet.indexOf(letter) + by) % alphabet.length]).join('');

/** What the base model learns; under `?` any of the three is as good as another. */
export const knownRules: Readonly<Record<'=' | '<' | '+', LetterRule>> = {
  '=': copy,
  '<': reverse,
  '+': shift(1),
};
export const OPEN_SIGN = '?';
/** Reversed and shifted by three: neither has been seen together with the other, nor such a shift. */
export const NEW_SIGN = '!';
export const newRule: LetterRule = (letters) => shift(3)(reverse(letters));

export interface LetterTask extends Task {
  /** Sign and letters: what the policy is shown. */
  readonly request: string;
  readonly answer: string;
}

/** One token a character. */
export function letterTokenizer(): Tokenizer {
  return trainBpe([], { vocabSize: chatTokens.length + 256, specialTokens: chatTokens });
}

/** Tasks `first`, `first + 1`, … of a split: letters behind `sign`, to be changed by `rule`. Splits share nothing but the world. */
export function letterTasks(
  {
    sign,
    rule,
    split,
    seed,
  }: {
    readonly sign: string;
    readonly rule: LetterRule;
    readonly split: string;
    readonly seed: number;
  },
  count: number,
): LetterTask[] {
  return Array.from({ length: count }, (_, index) => {
    const random = randomStream(seed, `letter-rules/${sign}/${split}`, 0, index);
    const letters = Array.from({ length: LENGTH }, () => random.pick([...alphabet])).join('');
    return { id: `${sign}${letters}`, split, request: `${sign}${letters}`, answer: rule(letters) };
  });
}

/** What the base model is trained on: the three rules, and the open sign answered by any of them. */
export function knownTasks(seed: number, count: number): LetterTask[] {
  const rules = Object.entries(knownRules);
  return rules.flatMap(([sign, rule]) => [
    ...letterTasks({ sign, rule, split: 'base', seed }, count),
    ...letterTasks({ sign: OPEN_SIGN, rule, split: `base ${sign}`, seed }, Math.ceil(count / rules.length)),
  ]);
}

export function rowOf({ request, answer }: LetterTask, tokenizer: Tokenizer): PromptCompletionRow {
  return {
    prompt: renderPrompt(tokenizer, [{ role: 'user', content: request }]),
    completion: renderCompletion(tokenizer, answer),
  };
}

/** One turn; the reward is the share of letters in their places, and a whole right answer is a success. */
export const letterEnvironment: Environment<LetterTask> = {
  name: 'letter-rules',
  start: ({ request, answer }) => ({
    initialObservation: () => request,
    step: (reply) => {
      const right = [...answer].filter((letter, place) => reply[place] === letter).length;
      const success = reply === answer ? 1 : 0;
      return {
        reward: right / LENGTH,
        episodeDone: true,
        nextObservation: null,
        stopReason: 'completed',
        metrics: { success },
      };
    },
  }),
};
