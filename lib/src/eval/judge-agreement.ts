/** How far a judge can be believed: it judges completions of which the right verdict is known. */
import { z } from 'zod';
import type { BinaryJudge, JudgeRecord } from '../rewards/judge.js';
import { wilsonInterval, type Proportion } from './intervals.js';

/** A completion whose verdict is known. */
export interface JudgeLabel {
  readonly id: string;
  readonly prompt: string;
  readonly completion: string;
  readonly acceptable: boolean;
  /** What was done to it: the fault, or a change that leaves it right. */
  readonly change: string;
}

export interface JudgeAgreement {
  readonly labels: number;
  /** Labels without a verdict; the shares below leave them out. */
  readonly unscored: number;
  /** Verdicts that are those of the labels. */
  readonly agreement: Proportion;
  /** Cohen's κ: the agreement beyond what chance would give, 0 = none, 1 = always. */
  readonly kappa: number;
  /** Vetoes of acceptable completions: rewards that would be lost. */
  readonly falseVetoes: Proportion;
  /** Acceptances of unacceptable ones: faults that would slip through. */
  readonly missedFaults: Proportion;
  /** By what was done to the completion: how often the verdict was right. */
  readonly byChange: Readonly<Record<string, Proportion>>;
}

const label = z.strictObject({
  id: z.string(),
  prompt: z.string(),
  completion: z.string(),
  acceptable: z.boolean(),
  change: z.string(),
});

/** Reads labels from JSON Lines. Throws, with the line number, on a line that is none. */
export function parseJudgeLabels(text: string): JudgeLabel[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line, index) => {
      try {
        return label.parse(JSON.parse(line));
      } catch {
        throw new Error(`line ${index + 1} is no label: expected ${Object.keys(label.shape).join(', ')}`);
      }
    });
}

export interface AgreementOptions {
  /** Judgements at a time; default 4. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  readonly onJudged?: (judged: number, total: number) => void;
}

/** Lets the judge judge all labels, and counts. Throws the signal's reason when aborted. */
export async function judgeAgreement(
  judge: BinaryJudge,
  labels: readonly JudgeLabel[],
  { concurrency = 4, signal, onJudged }: AgreementOptions = {},
): Promise<JudgeAgreement> {
  const judged: { readonly label: JudgeLabel; readonly verdict: JudgeRecord['verdict'] }[] = [];
  const left = labels.values();
  const work = async (): Promise<void> => {
    for (const label of left) {
      const { id, prompt, completion } = label;
      judged.push({ label, verdict: (await judge.judge({ id, prompt, completion }, signal)).verdict });
      onJudged?.(judged.length, labels.length);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));

  const scored = judged
    .filter(({ verdict }) => verdict !== null)
    .map(({ label, verdict }) => ({ ...label, accepted: verdict === 'accept' }));
  const isRight = ({ acceptable, accepted }: Scored): boolean => acceptable === accepted;
  const acceptable = scored.filter((one) => one.acceptable);
  const faulty = scored.filter((one) => !one.acceptable);
  const changes = new Set(labels.map(({ change }) => change));
  return {
    labels: labels.length,
    unscored: labels.length - scored.length,
    agreement: share(scored, isRight),
    kappa: cohensKappa(scored),
    falseVetoes: share(acceptable, ({ accepted }) => !accepted),
    missedFaults: share(faulty, ({ accepted }) => accepted),
    byChange: Object.fromEntries(
      [...changes].map((change) => [
        change,
        share(
          scored.filter((one) => one.change === change),
          isRight,
        ),
      ]),
    ),
  };
}

interface Scored extends JudgeLabel {
  readonly accepted: boolean;
}

function share(scored: readonly Scored[], holds: (one: Scored) => boolean): Proportion {
  return wilsonInterval(scored.filter(holds).length, scored.length);
}

/**
 * `κ = (p_o − p_e) / (1 − p_e)` with the agreement expected of two independent raters of these marginals (J. Cohen, Educational and
 * Psychological Measurement 20, 1960). 0 when chance alone would already agree always.
 */
function cohensKappa(scored: readonly Scored[]): number {
  const part = (holds: (one: Scored) => boolean): number => share(scored, holds).value;
  const acceptable = part((one) => one.acceptable);
  const accepted = part((one) => one.accepted);
  const observed = part((one) => one.acceptable === one.accepted);
  const expected = acceptable * accepted + (1 - acceptable) * (1 - accepted);
  return expected === 1 ? 0 : (observed - expected) / (1 - expected);
}
