import {
  chartGrid,
  drawingRow,
  duration,
  bytes,
  pageHtml,
  percent,
  percentWithInterval,
  tableToHtml,
  type Table,
} from '../../display/index.js';
import { renderSvg } from '../../envs/diagram/index.js';
import type { Proportion } from '../../eval/index.js';
import { escapeMarkup } from '../../markup.js';
import { runCharts } from './charts.js';
import {
  checkpointNames,
  checkpointTitles,
  gainOf,
  headline,
  type CheckpointName,
  type RunEvaluation,
  type SplitResult,
} from './evaluation.js';
import type { MetricsRecord } from './metrics-log.node.js';
import { isQuick, type DiagramRecipe } from './recipe.js';
import type { RunConfig, StageRecords } from './run-folder.node.js';

export interface ReportInput {
  readonly config: RunConfig;
  readonly metrics: readonly MetricsRecord[];
  readonly evaluation: RunEvaluation;
  readonly stages: StageRecords;
}

/** The run on one page, as a file that needs no other. */
export function reportHtml({ config, metrics, evaluation, stages }: ReportInput): string {
  const charts = runCharts(metrics);
  return pageHtml({
    title: `posttrain: ${config.name}`,
    summary: achievement(evaluation, config.recipe),
    sections: [
      { heading: 'Results', html: scrolling(tableToHtml(resultsTable(evaluation))) + gainHtml(evaluation) },
      ...(charts.length === 0 ? [] : [{ heading: 'Training', html: chartGrid(charts) }]),
      { heading: 'The same requests, drawn by each stage', html: galleryHtml(evaluation) },
      { heading: 'Time and memory', html: scrolling(tableToHtml(costTable(stages))) },
      { heading: 'Recipe', html: preformatted({ seed: config.seed, ...config.recipe }) },
      { heading: 'Computed with', html: preformatted(config.versions) },
    ],
  });
}

/** What came out, in one sentence: the last line of a run and the first of its report. */
export function achievement(evaluation: RunEvaluation, recipe: DiagramRecipe): string {
  const shares = checkpointNames.flatMap((name) => {
    const result = headline(evaluation[name]);
    return result === undefined ? [] : [`${checkpointTitles[name]} ${percent(result.success.value)}`];
  });
  const last = headline(evaluation.grpo);
  if (last === undefined) return 'Nothing was evaluated.';
  const drawn = `Diagrams drawn exactly as asked, ${last.tasks} unseen requests, temperature 1: ${shares.join(' → ')}.`;
  return isQuick(recipe)
    ? `${drawn} A quick run, too short to learn: it shows that every stage works.`
    : drawn;
}

/** One row for every split, way of sampling and policy. */
export function resultsTable(evaluation: RunEvaluation): Table {
  const rows = checkpointNames.flatMap((name) =>
    (evaluation[name]?.results ?? []).map((result) => ({
      name,
      result,
      part: `${result.split} ${result.mode}`,
    })),
  );
  const parts = [...new Set(rows.map(({ part }) => part))];
  return {
    caption:
      'Shares with 95 % Wilson intervals over tasks. Success: exactly the diagram that was asked for, and readable; ' +
      'verified: the same, judged by a second program that shares no code with the reward.',
    columns: [
      { header: 'split' },
      { header: 'sampling' },
      { header: 'policy' },
      { header: 'tasks', align: 'right' },
      { header: 'readable', align: 'right' },
      { header: 'valid actions', align: 'right' },
      { header: 'success', align: 'right' },
      { header: 'verified', align: 'right' },
      { header: 'pass@k', align: 'right' },
      { header: 'reward', align: 'right' },
    ],
    rows: parts.flatMap((part) => rows.filter((row) => row.part === part)).map(resultRow),
  };
}

function resultRow({
  name,
  result,
}: {
  readonly name: CheckpointName;
  readonly result: SplitResult;
}): string[] {
  const [k, passAtK] = Object.entries(result.passAt).at(-1) ?? ['1'];
  return [
    result.split,
    result.mode,
    checkpointTitles[name],
    String(result.tasks),
    share(result.parsed),
    result.validActions === undefined ? '' : percent(result.validActions.value),
    share(result.success),
    result.verified === undefined ? '' : percent(result.verified.value),
    k === '1' || passAtK === undefined ? '' : `${percent(passAtK)} (k = ${k})`,
    result.reward.toFixed(3),
  ];
}

function share(proportion: Proportion | undefined): string {
  return proportion === undefined
    ? ''
    : percentWithInterval(proportion.value, proportion.low, proportion.high);
}

function gainHtml(evaluation: RunEvaluation): string {
  const gain = gainOf(evaluation);
  if (gain === undefined) return '';
  const { from, success, reward } = gain;
  return (
    `<p>GRPO against ${checkpointTitles[from]} on the same ${success.tasks} requests: success ${signed(success.difference * 100, 1)} points ` +
    `(95 % interval ${signed(success.low * 100, 1)} to ${signed(success.high * 100, 1)}), ` +
    `reward ${signed(reward.difference, 3)} (${signed(reward.low, 3)} to ${signed(reward.high, 3)}).</p>`
  );
}

function signed(value: number, digits: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
}

function galleryHtml(evaluation: RunEvaluation): string {
  const policies = checkpointNames.flatMap((name) => {
    const drawings = evaluation[name]?.drawings;
    return drawings === undefined ? [] : [{ by: checkpointTitles[name], drawings }];
  });
  const requests = policies[0]?.drawings.map(({ request }) => request) ?? [];
  return requests
    .map((request, i) =>
      drawingRow(
        request,
        policies.flatMap(({ by, drawings }) => {
          const drawing = drawings[i];
          if (drawing === undefined) return [];
          const { canvas, reward, success } = drawing;
          const svg = canvas === undefined || canvas.shapes.length === 0 ? {} : { svg: renderSvg(canvas) };
          return { by, ...svg, verdict: `reward ${reward.toFixed(2)}`, success };
        }),
      ),
    )
    .join('\n');
}

function costTable(stages: StageRecords): Table {
  return {
    columns: [
      { header: 'stage' },
      { header: 'time', align: 'right' },
      { header: 'peak memory so far', align: 'right' },
    ],
    rows: Object.entries(stages).map(([stage, { seconds, peakMemory }]) => [
      stage,
      duration(seconds * 1000),
      bytes(peakMemory),
    ]),
  };
}

function scrolling(html: string): string {
  return `<div class="scroll">${html}</div>`;
}

function preformatted(value: unknown): string {
  return `<pre>${escapeMarkup(JSON.stringify(value, null, 2))}</pre>`;
}
