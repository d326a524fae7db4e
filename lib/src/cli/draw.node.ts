import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { Option } from 'commander';
import { canvasArt } from '../display/index.js';
import { describeProblem, observe } from '../envs/diagram/index.js';
import { disposeModel } from '../model/index.js';
import { draw } from '../recipes/diagram/index.js';
import { agentCheckpoint } from '../recipes/diagram/agent.node.js';
import { loadPolicy } from '../recipes/diagram/policy.node.js';
import { isQuick } from '../recipes/diagram/recipe.js';
import {
  isFinished,
  listRuns,
  parseJson,
  runFolder,
  type RunConfig,
} from '../recipes/diagram/run-folder.node.js';
import { initBackend } from '../tensor/index.js';
import { fontFile } from './convert.node.js';
import { drawingEndings, drawingFile, writeDrawingFile } from './drawing-file.node.js';
import { nonNegativeInteger, positiveInteger, temperature } from './options.node.js';

interface Options {
  readonly model?: string;
  readonly output?: string;
  readonly font?: string;
  readonly direction: 'LR' | 'RL' | 'TB' | 'BT';
  readonly temperature: number;
  readonly seed: number;
  readonly bestOf: number;
  readonly runs?: string;
}

export function addDraw(program: Command): void {
  program
    .command('draw')
    .description('draw what you ask for with a trained agent')
    .argument('<request>', 'what to draw, e.g. "Three tiers: Browser, API, Database"')
    .option(
      '-m, --model <folder>',
      'checkpoint or finished run to draw with (default: the newest finished run that was not quick, or else the agent that comes with posttrain)',
    )
    .option(
      '-o, --output <file>',
      `write the drawing here instead of showing it, in the format of the ending: ${drawingEndings}`,
      drawingFile,
    )
    .option('--font <file>', 'font for the labels of a PNG', fontFile)
    .addOption(
      new Option('--direction <way>', 'which way arrows run').choices(['LR', 'RL', 'TB', 'BT']).default('LR'),
    )
    .option('-t, --temperature <number>', '0 = always the most probable token', temperature, 0)
    .option('--seed <number>', 'fixes the dice of temperatures above 0', nonNegativeInteger, 0)
    .option('--best-of <number>', 'draw several, keep the one with the fewest problems', positiveInteger, 1)
    .option('--runs <folder>', 'where runs lie (default: runs)')
    .addHelpText(
      'after',
      '\nExample:\n  posttrain draw "Three tiers: Browser, API, Database" -o tiers.excalidraw',
    )
    .action(drawCommand);
}

async function drawCommand(request: string, options: Options): Promise<void> {
  const folder = options.model === undefined ? newestCheckpoint(options.runs) : checkpointIn(options.model);
  await initBackend();
  const { model, tokenizer } = await loadPolicy(folder);
  try {
    const { temperature, seed, bestOf, direction } = options;
    const { canvas, problems, strangeLabels, reply } = await draw({
      model,
      tokenizer,
      request,
      temperature,
      seed,
      bestOf,
      direction,
    });
    const found = [
      problems.length === 0
        ? 'no problems of form or layout'
        : `problems: ${problems.map(describeProblem).join(', ')}`,
      ...(strangeLabels.length === 0 ? [] : [`words that you did not say: ${strangeLabels.join(', ')}`]),
    ].join('; ');
    if (canvas.shapes.length === 0) {
      throw new Error(
        `the reply drew nothing (${found}): ${JSON.stringify(reply.slice(0, 120))}; try --temperature 1 --best-of 8, other words, or by --model a policy that was trained longer (--quick runs learn nothing)`,
      );
    }
    if (options.output === undefined) {
      const table = observe({ canvas, request: '' }).split('\n').slice(0, -1);
      process.stdout.write([...canvasArt(canvas), '', ...table, found, ''].join('\n'));
    } else {
      const warnings = await writeDrawingFile(options.output, canvas, options.font);
      const counts = `${canvas.shapes.length} shapes, ${canvas.edges.length} arrows, ${found}`;
      process.stdout.write(`${options.output}: ${[counts, ...warnings].join('; ')}\n`);
    }
  } finally {
    disposeModel(model);
  }
}

/** A whole run stands for what it ended with. */
function checkpointIn(folder: string): string {
  const run = runFolder(folder);
  return existsSync(run.config) && isFinished(run) ? run.checkpoint('grpo') : folder;
}

/**
 * Of the newest finished run; before there is one, and unless a folder of runs was named, the agent that comes with the repository.
 * A quick run has learned nothing: it counts only in a folder that was named and has no other.
 */
function newestCheckpoint(runs: string | undefined): string {
  const finished = listRuns(runs ?? 'runs').filter(isFinished);
  const learned = finished.find(({ config }) => !isQuick((parseJson(config) as RunConfig).recipe));
  const newest = learned ?? (runs === undefined ? undefined : finished[0]);
  if (newest !== undefined) {
    process.stderr.write(`drawing with ${newest.checkpoint('grpo')}, of the newest finished run\n`);
    return newest.checkpoint('grpo');
  }
  const agent = runs === undefined ? agentCheckpoint() : undefined;
  if (agent === undefined) {
    throw new Error(
      `there is no finished run in ${runs ?? 'runs'} yet; train one with "npm start", or say where with --model or --runs`,
    );
  }
  const why = finished.length === 0 ? 'no finished run' : 'nothing but quick runs';
  process.stderr.write(`${why} in runs: drawing with the agent that comes with posttrain\n`);
  return agent;
}
