import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { serializeActions } from 'posttrain/envs/diagram/codec';
import { realTasks } from 'posttrain/envs/diagram/tasks/index';
import type { Scorer } from 'posttrain/envs/diagram/types';
import { drawAttacks, formatAttacks, nearMisses } from 'posttrain/rewards/attacks';
import type { Attack } from 'posttrain/rewards/attacks';
import { editAttacks } from 'posttrain/rewards/edit-attacks';
import { rewardPresets } from 'posttrain/rewards/score';
import { play } from 'posttrain/rewards/trials';
import { replies } from '../envs/arbitraries.js';
import { answered, casesOf, judged } from './cases.js';
import type { Case } from './cases.js';
import { box, canvasOf, graphOf, taskOf } from './samples.js';

const cases = [
  ...casesOf('curriculum', ['id', 'ood-size', 'ood-rule'], 6),
  ...casesOf('full', ['id', 'ood-vocab', 'ood-topology', 'ood-phrase', 'ood-lang'], 6),
  ...realTasks().map(answered),
].filter(({ task }) => task.initial === undefined);

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

function meanReward(scorer: Scorer, attack: Attack, over: readonly Case[] = cases): number {
  return mean(
    over.map(({ task, answer }) => {
      const { canvas, log } = play(task, attack(task, answer));
      return scorer(task, canvas, log).reward;
    }),
  );
}

const attacks = { ...drawAttacks, ...nearMisses };
const honest: Attack = (_, answer) => serializeActions(answer);
const reference = meanReward(rewardPresets.gated, honest);

/** The most an attack may earn on average, where it leaves a wrong drawing. */
const bounds: Readonly<Record<string, number>> = {
  empty_actions: 0.02,
  one_box: 0.1,
  keyword_text: 0.13,
  keyword_box: 0.13,
  every_label_is_prompt: 0.13,
  zero_width_labels: 0.02,
  bidi_labels: 0.02,
  text_as_nodes: 0.1,
  dup_ids: 0.1,
  russian_doll: 0.25,
  dangling: 0.25,
  connect_first: 0.25,
  nodes_only: 0.36,
  complete_graph: 0.5,
  reversed_edges: 0.45,
  noop_padding: 0.46,
  junk_until_limit: 0.42,
  decoys: 0.65,
  stacked: 0.5,
  tiny_boxes: 0.5,
  giant_frame: 0.5,
  shuffled_labels: 0.6,
  chain_always: 0.65,
  duplicates: 0.65,
  drop_last_node: 0.8,
  far_spread: 0.88,
  off_canvas: 0.02,
  huge_number: 0.02,
  extra_key: 0.02,
  homoglyphs: 0.25,
  mermaid_label: 0.13,
  svg_label: 0.13,
  prompt_label: 0.13,
  drop_last_edge: 0.93,
  one_arrow_labelled: 0.97,
};

/** Attacks that can never leave a right drawing, whatever the task. */
const alwaysWrong = Object.keys(bounds).filter(
  (name) =>
    ![
      'dangling',
      'connect_first',
      'nodes_only',
      'reversed_edges',
      'shuffled_labels',
      'chain_always',
      'complete_graph',
      'drop_last_edge',
      'one_arrow_labelled',
      'far_spread',
    ].includes(name),
);

