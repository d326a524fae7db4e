/** Success of the scripted teacher over all splits. `TEACHER_TASKS=500 npx vitest run tests/teachers/success.test.ts` for a long run. */
import { describe, expect, it } from 'vitest';
import { diagramEnvironment } from 'posttrain/envs/diagram/environment';
import { generateTask, realTasks, splits, type Split } from 'posttrain/envs/diagram/tasks/index';
import type { DiagramTask } from 'posttrain/envs/diagram/types';
import { scoreDiagram } from 'posttrain/rewards/index';
import { collect } from 'posttrain/teachers/collect';
import { scriptedTeacher } from 'posttrain/teachers/scripted';

const env = diagramEnvironment({ scorer: scoreDiagram });
const count = Number(process.env['TEACHER_TASKS'] ?? 40);

function tasksOf(split: Split): DiagramTask[] {
  if (split === 'real') return [...realTasks()];
  return Array.from({ length: count }, (_, index) => generateTask({ seed: 11, split, index }));
}

/** Runs the teacher on tasks, prints a line, and returns the ids that did not succeed. */
async function failures(name: string, tasks: readonly DiagramTask[]): Promise<string[]> {
  const failed: string[] = [];
  let reward = 0;
  const start = performance.now();
  for await (const record of collect({ env, tasks, teachers: [{ teacher: scriptedTeacher() }] })) {
    reward += record.reward;
    if (!record.success) failed.push(record.taskId);
  }
  const milliseconds = (performance.now() - start) / tasks.length;
  process.stdout.write(
    `${name.padEnd(14)} success ${tasks.length - failed.length}/${tasks.length}  ` +
      `mean R ${(reward / tasks.length).toFixed(3)}  ${milliseconds.toFixed(1)} ms a task\n`,
  );
  return failed;
}

describe('the scripted teacher succeeds', () => {
  it.each([...splits])('on at least 99 % of split %s', async (split) => {
    const tasks = tasksOf(split);
    expect((await failures(split, tasks)).length).toBeLessThanOrEqual(tasks.length * 0.01);
  });

  it('on every curriculum task', async () => {
    const tasks = Array.from({ length: 4 * count }, (_, index) =>
      generateTask({ seed: 11, split: 'train', index, profile: 'curriculum' }),
    );
    expect(await failures('curriculum', tasks)).toEqual([]);
  });
});

describe('on generated tasks', () => {
  const sample = Array.from({ length: 20 }, (_, index) => generateTask({ seed: 12, split: 'train', index }));

  it('different layouts differ and all succeed', async () => {
    const teachers = [{ teacher: scriptedTeacher({ numLayouts: 3 }) }];
    const answers = new Map<string, Set<string>>();
    for await (const record of collect({ env, tasks: sample, teachers, numGenerations: 3 })) {
      expect(record).toMatchObject({ success: true });
      const own = answers.get(record.taskId) ?? new Set();
      answers.set(record.taskId, own.add(record.turns[0]!.completion));
    }
    const drawn = sample.filter(({ kind }) => kind === 'draw' || kind === 'build-up');
    for (const { id } of drawn) expect(answers.get(id)!.size).toBe(3);
  });

  it('mediocre drawings are valid and structurally right, and only placed badly', async () => {
    const tasks = Array.from({ length: 60 }, (_, index) =>
      generateTask({ seed: 12, split: 'train', index, profile: 'curriculum' }),
    );
    const teachers = [{ teacher: scriptedTeacher({ quality: 'mediocre' }), keep: 'all' as const }];
    let reward = 0;
    for await (const { metrics, success, reward: own } of collect({ env, tasks, teachers })) {
      expect([metrics['terms/valid'], metrics['terms/structure'], success]).toEqual([1, 1, false]);
      reward += own / tasks.length;
    }
    expect(reward).toBeGreaterThan(0.55);
    expect(reward).toBeLessThan(0.85);
  });
});
