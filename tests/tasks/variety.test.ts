/** What is said to vary does vary, in the shares that are said. */
import { fullSplits, generateTask } from 'posttrain/envs/diagram/tasks/index';
import { chance, enumerate } from 'posttrain/envs/diagram/tasks/phrases';
import { changedRules } from 'posttrain/envs/diagram/tasks/rules';
import { randomStream } from 'posttrain/tensor/random';
import { commonDomains, heldOutDomains } from 'posttrain/envs/diagram/tasks/vocabulary/index';
import { list } from 'posttrain/envs/diagram/tasks/vocabulary/types';
import type { DiagramTask } from 'posttrain/envs/diagram/types';
import { describe, expect, it } from 'vitest';
import { sample } from './sample.js';

const share = (tasks: readonly DiagramTask[], holds: (task: DiagramTask) => boolean): number =>
  tasks.filter(holds).length / tasks.length;
const values = (tasks: readonly DiagramTask[], of: (task: DiagramTask) => unknown): Set<unknown> =>
  new Set(tasks.map(of));

describe('vocabulary', () => {
  it.each([...commonDomains, ...heldOutDomains])('$name has the promised words', ({ en, zh }) => {
    for (const words of [en, zh]) {
      expect(words.nouns.length).toBeGreaterThanOrEqual(40);
      expect(words.verbs.length).toBe(15);
      expect(words.questions.length).toBe(10);
      for (const kind of [words.nouns, words.steps, words.states, words.verbs, words.questions]) {
        expect(new Set(kind.map((word) => word.toLowerCase())).size).toBe(kind.length);
        for (const word of kind) expect(word).toMatch(/^[^,、，\s][^,、，\n]*$/);
      }
      const [second, first] = words.alias;
      expect(words.nouns).toContain(first);
      expect(words.nouns).not.toContain(second);
      expect(
        words.nouns.some((noun) => /\d/.test(noun)),
        'a digit',
      ).toBe(true);
      expect(
        words.nouns.some((noun) => /[()[\]:]/.test(noun)),
        'punctuation',
      ).toBe(true);
      const isNearDuplicate = (noun: string): boolean =>
        words.nouns.some((other) => other !== noun && other.includes(noun));
      expect(words.nouns.some(isNearDuplicate), 'near-duplicates').toBe(true);
    }
    expect(en.nouns.some((noun) => noun.includes(' '))).toBe(true);
  });

  it('splits lists of both languages', () => {
    expect(list(' A, B c,\n  D ')).toEqual(['A', 'B c', 'D']);
    expect(list('甲、乙丙')).toEqual(['甲', '乙丙']);
  });
});

describe('the full profile', () => {
  const train = sample('full', 'train', 2_000);
  const drawn = train.filter(({ kind }) => kind === 'draw');

  it('covers families, domains, templates and episode kinds', () => {
    const families = [
      'pipeline',
      'flowchart',
      'architecture',
      'tree',
      'mindmap',
      'state',
      'entity',
      'groups',
    ];
    expect(values(drawn, ({ family }) => family)).toEqual(new Set(families));
    expect(values(train, ({ meta }) => meta['domain']).size).toBe(9);
    expect(values(train, ({ kind }) => kind)).toEqual(
      new Set(['draw', 'draw-review', 'edit', 'repair', 'build-up']),
    );
    const told = sample('full', 'ood-phrase', 600).concat(drawn, sample('full', 'ood-lang', 300));
    for (const family of families)
      for (const lang of ['en', 'zh'])
        expect(
          values(told, ({ meta }) => meta['template']),
          `${lang}/${family}`,
        ).toSatisfy(
          (templates: Set<string>) =>
            [...templates].filter((id) => id.startsWith(`${lang}/${family}/`)).length >=
            (lang === 'en' ? 8 : 6),
        );
  });

  it('holds to its shares of distractors, shuffled order, pronouns and Chinese', () => {
    expect(share(drawn, ({ meta }) => Number(meta['distractorWords']) > 0)).toBeCloseTo(0.4, 1);
    expect(share(drawn, ({ meta }) => meta['shuffled'] === true)).toBeCloseTo(0.3, 1);
    expect(share(drawn, ({ meta }) => meta['coreference'] === true)).toBeCloseTo(0.2, 1);
    expect(share(train, ({ lang }) => lang === 'zh')).toBeLessThan(0.1);
  });

  it('has the held-out topologies and families in ood-topology', () => {
    const tasks = sample('full', 'ood-topology', 300);
    expect(values(tasks, ({ meta }) => meta['topology'])).toEqual(
      new Set([
        'nested-merge',
        'two-way',
        'self-loops',
        'bipartite',
        'conversation',
        'shapes',
        'lines',
        'venn',
      ]),
    );
    expect(values(tasks, ({ family }) => family)).toEqual(
      new Set(['flowchart', 'state', 'architecture', 'interaction', 'basic']),
    );
  });

  it('writes Chinese with full-width punctuation', () => {
    for (const { requests } of sample('full', 'ood-lang', 300)) {
      const text = requests.join('');
      expect(text).toMatch(/[。，：；、]/);
      // Half-width marks occur in labels and arrows only, never after a Chinese character.
      expect(text).not.toMatch(/\p{Script=Han}[,.;:?!]/u);
    }
  });

  it('changes every kind of rule in ood-rule', () => {
    expect(values(sample('full', 'ood-rule', 300), ({ meta }) => meta['rules'])).toEqual(
      new Set(['R1-direction', 'R1-decision', 'R1-canvas', 'R1-gap', 'R1-grid']),
    );
  });

  it('repairs and edits in every way', () => {
    const what = (tasks: readonly DiagramTask[]): Set<unknown> =>
      new Set(tasks.flatMap(({ meta }) => String(meta['change'] ?? meta['faults'] ?? '').split('+')));
    expect(what(train)).toEqual(
      new Set(['', 'rename', 'add', 'insert', 'connect', 'rewire', 'overlap', 'missing-edge', 'wrong-label']),
    );
    for (const kind of ['delete', 'bypass', 'move', 'reversed-edge', 'long-text', 'duplicate-node'])
      expect(what(sample('full', 'ood-edit', 200))).toContain(kind);
  });

  it('builds up in two or three messages', () => {
    const tasks = train.filter(({ kind }) => kind === 'build-up');
    expect(values(tasks, ({ requests }) => requests.length)).toEqual(new Set([2, 3]));
    for (const { requests, graph } of tasks)
      for (const request of requests)
        expect(
          graph.nodes.some(({ label }) => request.includes(label)),
          request,
        ).toBe(true);
  });

  it('hints at synonyms in evaluation only', () => {
    const hinted = ({ meta }: DiagramTask): boolean => meta['alias'] !== undefined;
    expect(train.some(hinted)).toBe(false);
    expect(sample('full', 'ood-vocab', 300).some(hinted)).toBe(true);
  });
});

