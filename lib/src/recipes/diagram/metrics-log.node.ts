import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { writeFileAtomic } from '../../files.node.js';
import { stageNames, type StageName } from './recipe.js';

/** One line of `metrics.jsonl`: TRL's keys beside the stage and its step, counted from 1. */
export interface MetricsRecord {
  readonly stage: StageName;
  readonly step: number;
  readonly metrics: Readonly<Record<string, number>>;
}

export function appendMetrics(path: string, { stage, step, metrics }: MetricsRecord): void {
  appendFileSync(path, `${JSON.stringify({ stage, step, ...metrics })}\n`);
}

/** All whole lines; one torn by a kill is left out. */
export function readMetrics(path: string): MetricsRecord[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line, i) => {
    try {
      const { stage, step, ...metrics } = JSON.parse(line) as { stage: StageName; step: number };
      return { stage, step, metrics };
    } catch {
      throw new Error(`${path}, line ${i + 1}, is damaged; remove that line, or start a new run`);
    }
  });
}

/** Forgets what was logged after `step` of `stage`: those steps will be taken again. */
export function truncateMetrics(path: string, stage: StageName, step: number): void {
  if (!existsSync(path)) return;
  const kept = readMetrics(path).filter((r) => isBeforeOrAt(r, stage, step));
  writeFileAtomic(
    path,
    kept.map((r) => `${JSON.stringify({ stage: r.stage, step: r.step, ...r.metrics })}\n`).join(''),
  );
}

function isBeforeOrAt(record: MetricsRecord, stage: StageName, step: number): boolean {
  const order = stageNames.indexOf(record.stage) - stageNames.indexOf(stage);
  return order < 0 || (order === 0 && record.step <= step);
}
