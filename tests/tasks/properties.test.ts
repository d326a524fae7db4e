import { isTextAllowed } from './text-rule.js';
import { lint } from 'posttrain/envs/diagram/lint';
import { curriculumSplits, fullSplits, type Profile, type Split } from 'posttrain/envs/diagram/tasks/index';
import type { DiagramTask } from 'posttrain/envs/diagram/types';
import { describe, expect, it } from 'vitest';
import { sample } from './sample.js';

const COUNT = 200;

const cases: readonly (readonly [Profile, Split])[] = [
  ...fullSplits.map((split) => ['full', split] as const),
  ...curriculumSplits.map((split) => ['curriculum', split] as const),
];

/** Every task for which `holds` is false, as a readable list; empty when the property holds. */
function violations(tasks: readonly DiagramTask[], holds: (task: DiagramTask) => boolean): string[] {
  return tasks.filter((task) => !holds(task)).map(({ id, requests }) => `${id}: ${requests.join(' || ')}`);
}

function isConnected({ nodes, edges }: DiagramTask['graph']): boolean {
  const reached = new Set(nodes.slice(0, 1).map(({ id }) => id));
  for (let round = 0; round < nodes.length; round++)
    for (const { from, to } of edges) if (reached.has(from) || reached.has(to)) reached.add(from).add(to);
  return reached.size === nodes.length;
}

function isAcyclic({ nodes, edges }: DiagramTask['graph']): boolean {
  let rest = nodes.map(({ id }) => id);
  for (;;) {
    const sources = rest.filter((id) => !edges.some(({ from, to }) => to === id && rest.includes(from)));
    if (sources.length === 0) return rest.length === 0;
    rest = rest.filter((id) => !sources.includes(id));
  }
}

describe.each(cases)('%s/%s', (profile, split) => {
  const tasks = sample(profile, split, COUNT);
  const holds = (property: (task: DiagramTask) => boolean): void =>
    expect(violations(tasks, property)).toEqual([]);

  it('names every label in the request, or shows it on the starting canvas', () => {
    holds(({ requests, graph, initial }) => {
      const seen = [...requests, ...(initial?.shapes.map(({ text }) => text) ?? [])].join('\n');
      const edges = initial ? [] : graph.edges.flatMap(({ label }) => (label === undefined ? [] : [label]));
      return [...graph.nodes, ...graph.groups]
        .map(({ label }) => label)
        .concat(edges)
        .every((label) => seen.includes(label));
    });
  });

  it('wants a well-formed graph: unique ids and labels, known ends, no arrow twice', () => {
    holds(({ graph }) => {
      const shapes = [...graph.nodes, ...graph.groups];
      const ids = new Set(shapes.map(({ id }) => id));
      const labels = new Set(shapes.map(({ label }) => label.toLowerCase()));
      const arrows = new Set(graph.edges.map(({ from, to, label }) => `${from}>${to}:${label}`));
      return (
        ids.size === shapes.length &&
        labels.size === shapes.length &&
        arrows.size === graph.edges.length &&
        graph.edges.every(({ from, to }) => ids.has(from) && ids.has(to)) &&
        graph.groups.every(({ members }) => members.length > 0 && members.every((member) => ids.has(member)))
      );
    });
  });

  it('uses only labels that a shape may have', () => {
    holds(({ graph }) => [...graph.nodes, ...graph.groups].every(({ label }) => isTextAllowed(label)));
  });

  it('is connected, but for loose shapes and what a deletion leaves', () => {
    holds(
      ({ graph, kind, meta }) =>
        isConnected(graph) || kind === 'edit' || ['shapes', 'venn'].includes(String(meta['topology'])),
    );
  });

  it('gives a direction only to graphs without cycles', () => {
    holds(({ graph }) => !graph.direction || isAcyclic(graph));
  });

  it('numbers nodes of an empty canvas in the order of first mention', () => {
    // A label inside a longer one would be found too early, so only tasks without such pairs are looked at; nor does
    // Chinese show where a word ends.
    holds(({ graph, requests, initial, lang }) => {
      const labels = graph.nodes.map(({ label }) => label);
      const words = [
        ...labels,
        ...graph.groups.map(({ label }) => label),
        ...graph.edges.map(({ label }) => label ?? ''),
      ];
      const isClear = labels.every((label) => words.filter((word) => word.includes(label)).length === 1);
      if (initial || lang === 'zh' || !isClear) return true;
      const text = requests.join('\n');
      const places = labels.map((label) => text.indexOf(label));
      const isSure = labels.every((label) => text.split(label).length >= 2);
      return (
        isSure &&
        graph.nodes.every(({ id }, i) => id === `n${i + 1}`) &&
        places.every((at, i) => i === 0 || at > places[i - 1]!)
      );
    });
  });

  it('has the size that the split promises', () => {
    const [low, high] =
      split === 'ood-size' ? (profile === 'full' ? [7, 10] : [6, 7]) : profile === 'full' ? [2, 7] : [3, 5];
    holds(({ graph }) => graph.nodes.length >= low && graph.nodes.length <= high);
  });

  it('is planar and says how hard it is', () => {
    holds(
      ({ meta, graph }) =>
        meta['planar'] === true && meta['nodes'] === graph.nodes.length && Number(meta['longestLabel']) > 0,
    );
  });

  it('leaves what it denies out of the graph', () => {
    const denial =
      /(?:There is no|We do not need|Leave out|Do not draw|No) (.+?)(?: yet)?\.(?: |$|\n)|(?:暂时没有|不需要|不要画|先不考虑) ?(.+?)。/gi;
    holds(({ requests, graph }) =>
      requests.every((request) =>
        [...request.matchAll(denial)].every(
          ([, en, zh]) => !graph.nodes.some(({ label }) => label === (en ?? zh)),
        ),
      ),
    );
  });

  it('starts edits and repairs from a canvas on which what must stay can stay', () => {
    holds(({ kind, initial, graph }) => {
      if (kind !== 'edit' && kind !== 'repair') return initial === undefined;
      const kept = initial!.shapes.filter(({ id }) => graph.keep!.includes(id));
      const ids = new Set(kept.map(({ id }) => id));
      const edges = graph.edges
        .filter(({ from, to }) => ids.has(from) && ids.has(to))
        .map(({ from, to, label = '' }) => ({ from, to, label }));
      const canvas = { ...initial!, shapes: kept, edges };
      const hard = ['W_OVERLAP', 'W_TEXT_FIT', 'W_THROUGH', 'W_EDGE_LABEL'];
      return (
        kept.length === graph.keep!.length &&
        kept.every(({ id, text }) => graph.nodes.some((node) => node.id === id && node.label === text)) &&
        lint(canvas).every(({ code }) => !hard.includes(code))
      );
    });
  });
});

describe('repairs', () => {
  it('start from a canvas that differs from what is wanted', () => {
    const repairs = sample('full', 'ood-edit', COUNT).filter(({ kind }) => kind === 'repair');
    expect(repairs.length).toBeGreaterThan(50);
    for (const { initial, graph, id } of repairs) {
      const drawn = [
        ...initial!.shapes.map(({ id: node, text }) => `${node}=${text}`),
        ...initial!.edges.map(({ from, to, label }) => `${from}>${to}:${label}`),
      ];
      const wanted = [
        ...graph.nodes.map(({ id: node, label }) => `${node}=${label}`),
        ...graph.edges.map(({ from, to, label = '' }) => `${from}>${to}:${label}`),
      ];
      expect(drawn.sort().join('\n'), id).not.toBe(wanted.sort().join('\n'));
    }
  });
});
