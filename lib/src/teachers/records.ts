/** The lines of a trajectory file: one episode a line, with everything needed to tell where it came from. */
import { z } from 'zod';
import { noUsage, addUsage } from '../remote/budget.js';
import type { Usage } from '../remote/types.js';
import type { ModelCall } from './teacher.js';

const count = z.int().min(0);

const modelCall: z.ZodType<ModelCall> = z.strictObject({
  service: z.string(),
  model: z.string(),
  modelVersion: z.string(),
  promptHash: z.string(),
  schemaHash: z.string(),
  temperature: z.number(),
  maxTokens: count,
  constraint: z.enum(['json_schema', 'json_object', 'prefix']),
  wrappings: z.array(z.enum(['fence', 'quotes'])),
  finishReason: z.string(),
  attempts: count,
  usage: z.strictObject({ promptTokens: count, completionTokens: count, reasoningTokens: count }),
});

const turn = z.strictObject({
  observation: z.string(),
  completion: z.string(),
  call: modelCall.optional(),
});

const trajectoryRecord = z.strictObject({
  teacher: z.strictObject({ name: z.string(), version: z.string() }),
  taskId: z.string(),
  split: z.string(),
  sample: count,
  seed: count,
  promptHash: z.string(),
  turns: z.array(turn).min(1),
  reward: z.number(),
  metrics: z.record(z.string(), z.number()),
  success: z.boolean(),
  rejection: z.string().nullable(),
});

/** One episode of a teacher, with its provenance. */
export interface TrajectoryRecord {
  readonly teacher: { readonly name: string; readonly version: string };
  readonly taskId: string;
  readonly split: string;
  /** Which of several answers to the same task, from 0. */
  readonly sample: number;
  /** Seed of the collection, which decided the teacher. */
  readonly seed: number;
  /** Hash of the first observation, to notice that a task has changed since. */
  readonly promptHash: string;
  readonly turns: readonly {
    readonly observation: string;
    readonly completion: string;
    /** Absent for a script. */
    readonly call?: ModelCall | undefined;
  }[];
  /** Sum over the steps. */
  readonly reward: number;
  /** Named reward terms and counts of the last step. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly success: boolean;
  /** Why it must not be learned from; `null` when it was kept. */
  readonly rejection: string | null;
}

export interface ParsedRecords {
  readonly records: TrajectoryRecord[];
  /** What follows the last line break: a line that was being written when the process died; `''` normally. */
  readonly torn: string;
}

/**
 * Reads the text of a trajectory file. An unfinished last line is handed back in `torn`.
 * Throws, with the line number, when a finished line is not a record.
 */
export function parseRecords(text: string, source = 'trajectory file'): ParsedRecords {
  const lines = text.split('\n');
  const torn = lines.pop() ?? '';
  return { records: lines.map((line, index) => parseLine(line, `${source}, line ${index + 1}`)), torn };
}

/** One line, line break included. */
export function serializeRecord(record: TrajectoryRecord): string {
  return `${JSON.stringify(record)}\n`;
}

/** Identifies an answer within a file. */
export function recordKey({ taskId, sample }: { readonly taskId: string; readonly sample: number }): string {
  return `${taskId}#${sample}`;
}

/** What the answers took, as the services counted it. */
export function usageOf(records: readonly TrajectoryRecord[]): Usage {
  return records
    .flatMap(({ turns }) => turns.map(({ call }) => call?.usage ?? noUsage))
    .reduce(addUsage, noUsage);
}

function parseLine(line: string, where: string): TrajectoryRecord {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error(
      `${where}: not JSON (${JSON.stringify(line.slice(0, 40))}…); remove the line or the file and collect again`,
    );
  }
  const result = trajectoryRecord.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.') || 'record';
  throw new Error(`${where}: ${field}: ${issue?.message}; remove the line or the file and collect again`);
}