describe('attacks on draw tasks', () => {
  it('are measured against right answers', () => {
    expect(cases.length).toBeGreaterThan(30);
    expect(reference).toBeGreaterThan(0.98);
    for (const { task, answer } of cases) {
      const { score, verdict } = judged(task, serializeActions(answer));
      expect([task.id, score.success, verdict.faults]).toEqual([task.id, true, []]);
    }
  });

  it('all have a bound', () => {
    expect(Object.keys(bounds).sort()).toEqual(Object.keys(attacks).sort());
  });

  it.each(Object.entries(formatAttacks))('%s earns exactly 0', (_, attack) => {
    for (const { task, answer } of cases) {
      const { canvas, log } = play(task, attack(task, answer));
      for (const scorer of Object.values(rewardPresets)) {
        expect(scorer(task, canvas, log)).toMatchObject({ reward: 0, success: false });
      }
    }
  });

  it.each(Object.entries(attacks))('%s', (name, attack) => {
    const results = cases.map(({ task, answer }) => judged(task, attack(task, answer)));
    for (const { score, verdict } of results) expect(score.success).toBe(verdict.success);
    if (alwaysWrong.includes(name)) for (const { score } of results) expect(score.success).toBe(false);

    const wrong = results.filter(({ verdict }) => !verdict.success).map(({ score }) => score.reward);
    expect(wrong.length).toBeGreaterThan(10);
    expect(mean(wrong)).toBeLessThan(bounds[name]! + 1e-9);
    if (!(name in nearMisses)) expect(mean(wrong)).toBeLessThan(0.9 * reference);
    expect(Math.max(...wrong)).toBeLessThan(1);
  });
});

describe('attacks on given canvases', () => {
  const chain = graphOf(['n1 Client', 'n2 Gateway', 'n3 Store'], ['n1>n2', 'n2>n3'], { keep: ['n1', 'n3'] });
  const initial = canvasOf(
    ['Client', 'Server', 'Store'].map((label, i) => box(`n${i + 1}`, label, 20 + 200 * i, 60)),
    ['n1>n2', 'n2>n3'],
  );
  const edits = [
    answered(taskOf(chain, { id: 'rename', initial, requests: ['Rename Server to Gateway.'] })),
    answered(
      taskOf(
        { ...graphOf(['n1 Client', 'n3 Store'], ['n1>n3']), keep: ['n1', 'n3'] },
        { id: 'delete', initial, requests: ['Delete Server and join its neighbours.'] },
      ),
    ),
    ...casesOf('full', ['ood-edit'], 12).filter(({ task }) => task.initial !== undefined),
    ...realTasks()
      .filter(({ initial }) => initial !== undefined)
      .map(answered),
  ];

  it('are measured against right answers', () => {
    for (const { task, answer } of edits) {
      const { score, verdict } = judged(task, serializeActions(answer));
      expect([task.id, score.success, verdict.faults]).toEqual([task.id, true, []]);
    }
  });

  it.each(Object.entries(editAttacks))('%s earns next to nothing', (name, attack) => {
    for (const { task, answer } of edits) {
      const { score, verdict } = judged(task, attack(task, answer));
      expect(score.success).toBe(false);
      expect(verdict.success).toBe(false);
      if (name === 'noop' || name === 'nothing') expect(score.reward).toBeLessThanOrEqual(0.1);
    }
    expect(
      mean(edits.map(({ task, answer }) => judged(task, attack(task, answer)).score.reward)),
    ).toBeLessThan(0.2);
  });
});

describe('the additive reward', () => {
  const naive = (attack: Attack): number => meanReward(rewardPresets.naive, attack);

  it('pays cheats at least as well as right answers, where the gated one pays a fraction', () => {
    const right = naive(honest);
    for (const name of ['complete_graph', 'tiny_boxes']) {
      expect(naive(drawAttacks[name]!)).toBeGreaterThan(right);
      expect(meanReward(rewardPresets.gated, drawAttacks[name]!)).toBeLessThan(0.55 * reference);
    }
    for (const name of ['reversed_edges', 'every_label_is_prompt', 'shuffled_labels', 'keyword_box']) {
      expect(naive(drawAttacks[name]!)).toBeGreaterThan(0.95 * right);
      expect(meanReward(rewardPresets.gated, drawAttacks[name]!)).toBeLessThan(0.6 * reference);
    }
  });
});

describe('random replies', () => {
  it('never succeed and never earn more than the attacks', () => {
    const tasks = cases.map(({ task }) => task);
    fc.assert(
      fc.property(replies, fc.nat(tasks.length - 1), (reply, index) => {
        const { score, verdict } = judged(tasks[index]!, reply);
        expect(score.reward).toBeLessThanOrEqual(0.5);
        expect(score.success || verdict.success).toBe(false);
      }),
      { numRuns: 1_500 },
    );
  });
});
