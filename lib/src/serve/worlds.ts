/** The environments that can be served, each with its tasks by split and the form of its actions. */
import { z } from 'zod';
import {
  diagramEnvironment,
  keyDoorEnvironment,
  keyDoorTasks,
  preferenceEnvironment,
  preferenceTasks,
  replySchema,
  treasureEnvironment,
  type DiagramTask,
  type Environment,
  type Episode,
  type Task,
} from '../envs/index.js';
import {
  curriculumSplits,
  fullSplits,
  generateTask,
  realTasks,
  splitSizes,
  type Profile,
  type Split,
} from '../envs/diagram/tasks/index.js';
import type { RawAction } from './protocol.js';
import { rewardPresets, type RewardPreset } from '../rewards/index.js';

/** A task with the way to begin it. */
export interface ServedTask {
  readonly task: Task;
  start(): Episode;
}

export interface World {
  readonly name: string;
  readonly description: string;
  /** Tells worlds apart in which the same actions mean something else. */
  readonly key: string;
  /** How many tasks each split has; the first is the default. */
  readonly splits: Readonly<Record<string, number>>;
  /** The task at `index`, counted from 0 and modulo the size of the split. */
  taskAt(split: string, index: number): ServedTask;
  taskOf(id: string): ServedTask | undefined;
  /** JSON schema of an action. */
  readonly actionSchema: object;
  /** The reply that an action stands for; `undefined` when it has not the form of one. */
  replyOf(action: RawAction): string | undefined;
}

export const worldNames = ['diagram', 'treasure', 'preference', 'key-door'] as const;
export type WorldName = (typeof worldNames)[number];

export interface WorldOptions {
  /** Of the diagram world; default `full`: whoever comes from outside brings a larger model than ours. */
  readonly profile?: Profile;
  /** Of the diagram world; default `gated`, what the library trains on. */
  readonly reward?: RewardPreset;
  /** Of the generated tasks; default 1. */
  readonly seed?: number;
}

export function openWorld(
  name: WorldName,
  { profile = 'full', reward = 'gated', seed = 1 }: WorldOptions = {},
): World {
  switch (name) {
    case 'diagram':
      return diagramWorld(profile, reward, seed);
    case 'treasure':
      return treasureWorld();
    case 'preference':
      return listedWorld(
        preferenceEnvironment(),
        'a request for up to three topics, answered in a few words; the true reward is known',
        (['train', 'test'] as const).flatMap((split) => preferenceTasks(split)),
      );
    case 'key-door':
      return listedWorld(
        keyDoorEnvironment('outcome'),
        'six turns to a locked door, one of which decides',
        keyDoorTasks,
      );
  }
}

const textAction = z.strictObject({
  text: z.string(),
  metadata: z.record(z.string(), z.unknown()).optional(),
});

/** Actions as text alone. */
const spoken = {
  actionSchema: z.toJSONSchema(textAction),
  replyOf: (action: RawAction): string | undefined => textAction.safeParse(action).data?.text,
};

function served<T extends Task>(env: Environment<T>, task: T): ServedTask {
  return { task, start: () => env.start(task) };
}

/** A world whose tasks can be listed. */
function listedWorld<T extends Task>(env: Environment<T>, description: string, tasks: readonly T[]): World {
  const bySplit = new Map<string, T[]>();
  for (const task of tasks) bySplit.set(task.split, [...(bySplit.get(task.split) ?? []), task]);
  const byId = new Map(tasks.map((task) => [task.id, task]));
  return {
    name: env.name,
    description,
    key: env.name,
    splits: Object.fromEntries([...bySplit].map(([split, { length }]) => [split, length])),
    taskAt(split, index) {
      const ofSplit = bySplit.get(split)!;
      return served(env, ofSplit[index % ofSplit.length]!);
    },
    taskOf(id) {
      const task = byId.get(id);
      return task && served(env, task);
    },
    ...spoken,
  };
}

/** One task; the seed only says how often a stochastic hunt would fumble, and this one is not. */
function treasureWorld(): World {
  const env = treasureEnvironment();
  return listedWorld(env, 'a treasure hunt in words whose rules the player is not told', [
    { id: 'treasure', split: 'train', seed: 0 },
  ]);
}

function diagramWorld(profile: Profile, reward: RewardPreset, seed: number): World {
  const env = diagramEnvironment({ scorer: rewardPresets[reward] });
  const real = new Map(realTasks().map((task) => [task.id, task]));
  const splits: readonly Split[] = [...(profile === 'full' ? fullSplits : curriculumSplits), 'real'];
  const address = new RegExp(`^${profile}-(?<split>${splits.join('|')})-${seed}-(?<index>\\d{1,9})$`);
  const taskAt = (split: string, index: number): DiagramTask =>
    split === 'real'
      ? [...real.values()][index % real.size]!
      : generateTask({ profile, seed, split: split as Split, index: index % splitSizes[split as Split] });
  return {
    name: env.name,
    description: 'draw the diagram that a user asks for, as JSON actions on a canvas',
    key: `${env.name} ${profile} ${reward} ${seed}`,
    splits: Object.fromEntries(
      splits.map((split) => [split, split === 'real' ? real.size : splitSizes[split]]),
    ),
    taskAt: (split, index) => served(env, taskAt(split, index)),
    taskOf(id) {
      const { split, index } = address.exec(id)?.groups ?? {};
      const task = real.get(id) ?? (split === undefined ? undefined : taskAt(split, Number(index)));
      return task && served(env, task);
    },
    actionSchema: {
      anyOf: [z.toJSONSchema(textAction), z.toJSONSchema(replySchema, { unrepresentable: 'any' })],
    },
    replyOf: (action) => spoken.replyOf(action) ?? drawnReply(action),
  };
}

/** `{ "actions": […] }` as the reply that a policy would have written. */
function drawnReply({ actions, metadata: _, ...rest }: RawAction): string | undefined {
  return Array.isArray(actions) && Object.keys(rest).length === 0 ? JSON.stringify({ actions }) : undefined;
}
