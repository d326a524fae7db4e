/** Nothing that training shows may turn up in evaluation: compared over the nominal sizes of the splits. */
import { graphKey, shapeKey, textKey } from 'posttrain/envs/diagram/tasks/canon';
import { commonDomains, heldOutDomains } from 'posttrain/envs/diagram/tasks/vocabulary/index';
import {
  curriculumSplits,
  fullSplits,
  splitSizes,
  type Profile,
  type Split,
} from 'posttrain/envs/diagram/tasks/index';
import type { DiagramTask } from 'posttrain/envs/diagram/types';
import { beforeAll, describe, expect, it } from 'vitest';
import { prepare, sample } from './sample.js';

/** Training has 20,000 tasks; the first 5,000 keep the test short. Admission depends on the graph, not on the sample. */
const TRAIN = 5_000;

/** How many tasks of a split are looked at. */
function sizeOf(split: Split): number {
  return split === 'train' ? TRAIN : splitSizes[split];
}

/** Evaluation is drawn with another seed as well: a split must be safe whatever the seeds. */
const OTHER_SEED = 2;
const OTHER_COUNT = 200;

function keys(profile: Profile, split: Split, keyOf: (task: DiagramTask) => string): Set<string> {
  const tasks = [
    ...sample(profile, split, sizeOf(split)),
    ...sample(profile, split, OTHER_COUNT, OTHER_SEED),
  ];
  return new Set(tasks.map(keyOf));
}

beforeAll(async () => {
  for (const [profile, splits] of Object.entries({ full: fullSplits, curriculum: curriculumSplits }))
    for (const split of splits) {
      await prepare(profile as Profile, split, sizeOf(split));
      await prepare(profile as Profile, split, OTHER_COUNT, OTHER_SEED);
    }
}, 300_000);

function shared(a: ReadonlySet<string>, b: ReadonlySet<string>): string[] {
  return [...a].filter((key) => b.has(key));
}

const request = ({ requests }: DiagramTask): string => textKey(requests.join('\n'));
const template = ({ meta }: DiagramTask): string => String(meta['template']);
const domain = ({ meta }: DiagramTask): string => String(meta['domain']);

const pairs = <T>(items: readonly T[]): (readonly [T, T])[] =>
  items.flatMap((a, i) => items.slice(i + 1).map((b) => [a, b] as const));

describe.each([
  ['full', fullSplits],
  ['curriculum', curriculumSplits],
] as const)('%s', (profile, splits) => {
  it.each(pairs<Split>(splits))('%s and %s share no labelled graph and no request', (a, b) => {
    expect(
      shared(
        keys(profile, a, ({ graph }) => graphKey(graph)),
        keys(profile, b, ({ graph }) => graphKey(graph)),
      ),
    ).toEqual([]);
    expect(shared(keys(profile, a, request), keys(profile, b, request))).toEqual([]);
  });

  it('ood-phrase shares no template with training', () => {
    expect(shared(keys(profile, 'ood-phrase', template), keys(profile, 'train', template))).toEqual([]);
  });

  it('ood-vocab shares no domain with any other split', () => {
    for (const split of splits.filter((other) => other !== 'ood-vocab'))
      expect(shared(keys(profile, 'ood-vocab', domain), keys(profile, split, domain))).toEqual([]);
  });

  it('changed rules appear in ood-rule only', () => {
    const rules = ({ rules: stated, graph }: DiagramTask): string =>
      JSON.stringify([stated, graph.direction ?? 'none']);
    const trained = keys(profile, 'train', rules);
    const isChanged = (task: DiagramTask): boolean =>
      !trained.has(rules(task)) ||
      (task.family === 'tree' ? task.graph.direction !== 'TB' : task.graph.direction === 'TB');
    expect(sample(profile, 'ood-rule', splitSizes['ood-rule']).filter((task) => !isChanged(task))).toEqual(
      [],
    );
  });
});

describe('full', () => {
  it('ood-topology has no graph that any other split has, up to isomorphism', () => {
    const shape = ({ graph }: DiagramTask): string => shapeKey(graph);
    const heldOut = keys('full', 'ood-topology', shape);
    expect(heldOut.size).toBeGreaterThan(15);
    for (const split of fullSplits.filter((other) => other !== 'ood-topology'))
      expect(shared(heldOut, keys('full', split, shape)), split).toEqual([]);
  });

  it('ood-edit has changes and faults that training has not', () => {
    const what = ({ meta }: DiagramTask): string => String(meta['change'] ?? meta['faults']);
    expect(shared(keys('full', 'ood-edit', what), keys('full', 'train', what))).toEqual([]);
  });
});

describe('across profiles', () => {
  it('the curriculum trains on no graph that the full profile evaluates', () => {
    const trained = keys('curriculum', 'train', ({ graph }) => graphKey(graph));
    for (const split of fullSplits.slice(1))
      expect(
        shared(
          trained,
          keys('full', split, ({ graph }) => graphKey(graph)),
        ),
      ).toEqual([]);
  });
});

describe('vocabulary', () => {
  it('held-out domains have no node label of the other domains', () => {
    const labels = (domains: typeof commonDomains): Set<string> =>
      new Set(
        domains.flatMap(({ en, zh }) =>
          [en, zh].flatMap(({ nouns, steps, states, questions }) => [
            ...nouns,
            ...steps,
            ...states,
            ...questions,
          ]),
        ),
      );
    expect(shared(labels(heldOutDomains), labels(commonDomains))).toEqual([]);
  });
});
