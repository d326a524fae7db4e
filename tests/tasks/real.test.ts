import { readFileSync } from 'node:fs';
import { realTasks, splitSizes } from 'posttrain/envs/diagram/tasks/index';
import { realPrompts } from 'posttrain/envs/diagram/tasks/real/prompts';
import { describe, expect, it } from 'vitest';

describe('the real prompts', () => {
  const tasks = realTasks();
  const byId = new Map(tasks.map((task) => [task.id, task]));

  it('are those of the data file', () => {
    const file = new URL('../../data/diagram/real-prompts.json', import.meta.url);
    expect(realPrompts).toEqual(JSON.parse(readFileSync(file, 'utf8')));
    expect(tasks.length).toBe(splitSizes.real);
  });

  it('become tasks with well-formed graphs', () => {
    for (const { graph, requests, initial, split } of tasks) {
      const ids = new Set([...graph.nodes, ...graph.groups].map(({ id }) => id));
      expect(split).toBe('real');
      expect(graph.edges.every(({ from, to }) => ids.has(from) && ids.has(to))).toBe(true);
      expect(graph.groups.every(({ members }) => members.every((member) => ids.has(member)))).toBe(true);
      const seen = requests.concat(initial?.shapes.map(({ text }) => text) ?? []).join('\n');
      for (const { label } of graph.nodes) expect(seen).toContain(label);
    }
  });

  it('keep directions, groups, lines and starting canvases', () => {
    expect(byId.get('P02')!.graph.direction).toBe('TB');
    expect(byId.get('P03')!.graph.undirected).toBe(true);
    expect(byId.get('P15')!.graph.groups).toEqual([{ id: 'g', label: '实例', members: ['fe', 'be'] }]);
    const edit = byId.get('P22')!;
    expect(edit.kind).toBe('edit');
    expect(edit.graph.keep).toEqual(['w', 'a', 'k', 'd']);
    expect(edit.initial!.shapes[2]).toEqual({
      id: 'q',
      shape: 'rectangle',
      x: 500,
      y: 60,
      width: 140,
      height: 60,
      text: '队列',
    });
    expect(edit.initial!.edges).toContainEqual({ from: 'q', to: 'k', label: '' });
  });
});
