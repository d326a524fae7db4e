import { Option, type Command } from 'commander';
import { curriculumSplits, fullSplits, generateTask, type Profile } from '../envs/diagram/tasks/index.js';
import { serializeActions } from '../envs/diagram/codec.js';
import { eventLoopTurn } from '../event-loop.js';
import { writeFileAtomic } from '../files.node.js';
import {
  attackTrials,
  auditReward,
  objections,
  perturbationTrials,
  play,
  scoreDiagram,
  type AnsweredTask,
  type AttackTrial,
  type Judgement,
} from '../rewards/index.js';
import { scriptedActions } from '../teachers/index.js';
import { INTERRUPTED } from './interrupt.node.js';
import { nonNegativeInteger, positiveInteger } from './options.node.js';
import type { SetStatus } from './program.node.js';
import { now, withProgress } from './session.node.js';
import { auditText, verdictText, type ProfileAudit } from './verify-reward.js';

interface Options {
  readonly tasks: number;
  readonly seed: number;
  readonly profile?: Profile;
  readonly json?: string;
}

const profiles: readonly Profile[] = ['curriculum', 'full'];
const splitsOf = { curriculum: curriculumSplits, full: fullSplits };

/** The seed of no data set and no run: the reward was tuned on none of these tasks. */
const FRESH_SEED = 90_210;
/** Shorter work needs no progress. */
const PATIENCE_MS = 2_000;

export function addVerifyReward(program: Command, setStatus: SetStatus): void {
  program
    .command('verify-reward')
    .description('try to cheat the reward on fresh tasks, and compare it with a second, independent verifier')
    .option('--tasks <number>', 'tasks a profile, spread over its splits', positiveInteger, 100)
    .option('--seed <number>', 'which tasks; training uses others', nonNegativeInteger, FRESH_SEED)
    .addOption(new Option('--profile <profile>', 'only these tasks (default: both)').choices(profiles))
    .option('--json <file>', 'write the numbers here as well')
    .addHelpText(
      'after',
      `
Ends with status 1 when the gated reward pays an attack more than 90 % of a right answer (a near miss, which has one fault
only, more than the right answer), pays a reply that is no JSON at all, or speaks of success where the verifier does
not. Means over fewer than some 50 tasks may do so by chance.

Examples:
  posttrain verify-reward --tasks 20
  posttrain verify-reward --profile full --json audit.json`,
    )
    .action(async (options: Options) => {
      const status = await verifyReward(options);
      if (status !== 0) setStatus(status);
    });
}

function verifyReward({ tasks, seed, profile, json }: Options): Promise<number> {
  return withProgress(process.stderr, async (live, signal) => {
    const started = now();
    const chosen = profile === undefined ? profiles : [profile];
    const audits: ProfileAudit[] = [];
    for (const [index, name] of chosen.entries()) {
      const audit = await auditProfile(name, tasks, seed, signal, (step) => {
        const elapsedMs = now() - started;
        if (elapsedMs < PATIENCE_MS) return;
        const stages = chosen.map((each, i) => ({ name: `${each} tasks`, state: stateOf(i, index) }));
        live.show({ stages, step, totalSteps: tasks, elapsedMs, headline: [], trend: [] });
      });
      if (audit === undefined) {
        live.print('Stopped; nothing was written.');
        return INTERRUPTED;
      }
      audits.push(audit);
    }
    live.close();
    const found = audits.flatMap((audit) => objections(audit).map((reason) => `${audit.profile}: ${reason}`));
    process.stdout.write(`${[...audits.map(auditText), verdictText(found)].join('\n\n')}\n`);
    if (json !== undefined) writeFileAtomic(json, report(audits, found));
    return found.length === 0 ? 0 : 1;
  });
}

function stateOf(stage: number, active: number): 'done' | 'active' | 'waiting' {
  if (stage < active) return 'done';
  return stage === active ? 'active' : 'waiting';
}

/** Audits the reward on one profile; nothing when it was asked to stop. */
async function auditProfile(
  profile: Profile,
  count: number,
  seed: number,
  signal: AbortSignal,
  onTask: (finished: number) => void,
): Promise<ProfileAudit | undefined> {
  const attacks: AttackTrial[] = [];
  const perturbations: Judgement[] = [];
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const answered = answeredTask(profile, seed, index);
    attacks.push(...attackTrials(answered));
    perturbations.push(...perturbationTrials(answered));
    times.push(scoringTime(answered));
    onTask(index + 1);
    // Ctrl-C is heard between two tasks
    await eventLoopTurn();
    if (signal.aborted) return undefined;
  }
  return {
    profile,
    tasks: count,
    seed,
    microsecondsPerScore: median(times),
    ...auditReward(attacks, perturbations),
  };
}

/** The task with this number, split by split in turn, and what the teacher draws in a single reply. */
function answeredTask(profile: Profile, seed: number, number: number): AnsweredTask {
  const splits = splitsOf[profile];
  const split = splits[number % splits.length]!;
  const task = generateTask({ seed, split, index: Math.floor(number / splits.length), profile });
  const inOneReply = task.initial === undefined ? ({ ...task, kind: 'draw' } as const) : task;
  return { task, answer: scriptedActions(inOneReply, [], 0) };
}

/** Microseconds to score the right answer. */
function scoringTime({ task, answer }: AnsweredTask): number {
  const { canvas, log } = play(task, serializeActions(answer));
  const start = now();
  scoreDiagram(task, canvas, log);
  return 1000 * (now() - start);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** The numbers as JSON, to four digits: enough to compare, few enough to read. */
function report(audits: readonly ProfileAudit[], found: readonly string[]): string {
  const round = (_: string, value: unknown): unknown =>
    typeof value === 'number' ? Number(value.toFixed(4)) : value;
  return `${JSON.stringify({ audits, objections: found }, round, 1)}\n`;
}
