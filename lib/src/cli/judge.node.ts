import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Option, type Command } from 'commander';
import { percentWithInterval, tableToText } from '../display/index.js';
import { judgeAgreement, parseJudgeLabels, type JudgeAgreement, type JudgeLabel } from '../eval/index.js';
import { modelJudge } from '../rewards/index.js';
import { judgeLog } from '../rewards/judge-log.node.js';
import { spentText } from './collect.js';
import { INTERRUPTED } from './interrupt.node.js';
import {
  addModelOptions,
  budgetFor,
  KEYS_HELP,
  modelFor,
  type ModelOptions,
  type ServiceName,
} from './model-options.node.js';
import type { SetStatus } from './program.node.js';
import { now, withProgress } from './session.node.js';

interface Options extends ModelOptions {
  readonly service: ServiceName;
  readonly labels?: string;
  readonly log: string;
}

export function addJudge(program: Command, setStatus: SetStatus): void {
  const command = program
    .command('judge')
    .description(
      'measure how far a model can be believed as a judge: it judges drawings whose verdict is known',
    )
    .addOption(
      new Option('--service <service>', 'how it is reached').choices(['gemini', 'openai']).default('openai'),
    );
  addModelOptions(command)
    .option('--labels <file>', 'JSON Lines of labels (default: the synthetic ones in data/judge)')
    .option('--log <file>', 'every judgement is appended here', 'runs/judgements.jsonl')
    .addHelpText(
      'after',
      `
${KEYS_HELP}

A judge may take rewards away and never gives any: withVetoes(modelJudge(...)) is a reward function for GRPO and PPO.

Example:
  posttrain judge --model qwen3 --base-url http://localhost:11434/v1`,
    )
    .action(async (options: Options) => {
      if (!(await watchJudge(options))) setStatus(INTERRUPTED);
    });
}

/** Returns whether all labels were judged. */
function watchJudge(options: Options): Promise<boolean> {
  const labels = readLabels(options.labels);
  const budget = budgetFor(options);
  return withProgress(process.stderr, async (live, signal) => {
    const started = now();
    const model = modelFor(options.service, options, {
      budget,
      tell: (text) => live.print(text),
    });
    const judge = modelJudge({ model, log: judgeLog(options.log) });
    const { concurrency } = options;
    try {
      const agreement = await judgeAgreement(judge, labels, {
        concurrency,
        signal,
        onJudged: (step, totalSteps) =>
          live.show({
            stages: [{ name: 'judge', state: 'active' }],
            step,
            totalSteps,
            elapsedMs: now() - started,
            headline: [{ name: 'spent', value: spentText(budget.spent, options.prices) }],
            trend: [],
          }),
      });
      live.close();
      process.stdout.write(`${agreementText(model.model, agreement)}\n`);
      process.stdout.write(
        `${spentText(budget.spent, options.prices)}; every judgement is in ${options.log}\n`,
      );
      return true;
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) throw error;
      live.print(`Stopped; what was judged is in ${options.log}.`);
      return false;
    }
  });
}

function readLabels(option: string | undefined): JudgeLabel[] {
  const path = option ?? fileURLToPath(new URL('../../../data/judge/labels.jsonl', import.meta.url));
  if (!existsSync(path)) throw new Error(`there is no ${path}; name a file of labels with --labels`);
  try {
    return parseJudgeLabels(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`${path}, ${(error as Error).message}`);
  }
}

function agreementText(model: string, agreement: JudgeAgreement): string {
  const { labels, unscored, kappa, falseVetoes, missedFaults, byChange } = agreement;
  const rows = Object.entries({
    'all verdicts right': agreement.agreement,
    'acceptable, but vetoed': falseVetoes,
    'faulty, but accepted': missedFaults,
    ...Object.fromEntries(Object.entries(byChange).map(([change, right]) => [`right on: ${change}`, right])),
  });
  return tableToText({
    caption: `${model} on ${labels} labels, ${unscored} of them unscored. Cohen's kappa ${kappa.toFixed(2)}.`,
    columns: [{ header: '' }, { header: 'labels', align: 'right' }, { header: 'share', align: 'right' }],
    rows: rows.map(([name, share]) => [
      name,
      String(share.trials),
      share.trials === 0 ? '' : percentWithInterval(share.value, share.low, share.high),
    ]),
  });
}
