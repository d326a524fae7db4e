/** Failures of rewards and their parsers that users of other libraries reported, each as a test. */
import { describe, expect, it } from 'vitest';
import { serializeActions } from 'posttrain/envs/diagram/codec';
import { parseActions } from 'posttrain/envs/diagram/parse';
import { rewardPresets, scoreDiagram } from 'posttrain/rewards/score';
import { play } from 'posttrain/rewards/trials';
import { judgeEpisodes } from 'posttrain/rollout/reward-function';
import { box } from '../envs/build.js';
import { canvasOf, cleanLog, graphOf, row, taskOf } from './samples.js';

const task = taskOf(graphOf(['n1 A']));
const reply = serializeActions([box('n1', [0, 0, 100, 60], 'A')]);
const scored = (text: string): number => {
  const { canvas, log } = play(task, text);
  return scoreDiagram(task, canvas, log).reward;
};

describe('a malformed reply (E2)', () => {
  it.each<[string, string]>([
    ['never closed', reply.slice(0, -1)],
    ['said twice', reply + reply],
    ['closed before it is opened', `]}${reply.slice(0, -2)}`],
    ['text around it', `answer: ${reply}`],
  ])('%s earns nothing, for what reads a reply is what judges its form', (_, text) => {
    expect(parseActions(text).ok).toBe(false);
    expect(scored(text)).toBe(0);
  });

  it('and the same reply without the flaw earns 1', () => {
    expect(parseActions(reply).ok).toBe(true);
    expect(scored(reply)).toBeCloseTo(1, 10);
  });
});

it('a reward function that judges nothing is an error, not a reward of 0 (E3)', async () => {
  const episode = { taskId: 'x', reward: 0, metrics: {}, trajectories: [] } as never;
  const groups = [{ task, groupId: '0', episodes: [episode] }];
  await expect(judgeEpisodes(groups, async () => [])).rejects.toThrow(/task x the reward undefined/);
});

it('form alone, however good, earns less than a tenth more than nothing; a bad form that is right earns nothing (E4, E7)', () => {
  const { gated, naive } = rewardPresets;
  const rowTask = taskOf(row.graph);
  const wellFormedAndWrong = gated(rowTask, canvasOf([]), cleanLog).reward;
  const right = gated(rowTask, canvasOf(row.shapes, row.arrows), cleanLog).reward;
  expect(wellFormedAndWrong).toBeLessThanOrEqual(0.1);
  expect(right - wellFormedAndWrong).toBeGreaterThan(wellFormedAndWrong);
  const unreadable = { ...cleanLog, parsed: false };
  expect(gated(rowTask, canvasOf(row.shapes, row.arrows), unreadable).reward).toBe(0);
  // the textbook reward, which ships to be gamed, pays 0.4 for form
  expect(naive(rowTask, canvasOf([]), cleanLog).reward).toBeGreaterThan(0.3);
});
