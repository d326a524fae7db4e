import { writeFileAtomic } from '../../files.node.js';
import { initBackend } from '../../tensor/index.js';
import { packageVersion } from '../../version.node.js';
import { collectStage } from './collect.node.js';
import { evaluateStage } from './evaluate.node.js';
import type { RunEvaluation } from './evaluation.js';
import { grpoStage } from './grpo.node.js';
import { readMetrics } from './metrics-log.node.js';
import { stagesOf, type DiagramRecipe, type StageName } from './recipe.js';
import { reportHtml } from './report.js';
import { finishedStages, markFinished, parseJson, type RunConfig } from './run-folder.node.js';
import { sftStage } from './sft.node.js';
import type { StageContext } from './stage.node.js';

const stages: Readonly<Record<StageName, (context: StageContext) => Promise<void>>> = {
  teacher: collectStage,
  sft: sftStage,
  grpo: grpoStage,
  evaluate: evaluateStage,
  report: reportStage,
};

/**
 * Runs all stages that are not finished yet, in order. Returns false when it was asked to stop before the end; the same call
 * then goes on where it stopped, to the same weights and the same log as a run that was never stopped.
 */
export async function runDiagram(context: StageContext): Promise<boolean> {
  const { folder, config, signal, emit } = context;
  for (const stage of stagesOf(config.recipe)) {
    if (finishedStages(folder)[stage] !== undefined) {
      emit({ kind: 'stage', stage, state: 'skipped' });
      continue;
    }
    emit({ kind: 'stage', stage, state: 'started' });
    const started = performance.now();
    try {
      await stages[stage](context);
    } catch (error) {
      // what was aborted may say so by throwing the signal's reason; everything else is a real error
      if (!signal.aborted || error !== signal.reason) throw error;
    }
    if (signal.aborted) return false;
    // maxRSS is in KiB
    const peakMemory = process.resourceUsage().maxRSS * 1024;
    markFinished(folder, stage, { seconds: (performance.now() - started) / 1000, peakMemory });
    emit({ kind: 'stage', stage, state: 'finished' });
  }
  return true;
}

/** The config of a new run on this machine. */
export async function describeRun(name: string, seed: number, recipe: DiagramRecipe): Promise<RunConfig> {
  const { backend } = await initBackend();
  const versions = { posttrain: packageVersion(), node: process.version, backend };
  return { pipeline: 'diagram', name, seed, recipe, versions };
}

/** Everything so far on one page. */
async function reportStage({ folder, config }: StageContext): Promise<void> {
  writeFileAtomic(
    folder.report,
    reportHtml({
      config,
      metrics: readMetrics(folder.metrics),
      evaluation: parseJson(folder.evaluation) as RunEvaluation,
      stages: finishedStages(folder),
    }),
  );
}
