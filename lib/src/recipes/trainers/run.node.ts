import { join } from 'node:path';
import { eventLoopTurn } from '../../event-loop.js';
import { writeFileAtomic } from '../../files.node.js';
import { initBackend } from '../../tensor/index.js';
import { packageVersion } from '../../version.node.js';
import type { Experiment, ExperimentRecord, Measured, Measurements, Progress } from './experiment.js';
import { joinRepetitions } from './measurements.js';

export interface RunOptions {
  readonly seeds: readonly number[];
  readonly quick: boolean;
  /** Folder for `<name>.json` and the figures. */
  readonly results: string;
  readonly signal: AbortSignal;
  /** Over all seeds. */
  readonly onProgress: (progress: Progress) => void;
}

/**
 * Repeats the experiment with every seed and writes what came out. Nothing is written before all is measured: asked to stop, it
 * leaves earlier results as they are and returns nothing.
 */
export async function runExperiment(
  experiment: Experiment,
  { seeds, quick, results, signal, onProgress }: RunOptions,
): Promise<ExperimentRecord | undefined> {
  const { backend } = await initBackend();
  const settings = experiment.settings[quick ? 'quick' : 'full'];
  const repetitions: Measured[] = [];
  for (const [index, seed] of seeds.entries()) {
    const measured = await finish(experiment.measure(seed, settings), signal, ({ done, total, note }) =>
      onProgress({ done: index * total + done, total: seeds.length * total, note: `seed ${seed}, ${note}` }),
    );
    if (measured === undefined) return undefined;
    repetitions.push(measured);
  }
  // rounded first: whoever draws or judges the record again gets the same
  const measurements = rounded(joinRepetitions(repetitions));
  const { name, description, hypothesis, remarks } = experiment;
  const record: ExperimentRecord = {
    name,
    description,
    hypothesis,
    claims: experiment.claims(measurements),
    remarks,
    seeds,
    settings,
    versions: { posttrain: packageVersion(), node: process.version, backend },
    ...measurements,
  };
  writeFileAtomic(join(results, `${name}.json`), `${JSON.stringify(record, null, 1)}\n`);
  for (const [file, svg] of Object.entries(experiment.figures(measurements)))
    writeFileAtomic(join(results, file), svg);
  return record;
}

/** Runs a repetition to its end; nothing when it was asked to stop before. */
async function finish(
  work: AsyncGenerator<Progress, Measured, void>,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<Measured | undefined> {
  try {
    for (;;) {
      const next = await work.next();
      if (next.done === true) return next.value;
      onProgress(next.value);
      // Ctrl-C is heard between two pieces of work
      await eventLoopTurn();
      if (signal.aborted) return undefined;
    }
  } finally {
    await work.return(undefined as never);
  }
}

/** To six digits: enough to draw and compare, few enough to read. */
function rounded(measurements: Measurements): Measurements {
  return JSON.parse(
    JSON.stringify(measurements, (_, value: unknown) =>
      typeof value === 'number' ? Number(value.toPrecision(6)) : value,
    ),
  ) as Measurements;
}
