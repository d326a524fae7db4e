import { describe, expect, it } from 'vitest';
import { generateTask } from 'posttrain/envs/diagram/tasks/index';
import type { DiagramTask } from 'posttrain/envs/diagram/types';
import { formatAttacks, nearMisses } from 'posttrain/rewards/index';
import { noisyTeacher } from 'posttrain/teachers/noisy';
import { scriptedTeacher } from 'posttrain/teachers/scripted';
import type { Teacher } from 'posttrain/teachers/teacher';

const tasks = Array.from({ length: 200 }, (_, index) =>
  generateTask({ seed: 5, split: 'train', index, profile: 'curriculum' }),
);
const fixed: Teacher<DiagramTask> = {
  name: 'fixed',
  version: '1',
  answer: () => Promise.resolve('{"actions":[{"type":"finish"}]}'),
};
const fence = { fence: formatAttacks['fence']! };
async function answerOf(teacher: Teacher<DiagramTask>, task: DiagramTask): Promise<string> {
  const answer = await teacher.answer(task, '', { history: [], sample: 0 });
  return typeof answer === 'string' ? answer : answer.completion;
}
const answers = (teacher: Teacher<DiagramTask>): Promise<string[]> =>
  Promise.all(tasks.map((task) => answerOf(teacher, task)));
const spoilt = (replies: readonly string[]): number =>
  replies.filter((reply) => reply.startsWith('```')).length;

describe('noisyTeacher', () => {
  it('errs as often as it is told to, and the same way each time', async () => {
    const teacher = noisyTeacher(fixed, { rate: 0.3, mistakes: fence });
    const replies = await answers(teacher);
    // 60 of 200 expected; five standard deviations are 32
    expect(Math.abs(spoilt(replies) - 60)).toBeLessThan(32);
    expect(await answers(teacher)).toEqual(replies);
    expect(await answers(noisyTeacher(fixed, { rate: 0.3, mistakes: fence, seed: 1 }))).not.toEqual(replies);
  });

  it('errs never at 0 and always at 1', async () => {
    expect(spoilt(await answers(noisyTeacher(fixed, { rate: 0, mistakes: fence })))).toBe(0);
    expect(spoilt(await answers(noisyTeacher(fixed, { rate: 1, mistakes: fence })))).toBe(tasks.length);
  });

  it('spoils the answer of the teacher itself', async () => {
    const [task] = tasks as [DiagramTask];
    const right = await answerOf(scriptedTeacher(), task);
    const wrong = await answerOf(noisyTeacher(scriptedTeacher(), { rate: 1, mistakes: nearMisses }), task);
    expect(wrong).not.toBe(right);
    expect(wrong.split('"create"')).toHaveLength(right.split('"create"').length);
  });

  it('leaves what else is known of an answer as it is', async () => {
    const blocked: Teacher<DiagramTask> = {
      ...fixed,
      answer: () => Promise.resolve({ completion: '{"actions":[]}', rejection: 'finish reason MAX_TOKENS' }),
    };
    const teacher = noisyTeacher(blocked, { rate: 1, mistakes: fence });
    expect(await teacher.answer(tasks[0]!, '', { history: [], sample: 0 })).toEqual({
      completion: '```json\n{"actions":[]}\n```',
      rejection: 'finish reason MAX_TOKENS',
    });
  });

  it('passes on what is no list of actions', async () => {
    const prose: Teacher<DiagramTask> = { ...fixed, answer: () => Promise.resolve('I cannot draw.') };
    expect((await answers(noisyTeacher(prose, { rate: 1, mistakes: fence })))[0]).toBe('I cannot draw.');
  });

  it('says in its version what changes its answers', () => {
    const { name, version } = noisyTeacher(fixed, { rate: 0.3, mistakes: fence, seed: 2 });
    expect(name).toBe('noisy-fixed');
    expect(version).toBe('1 rate=0.3 mistakes=fence seed=2');
  });

  it.each([-0.1, 1.5, NaN])('refuses the rate %d', (rate) => {
    expect(() => noisyTeacher(fixed, { rate, mistakes: fence })).toThrow(/rate must be a share from 0 to 1/);
  });

  it('refuses to err without a mistake to make', () => {
    expect(() => noisyTeacher(fixed, { rate: 0.3, mistakes: {} })).toThrow(/at least one mistake/);
  });
});
