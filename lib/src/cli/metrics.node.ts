import { Argument, type Command } from 'commander';
import { explainMetric, metricGlossary, type MetricEntry } from '../trainers/index.js';

export function addMetrics(program: Command): void {
  program
    .command('metrics')
    .description('explain what stands in metrics.jsonl: what each number is, and what it should look like')
    .addArgument(new Argument('[key...]', 'only these, e.g. grad_norm or rewards/success/mean'))
    .action((keys: readonly string[]) => {
      const known = keys.flatMap((key) => explainMetric(key) ?? []);
      const entries = keys.length === 0 ? metricGlossary : known;
      if (entries.length > 0) process.stdout.write(`${entries.map(paragraph).join('\n\n')}\n`);
      const unknown = keys.filter((key) => explainMetric(key) === undefined);
      if (unknown.length > 0)
        throw new Error(
          `no trainer reports ${unknown.map((key) => `"${key}"`).join(', ')}; \`posttrain metrics\` lists what there is`,
        );
    });
}

function paragraph({ key, meaning, healthy, broken }: MetricEntry): string {
  return `${key}\n  ${meaning}\n  healthy: ${healthy}\n  broken:  ${broken}`;
}
