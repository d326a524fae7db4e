import type { Command } from 'commander';
import { completionsToHtml, completionsToText, pageHtml, wantsColor } from '../display/index.js';
import { writeFileAtomic } from '../files.node.js';
import { readCompletions, stepsWithCompletions } from '../recipes/diagram/completions-log.node.js';
import { openRun } from '../recipes/diagram/run-folder.node.js';
import { positiveInteger } from './options.node.js';

interface Options {
  readonly step?: number;
  readonly count: number;
  readonly html?: string;
}

export function addCompletions(program: Command): void {
  program
    .command('completions <run>')
    .description('show what the policy wrote during GRPO, what it got, and which of its tokens were trained')
    .option('--step <number>', 'the step to show (default: the last one written down)', positiveInteger)
    .option('--count <number>', 'how many completions, from the first', positiveInteger, 8)
    .option('--html <file>', 'write a page with all completions of the step instead')
    .addHelpText(
      'after',
      `
Examples:
  posttrain completions runs/diagram-1
  posttrain completions runs/diagram-1 --step 10 --html completions.html`,
    )
    .action((run: string, options: Options) => show(run, options));
}

function show(run: string, { step: asked, count, html }: Options): void {
  const { completions: folder } = openRun(run).folder;
  const steps = stepsWithCompletions(folder);
  const step = asked ?? steps.at(-1);
  if (step === undefined) throw new Error(`${run} has no completions yet; they are written during GRPO`);
  if (!steps.includes(step))
    throw new Error(`${run} has no completions of step ${step}; choose one of ${steps.join(', ')}`);
  const rows = readCompletions(folder, step);
  if (html === undefined) {
    const { columns = 100, isTTY } = process.stdout;
    const text = completionsToText(rows.slice(0, count), {
      width: Math.max(40, columns - 1),
      color: wantsColor(isTTY, process.env),
    });
    process.stdout.write(`${text}\n`);
    return;
  }
  const page = pageHtml({
    title: `Completions of step ${step}`,
    summary: `All ${rows.length} completions of GRPO step ${step} in ${run}, with their rewards and advantages.`,
    sections: [{ heading: 'Completions', html: `<div class="scroll">${completionsToHtml(rows)}</div>` }],
  });
  writeFileAtomic(html, page);
  process.stdout.write(`${html}\n`);
}
