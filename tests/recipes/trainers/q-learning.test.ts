import { describe, expect, it } from 'vitest';
import { valueIteration } from 'posttrain/tabular';
import { treasureProcess, treasureStart } from 'posttrain/envs';
import { qLearningHunt } from 'posttrain/recipes/trainers/q-learning';
import { measured, summaryText } from 'posttrain/recipes/trainers/measurements';
import { learnedAssessment, treasureMap, treasureValueMap } from 'posttrain/recipes/trainers/treasure-map';
import { meanOf, quickRun, recordOf, refuted } from './recorded.js';

describe('q-learning on the treasure hunt', () => {
  it('recorded: what was expected, except for the table of the seed that never wins', () => {
    const record = recordOf(qLearningHunt);
    expect(refuted(record)).toEqual(['as published, the table ends with 138 to 148 states, every seed']);
    const [sizes, wins] = (['states', 'greedyWins'] as const).map(
      (name) => measured(record, 'as published', name).values,
    );
    expect(sizes!.flatMap((size, seed) => (size < 138 ? wins![seed]! : []))).toEqual([0]);
  });

  it('shows the same directions in its short form', async () => {
    const results = await quickRun(qLearningHunt, [1]);
    for (const cure of ['γ = 0.9', 'paid once', 'as a potential'])
      expect(meanOf(results, cure, 'last'), cure).toBeGreaterThan(
        meanOf(results, 'as published', 'last') + 0.2,
      );
    const drops = results.curves['drops']!;
    expect(drops['as published']!.at(-1)!.y).toBeGreaterThan(drops['as published']![0]!.y);
    expect(drops['γ = 0.9']!.at(-1)!.y).toBeLessThan(drops['γ = 0.9']![0]!.y);
    expect(summaryText(qLearningHunt, results)).toContain('drop red key');
    // so few episodes that the published setting wins in no window
    expect(summaryText(qLearningHunt, results, true)).toContain('· and 3 or fewer after it: never');
  });
});

describe('treasureValueMap', () => {
  const [farming, hunting] = treasureValueMap([0.99, 0.9]).rows.map(({ panels }) => panels);
  const best = (panels: typeof farming, situation: number): Record<string, string> =>
    Object.fromEntries(panels![situation]!.places.map(({ name, action }) => [name, action]));

  it('sends the player back for the key under 0.99, and on to the treasure under 0.9', () => {
    expect(best(farming, 2)).toMatchObject({ Storage: 'drop red key', 'Guard room': 'drop red key' });
    expect(best(hunting, 2)).toEqual({
      Entrance: 'go north',
      Storage: 'go west',
      Hallway: 'go north',
      'Guard room': 'go east',
      'Treasure room': "take dragon's treasure",
    });
  });

  it('values the start as value iteration does, and rooms that cannot be reached not at all', () => {
    const process = treasureProcess();
    const values = valueIteration(process, { gamma: 0.99 });
    const [start] = farming!;
    expect(start!.places.find(({ name }) => name === 'Entrance')!.value).toBe(
      values.get(process.key(process.start)),
    );
    expect(start!.places.filter(({ value }) => value === null).map(({ name }) => name)).toEqual([
      'Guard room',
      'Treasure room',
    ]);
  });
});

describe('treasureMap', () => {
  it('shows the best of what was learned, and nothing where nothing was', () => {
    const hunt = treasureProcess();
    const actions = hunt.actions(treasureStart);
    const row = { actions, values: actions.map((_, i) => i) };
    // the treasure room looks the same with the guard beaten, but from the start it is out of reach
    const table = new Map(
      [treasureStart, { ...treasureStart, room: 'treasure_room' as const }].map((state) => [
        hunt.observe(state),
        row,
      ]),
    );
    const { rows } = treasureMap({
      title: 'Learned',
      description: 'One room was seen.',
      rows: [{ title: 'now', assess: learnedAssessment(table) }],
    });
    const [entrance, ...others] = rows[0]!.panels[0]!.places;
    expect(entrance).toMatchObject({ value: actions.length - 1, action: actions.at(-1) });
    expect(others.map(({ value }) => value)).toEqual([null, null, null, null]);
  });
});
