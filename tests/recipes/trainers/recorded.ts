/** What the committed results say, and a short run of the same experiment. */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type {
  Experiment,
  ExperimentRecord,
  Measured,
  Measurements,
} from 'posttrain/recipes/trainers/experiment';
import { joinRepetitions, measured } from 'posttrain/recipes/trainers/measurements';

/** The committed record, which must be of this experiment as it stands now. */
export function recordOf(experiment: Experiment): ExperimentRecord {
  const { name, description, hypothesis, remarks, seeds, settings } = experiment;
  const record = JSON.parse(readFileSync(`data/results/${name}.json`, 'utf8')) as ExperimentRecord;
  expect(record).toMatchObject({ name, description, hypothesis, remarks, seeds, settings: settings.full });
  expect(record.claims).toEqual(experiment.claims(record));
  expect(record.seeds.length).toBeGreaterThanOrEqual(3);
  for (const [file, svg] of Object.entries(experiment.figures(record)))
    expect(svg, file).toBe(readFileSync(`data/results/${file}`, 'utf8'));
  return record;
}

/** Claims that do not hold. */
export const refuted = ({ claims }: ExperimentRecord): string[] =>
  claims.filter(({ holds }) => !holds).map(({ claim }) => claim);

/** The short form with a few seeds. */
export async function quickRun(experiment: Experiment, seeds: readonly number[]): Promise<Measurements> {
  const repetitions: Measured[] = [];
  for (const seed of seeds) {
    const work = experiment.measure(seed, experiment.settings.quick);
    for (;;) {
      const next = await work.next();
      if (next.done === true) {
        repetitions.push(next.value);
        break;
      }
      expect(next.value.done).toBeLessThan(next.value.total);
    }
  }
  return joinRepetitions(repetitions);
}

export const meanOf = (results: Measurements, arm: string, name: string): number =>
  measured(results, arm, name).mean;
