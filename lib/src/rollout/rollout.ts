import type { Engine } from '../engine/types.js';
import type { Environment, Episode, StepResult, StopReason, Task } from '../envs/types.js';
import type { Sample } from '../model/types.js';
import { renderPrompt, stopTokens, type Tokenizer } from '../text/index.js';
import { Transcript } from './transcript.js';
import type { EpisodeGroup, EpisodeRecord, TurnResult } from './types.js';

export interface RolloutOptions<T extends Task> {
  readonly engine: Pick<Engine, 'sample' | 'policyVersion' | 'maxLength'>;
  readonly tokenizer: Tokenizer;
  readonly env: Environment<T>;
  readonly tasks: readonly T[];
  /** Episodes per task. */
  readonly numGenerations: number;
  /** With `purpose` and `step`, fixes all randomness: sample s of prompt p is drawn from the key (seed, step, p, s). */
  readonly seed: number;
  readonly step: number;
  /** Keeps training and evaluation apart; default `rollout`. */
  readonly purpose?: string;
  /** Longest reply, in tokens. */
  readonly maxCompletionLength: number;
  /** 1 unless given; 0 = greedy. */
  readonly temperature?: number;
  /** Replies an episode may take before it is stopped with `max_turns`; default 8. */
  readonly maxTurns?: number;
  /** Position of the first task in the step; lets further rounds of one step draw new keys. Default 0. */
  readonly firstPromptIndex?: number;
}

/** Samples per prompt that fit in a key. */
const SAMPLES_PER_PROMPT = 2 ** 16;

/** An episode under way. */
interface Running {
  readonly episode: Episode;
  readonly promptIndex: number;
  readonly sampleIndex: number;
  readonly transcript: Transcript;
  readonly messages: { role: 'user' | 'assistant'; content: string }[];
  sampled: boolean;
  reward: number;
  metrics: Record<string, number>;
  stopReason: StopReason | undefined;
}

/**
 * Lets the policy act: `numGenerations` episodes of every task, all sampled together, turn by turn, until each is done.
 *
 * Tokens in, tokens out: what was sampled is kept as ids and never rebuilt from text. A prompt that leaves no room for a reply
 * ends its episode with `context_overflow`; a reply cut at `maxCompletionLength` is still judged, and ends it with `max_tokens`.
 */
export async function rollout<T extends Task>(options: RolloutOptions<T>): Promise<EpisodeGroup<T>[]> {
  const { tasks, numGenerations, firstPromptIndex = 0, maxTurns = 8 } = options;
  const groups = tasks.map((task, offset) =>
    Array.from({ length: numGenerations }, (_, sampleIndex) =>
      begin(options.env.start(task), firstPromptIndex + offset, sampleIndex),
    ),
  );
  const { policyVersion } = options.engine;
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const waiting = groups.flat().filter((running) => running.stopReason === undefined);
    if (waiting.length === 0) break;
    await takeTurn(waiting, turn, turn + 1 === maxTurns, options);
  }
  return tasks.map((task, offset) => {
    const groupId = `${options.step}:${firstPromptIndex + offset}`;
    const running = groups[offset] as Running[];
    const common = { taskId: task.id, split: task.split, groupId, policyVersion, seed: options.seed };
    return { task, groupId, episodes: running.map((each) => ({ ...common, ...record(each) })) };
  });
}

function begin(episode: Episode, promptIndex: number, sampleIndex: number): Running {
  return {
    episode,
    promptIndex,
    sampleIndex,
    transcript: new Transcript(),
    messages: [{ role: 'user', content: episode.initialObservation() }],
    sampled: false,
    reward: 0,
    metrics: {},
    stopReason: undefined,
  };
}

async function takeTurn<T extends Task>(
  waiting: readonly Running[],
  turn: number,
  isLast: boolean,
  options: RolloutOptions<T>,
): Promise<void> {
  const { engine, tokenizer, maxCompletionLength } = options;
  const asked = waiting.flatMap((running) => {
    const prompt = renderPrompt(tokenizer, running.messages);
    if (prompt.length + maxCompletionLength <= engine.maxLength) return [{ running, prompt }];
    running.stopReason = 'context_overflow';
    return [];
  });
  const samples = await engine.sample(
    asked.map(({ prompt }) => prompt),
    {
      maxNewTokens: maxCompletionLength,
      temperature: options.temperature ?? 1,
      stopTokens: stopTokens(tokenizer),
    },
    asked.map(({ running }) => ({
      seed: options.seed,
      purpose: `${options.purpose ?? 'rollout'}/${turn}`,
      step: options.step,
      index: running.promptIndex * SAMPLES_PER_PROMPT + running.sampleIndex,
    })),
  );
  asked.forEach(({ running, prompt }, n) => {
    const sample = samples[n] as Sample;
    running.transcript.observe(prompt);
    const result = act(running, replyText(sample, tokenizer), sample.finishReason === 'length', isLast);
    running.transcript.reply(sample.tokens, sample.logprobs, turnResult(result));
  });
}

/** The reply without its stop token. */
function replyText(sample: Sample, tokenizer: Tokenizer): string {
  const length = sample.finishReason === 'stop' ? sample.tokens.length - 1 : sample.tokens.length;
  return tokenizer.decode(sample.tokens.subarray(0, length));
}

function act(running: Running, reply: string, cut: boolean, isLast: boolean): StepResult {
  const result = running.episode.step(reply);
  running.sampled = true;
  running.messages.push({ role: 'assistant', content: reply });
  running.reward += result.reward;
  running.metrics = { ...result.metrics };
  if (cut) running.stopReason = 'max_tokens';
  else if (result.episodeDone) running.stopReason = result.stopReason ?? 'completed';
  else if (isLast) running.stopReason = 'max_turns';
  else running.messages.push({ role: 'user', content: result.nextObservation ?? '' });
  return result;
}

function turnResult({ reward, violations, discharges }: StepResult): TurnResult {
  return {
    reward,
    ...(violations !== undefined && { violations }),
    ...(discharges !== undefined && { discharges }),
  };
}

function record(
  running: Running,
): Omit<EpisodeRecord, 'taskId' | 'split' | 'groupId' | 'policyVersion' | 'seed'> {
  const { promptIndex, sampleIndex, transcript, sampled, reward, metrics, stopReason, messages } = running;
  return {
    promptIndex,
    sampleIndex,
    trajectories: transcript.trajectories(),
    reward: sampled ? reward : null,
    metrics,
    stopReason: stopReason ?? 'max_turns',
    messages,
  };
}
