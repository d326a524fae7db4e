import { Argument, type Command } from 'commander';
import { explainMetric, metricGlossary, type MetricEntry } from '../trainers/index.js';

export function addMetrics(program: Command): void {
  program
    .command('metrics')
    .description('explain what stands in metrics.jsonl: what each number is, and what it should look like')
    .addArgument(new Argument('[key...]', 'only these, e.g. grad_norm or rewards/success/mean'))
    .action((keys: readonly string[]) => {
      const entries = keys.length === 0 ? metricGlossary : keys.map(entryOf);
      process.stdout.write(`${entries.map(paragraph).join('\n\n')}\n`);
    });
}

function entryOf(key: string): MetricEntry {
  const entry = explainMetric(key);
  if (entry === undefined)
    throw new Error(`no trainer reports "${key}"; \`posttrain metrics\` lists what there is`);
  return entry;
}

function paragraph({ key, meaning, healthy, broken }: MetricEntry): string {
  return `${key}\n  ${meaning}\n  healthy: ${healthy}\n  broken:  ${broken}`;
}
