import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { diagramEnvironment } from 'posttrain/envs/diagram/environment';
import { generateTask } from 'posttrain/envs/diagram/tasks/index';
import type { DiagramTask } from 'posttrain/envs/diagram/types';
import { scoreDiagram } from 'posttrain/rewards/index';
import { collect, type CollectOptions, type CollectProgress } from 'posttrain/teachers/collect';
import { collectToFile, readTrajectories } from 'posttrain/teachers/collect.node';
import type { TrajectoryRecord } from 'posttrain/teachers/records';
import { scriptedTeacher } from 'posttrain/teachers/scripted';
import type { Teacher } from 'posttrain/teachers/teacher';

const env = diagramEnvironment({ scorer: scoreDiagram });
const tasks = Array.from({ length: 6 }, (_, index) =>
  generateTask({ seed: 3, split: 'train', index, profile: 'curriculum' }),
);
const options: CollectOptions<DiagramTask> = {
  env,
  tasks,
  numGenerations: 2,
  teachers: [
    { teacher: scriptedTeacher({ numLayouts: 4 }), share: 3 },
    { teacher: scriptedTeacher({ quality: 'mediocre' }), share: 1, keep: 'all' },
  ],
};
const prose: Teacher<DiagramTask> = {
  name: 'prose',
  version: '1',
  answer: () => Promise.resolve('Sure! Here is your diagram:'),
};

async function all(given: CollectOptions<DiagramTask>): Promise<TrajectoryRecord[]> {
  const records: TrajectoryRecord[] = [];
  for await (const record of collect(given)) records.push(record);
  return records;
}

