import { generateTask, type Profile, type Split } from 'posttrain/envs/diagram/tasks/index';
import type { DiagramTask } from 'posttrain/envs/diagram/types';

const made = new Map<string, DiagramTask[]>();

/** The first `count` tasks of a split, made once for all tests of a file. */
export function sample(profile: Profile, split: Split, count: number, seed = 1): readonly DiagramTask[] {
  const key = `${profile} ${split} ${seed}`;
  const tasks = made.get(key) ?? [];
  for (let index = tasks.length; index < count; index++)
    tasks.push(generateTask({ seed, split, index, profile }));
  made.set(key, tasks);
  return tasks.slice(0, count);
}

/** Makes a sample in small portions, so that the test runner hears from its worker even on a busy machine. */
export async function prepare(profile: Profile, split: Split, count: number, seed = 1): Promise<void> {
  for (let ready = 0; ready < count; ready += 100) {
    sample(profile, split, Math.min(count, ready + 100), seed);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