describe('the curriculum profile', () => {
  const train = sample('curriculum', 'train', 3_000);

  it('is diverse: requests and label sets hardly ever repeat', () => {
    expect(values(train, ({ requests }) => requests[0]).size).toBeGreaterThan(2_970);
    expect(
      values(train, ({ graph }) =>
        graph.nodes
          .map(({ label }) => label)
          .sort()
          .join(),
      ).size,
    ).toBeGreaterThan(2_900);
    const labels = train.flatMap(({ graph }) => graph.nodes.map(({ label }) => label));
    expect(new Set(labels).size).toBeGreaterThan(9 * 40);
    expect(values(train, ({ meta }) => meta['domain']).size).toBe(9);
  });

  it('draws few decisions and flows down in a fifth of the tasks', () => {
    expect(share(train, ({ family }) => family === 'flowchart')).toBeLessThan(0.08);
    expect(share(train, ({ graph }) => graph.direction === 'TB')).toBeCloseTo(0.2, 1);
    expect(values(train, ({ family }) => family)).toEqual(
      new Set(['pipeline', 'tree', 'architecture', 'flowchart']),
    );
  });
});

describe('generateTask', () => {
  it('gives the same task at the same address, alone or in any order', () => {
    for (const split of fullSplits) {
      const late = generateTask({ seed: 1, split, index: 17 });
      expect(sample('full', split, 18)[17]).toEqual(late);
    }
    expect(generateTask({ seed: 2, split: 'train', index: 17 })).not.toEqual(
      generateTask({ seed: 1, split: 'train', index: 17 }),
    );
  });

  it('refuses splits and profiles it does not have', () => {
    expect(() => generateTask({ seed: 1, split: 'real', index: 0 })).toThrow(/realTasks/);
    expect(() => generateTask({ seed: 1, split: 'ood-lang', index: 0, profile: 'curriculum' })).toThrow(
      /ood-lang.*full profile/,
    );
    expect(() => generateTask({ seed: 1, split: 'toString' as 'train', index: 0 })).toThrow(
      /unknown split "toString"/,
    );
    expect(() => generateTask({ seed: 1, split: 'train', index: 0, profile: 'easy' as 'full' })).toThrow(
      /unknown profile "easy"/,
    );
    expect(() => generateTask({ seed: -1, split: 'train', index: 0 })).toThrow(/seed/);
  });
});

describe('small parts', () => {
  it('enumerates', () => {
    expect(enumerate(['A'])).toBe('A');
    expect(enumerate(['A', 'B', 'C'])).toBe('A, B and C');
    expect(enumerate(['甲', '乙', '丙'], 'zh')).toBe('甲、乙和丙');
  });

  it('never changes a direction into one that training knows', () => {
    for (let index = 0; index < 200; index++) {
      const { name, direction } = changedRules(
        'LR',
        ['LR', 'TB'],
        chance(randomStream(9, 'coin', 0, index), 0.5),
        randomStream(9, 'rules', 0, index),
      );
      if (name === 'R1-direction') expect(['RL', 'BT']).toContain(direction);
      else expect(direction).toBe('LR');
    }
  });
});