describe('collect', () => {
  it('records where every answer came from and what it was worth', async () => {
    const records = await all({
      ...options,
      teachers: [{ teacher: scriptedTeacher({ seed: 5 }) }],
      numGenerations: 1,
    });
    expect(records).toHaveLength(6);
    expect(records[0]).toMatchObject({
      teacher: { name: 'scripted-good', version: '1 layouts=1 seed=5' },
      taskId: tasks[0]!.id,
      split: 'train',
      sample: 0,
      success: true,
      rejection: null,
    });
    const [turn] = records[0]!.turns;
    expect(turn!.observation).toContain(tasks[0]!.requests[0]!);
    expect(turn!.completion).toMatch(/^\{"actions":\[\{"type":"create"/);
    expect(records[0]!.metrics['terms/structure']).toBe(1);
    expect(records[0]!.reward).toBeGreaterThan(0.95);
  });

  it('draws on each teacher by its share', async () => {
    const many = Array.from({ length: 40 }, (_, index) => ({ ...tasks[0]!, id: `copy ${index}` }));
    const records = await all({ ...options, tasks: many, numGenerations: 1 });
    const mediocre = records.filter(({ teacher }) => teacher.name === 'scripted-mediocre').length;
    expect(mediocre).toBeGreaterThan(3); // 10 expected, 2.7 standard deviations
    expect(mediocre).toBeLessThan(18);
  });

  it('says why an answer is rejected, by the rule of its teacher', async () => {
    const one = { ...options, tasks: [tasks[0]!], numGenerations: 1 };
    const [failed] = await all({ ...one, teachers: [{ teacher: prose }] });
    expect(failed).toMatchObject({ success: false, reward: 0, rejection: 'not a success' });
    const [poor] = await all({ ...one, teachers: [{ teacher: prose, keep: { reward: 0.6 } }] });
    expect(poor!.rejection).toBe('reward 0.000 below 0.6');
    const [kept] = await all({ ...one, teachers: [{ teacher: prose, keep: 'all' }] });
    expect(kept!.rejection).toBeNull();
  });

  it('reports progress and stops at once when aborted', async () => {
    const seen: CollectProgress[] = [];
    await all({ ...options, onProgress: (progress) => seen.push(progress) });
    expect(seen.at(-1)).toEqual({ finished: 12, total: 12, kept: 12, unanswered: 0 });
    const stop = new AbortController();
    const stopped = all({
      ...options,
      signal: stop.signal,
      onProgress: ({ finished }) => finished === 3 && stop.abort(),
    });
    await expect(stopped).rejects.toThrow('abort');
  });

  it('hears an abort that comes from outside while a script never waits', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 0);
    const endless = Array.from({ length: 2_000 }, (_, index) => ({ ...tasks[0]!, id: `copy ${index}` }));
    await expect(all({ ...options, tasks: endless, signal: stop.signal })).rejects.toThrow('abort');
  });

  it('keeps several episodes under way and finishes them all before it throws', async () => {
    let underWay = 0;
    let most = 0;
    const broken = new Error('the line is cut');
    const slow: Teacher<DiagramTask> = {
      ...prose,
      async answer(task, _observation, { sample }) {
        most = Math.max(most, ++underWay);
        // later questions are answered sooner
        for (let turn = 0; turn < 8 - sample; turn++) await new Promise(setImmediate);
        underWay--;
        if (task === tasks[1] && sample === 0) throw broken;
        return 'prose';
      },
    };
    const records: TrajectoryRecord[] = [];
    const given = { ...options, numGenerations: 4, concurrency: 4, teachers: [{ teacher: slow }] };
    const collected = (async () => {
      for await (const record of collect(given)) records.push(record);
    })();
    await expect(collected).rejects.toBe(broken);
    expect(most).toBe(4);
    expect(underWay).toBe(0);
    expect(records.slice(0, 4).map(({ sample }) => sample)).toEqual([3, 2, 1, 0]);
  });

  it('does not learn from an answer that its teacher takes back, whatever it is worth', async () => {
    const [task] = tasks as [DiagramTask];
    const good = scriptedTeacher();
    const doubtful: Teacher<DiagramTask> = {
      ...prose,
      answer: async (...asked) => ({
        completion: (await good.answer(...asked)) as string,
        rejection: 'cut short',
      }),
    };
    const teachers = [{ teacher: doubtful, keep: 'all' as const }];
    const [record] = await all({ ...options, tasks: [task], numGenerations: 1, teachers });
    expect(record).toMatchObject({ success: true, rejection: 'cut short' });
  });

  it.each([
    [{ numGenerations: 0 }, 'numGenerations must be a positive integer, got 0'],
    [{ concurrency: 0.5 }, 'concurrency must be a positive integer, got 0.5'],
    [{ teachers: [] }, 'at least one teacher'],
    [{ teachers: [{ teacher: prose, share: -1 }] }, 'share of teacher "prose"'],
    [{ teachers: [{ teacher: prose, share: 0 }] }, 'a share above 0'],
    [{ tasks: [tasks[0]!, tasks[0]!] }, `two tasks have the id "${tasks[0]!.id}"`],
  ])('refuses %j', async (bad, message) => {
    await expect(all({ ...options, ...bad })).rejects.toThrow(message);
  });
});

describe('collectToFile', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'collect-'));
    path = join(folder, 'nested', 'answers.jsonl');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('writes what it returns, and reads it back', async () => {
    const records = await collectToFile(path, options);
    expect(records).toHaveLength(12);
    expect(readTrajectories(path)).toEqual(records);
  });

  it('goes on after a kill in the middle of a line, to the very same file', async () => {
    await collectToFile(path, options);
    const whole = readFileSync(path, 'utf8');
    const lines = whole.split('\n');
    for (const kept of [whole.length - 1, lines.slice(0, 5).join('\n').length + 100, 30]) {
      writeFileSync(path, whole.slice(0, kept));
      await collectToFile(path, options);
      expect(readFileSync(path, 'utf8')).toBe(whole);
    }
  });

  it('asks nobody about answers that are already there', async () => {
    let asked = 0;
    const counting: Teacher<DiagramTask> = {
      ...prose,
      answer: (...args) => (asked++, prose.answer(...args)),
    };
    const counted = { ...options, teachers: [{ teacher: counting, keep: 'all' as const }] };
    await collectToFile(path, { ...counted, tasks: tasks.slice(0, 3) });
    expect(asked).toBe(6);
    expect(await collectToFile(path, counted)).toHaveLength(12);
    expect(asked).toBe(12);
  });

  it('names the line that is corrupt', async () => {
    await collectToFile(path, options);
    const lines = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, [...lines.slice(0, 2), '{"taskId":', ...lines.slice(3)].join('\n'));
    await expect(collectToFile(path, options)).rejects.toThrow('answers.jsonl, line 3: not JSON');
    const incomplete = { ...(JSON.parse(lines[2]!) as TrajectoryRecord), reward: undefined };
    writeFileSync(path, [...lines.slice(0, 2), JSON.stringify(incomplete), ...lines.slice(3)].join('\n'));
    expect(() => readTrajectories(path)).toThrow('answers.jsonl, line 3: reward:');
  });

  it('refuses to train on an unfinished file', async () => {
    await collectToFile(path, options);
    appendFileSync(path, '{"teacher":{"na');
    expect(() => readTrajectories(path)).toThrow('line 13: unfinished line; resume the collection');
  });

  it('does not mix answers from different settings', async () => {
    await collectToFile(path, options);
    const changed = tasks.map((task) => ({ ...task, requests: ['Something else'] }));
    await expect(collectToFile(path, { ...options, tasks: changed })).rejects.toThrow('with prompt hash "');
    await expect(collectToFile(path, { ...options, seed: 1 })).rejects.toThrow(
      'with seed "0", now it is "1"',
    );
    await expect(collectToFile(path, { ...options, teachers: [{ teacher: prose }] })).rejects.toThrow(
      'with teacher "scripted-',
    );
  });
});
