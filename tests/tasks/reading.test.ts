/** Reads curriculum requests back with plain regular expressions: the wanted graph must be exactly what the words say. */
import type { DiagramTask } from 'posttrain/envs/diagram/types';
import { describe, expect, it } from 'vitest';
import { sample } from './sample.js';

/** The request with every label replaced by its node's id in brackets. */
function withIds({ requests, graph }: DiagramTask): string {
  const longestFirst = [...graph.nodes].sort((a, b) => b.label.length - a.label.length);
  return longestFirst.reduce((text, { id, label }) => text.replaceAll(label, `<${id}>`), requests[0]!);
}

const ids = (text: string): string[] => [...text.matchAll(/<(n\d+)>/g)].map(([, id]) => id!);
const pairs = (from: readonly string[], to: readonly string[]): string[] =>
  from.flatMap((a) => to.map((b) => `${a}>${b}`));
const chain = (nodes: readonly string[]): string[] => nodes.slice(1).map((to, i) => `${nodes[i]}>${to}`);

/** The arrows a request tells, each `from>to`, without labels. */
const readers: Readonly<Record<string, (text: string) => string[]>> = {
  arrows: (text) => text.split(',').flatMap((part) => chain(ids(part))),
  boxes: (text) =>
    text
      .split('Arrows:')[1]!
      .split(',')
      .flatMap((part) => chain(ids(part))),
  tiers: (text) => chain(ids(text)),
  then: (text) => chain(ids(text)),
  'from-to': (text) => [...text.matchAll(/from <(n\d+)> to <(n\d+)>/g)].map(([, a, b]) => `${a}>${b}`),
  backwards: (text) => [...text.matchAll(/<(n\d+)> comes after <(n\d+)>/g)].map(([, b, a]) => `${a}>${b}`),
  connect: (text) => aroundWord(text, / to /),
  sentences: (text) => aroundWord(text, / (?:leads?|points?|goe?s?) to /),
};

/**
 * `A to B, C and D, and D to E`: before the first word stand its sources, before each later one a single source, and
 * everything in between is a target.
 */
function aroundWord(text: string, word: RegExp): string[] {
  const [first, ...others] = text.split(word).map(ids);
  let sources = first!;
  return others.flatMap((nodes, i) => {
    const isLast = i === others.length - 1;
    const arrows = pairs(sources, isLast ? nodes : nodes.slice(0, -1));
    sources = nodes.slice(-1);
    return arrows;
  });
}

describe('curriculum requests say exactly the wanted arrows', () => {
  const tasks = (['train', 'id', 'ood-size', 'ood-phrase'] as const).flatMap((split) =>
    sample('curriculum', split, 500),
  );

  it.each(Object.entries(readers))('%s', (name, read) => {
    const told = tasks.filter(({ meta }) => meta['template'] === `curriculum/${name}`);
    expect(told.length).toBeGreaterThan(60);
    for (const task of told) {
      // What follows the arrows is about decisions and wishes.
      const text = withIds(task).replace(/ <n\d+> is a decision.*$/, '');
      const wanted = task.graph.edges.map(({ from, to }) => `${from}>${to}`);
      expect(read(text), task.requests[0]).toEqual(wanted);
    }
  });

  it('are short and plain', () => {
    const words = tasks
      .filter(({ split }) => split === 'train' || split === 'id')
      .map(({ requests }) => requests[0]!.split(/\s+/).length)
      .sort((a, b) => a - b);
    expect(words.at(-1)).toBeLessThanOrEqual(45);
    expect(words[Math.floor(words.length * 0.85)]).toBeLessThanOrEqual(25);
    for (const { requests, lang } of tasks) {
      expect(lang).toBe('en');
      expect(requests[0]).toMatch(/^[\x20-\x7e]+$/);
    }
  });

  it('are told in the style of the first example a reader sees', () => {
    const example =
      /^(?:Draw |Please draw |Show )?(?:three|Three) tiers: [A-Z][^,:]*, [A-Z][^,:]*, [A-Z][^,:]*\.?$/;
    expect('Three tiers: Browser, API, Database').toMatch(example);
    expect(tasks.filter(({ requests }) => example.test(requests[0]!)).length).toBeGreaterThan(3);
  });
});
