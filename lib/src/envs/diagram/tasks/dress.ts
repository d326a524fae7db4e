/** Gives a skeleton its words. */
import type { RandomStream } from '../../../tensor/random.js';
import type { Direction, Rules } from '../types.js';
import { hasCycle, isDecision, type Language, type Role, type Scene, type SceneEdge } from './scene.js';
import type { LabelSource, Skeleton } from './skeletons/types.js';
import {
  choices,
  events,
  exits,
  failures,
  groupNames,
  repeats,
  terminals,
  type Choice,
} from './vocabulary/common.js';
import type { Domain, Wording } from './vocabulary/index.js';

export interface Dressing {
  readonly family: string;
  readonly domain: Domain;
  readonly lang: Language;
  readonly rules: Rules;
  /** Taken only when the arrows have no cycle. */
  readonly direction?: Direction;
  /** Which words are allowed as labels. */
  readonly allow: (label: string) => boolean;
}

/** A scene with all labels chosen; no two shapes have the same label. */
export function dress(skeleton: Skeleton, dressing: Dressing, random: RandomStream): Scene {
  const { family, domain, lang, rules, direction } = dressing;
  const choice = random.pick<Choice>(choices[lang]);
  const labels = nodeLabels(skeleton, dressing, choice, random);
  const names = random.shuffle(groupNames[lang]);
  return {
    family,
    topology: skeleton.topology,
    lang,
    domain: domain.name,
    nodes: skeleton.nodes.map((node, i) => {
      const shape = isDecision(node) ? rules.decisionShape : node.shape;
      return { role: node.role, label: labels[i]!, ...(shape && { shape }) };
    }),
    edges: edgeLabels(skeleton, domain[lang], lang, choice, random),
    groups: (skeleton.groups ?? []).map((group, i) => ({ label: names[i]!, ...group })),
    ...(direction && !hasCycle(skeleton.nodes.length, skeleton.edges) && { direction }),
    ...(skeleton.undirected && { undirected: true }),
    ...(skeleton.overlaps && { overlaps: skeleton.overlaps }),
  };
}

function nodeLabels(
  skeleton: Skeleton,
  { domain, lang, allow }: Dressing,
  choice: Choice,
  random: RandomStream,
): readonly string[] {
  const words = domain[lang];
  const pools: Record<Role, string[]> = {
    thing: random.shuffle(words.nouns.filter(allow)),
    step: random.shuffle(words.steps.filter(allow)),
    state: random.shuffle(words.states.filter(allow)),
    decision: random.shuffle(words.questions.filter(allow)),
    choice: [choice.question],
    start: [terminals[lang].start],
    end: [terminals[lang].end],
  };
  return skeleton.nodes.map(({ role }) => {
    const label = pools[role].pop();
    if (label === undefined)
      throw new RangeError(`no ${role} word is left for ${skeleton.topology} in ${domain.name}`);
    return label;
  });
}

/** Chance that a relation repeats the one before: telling equal labels apart is part of the task. */
const REPEATED_RELATION = 0.15;

function edgeLabels(
  skeleton: Skeleton,
  words: Wording,
  lang: Language,
  choice: Choice,
  random: RandomStream,
): readonly SceneEdge[] {
  const [yes, no] = random.pick(exits[lang]);
  const answers = [...choice.answers];
  const relations = random.shuffle(words.verbs);
  const triggers = random.shuffle(events[lang]);
  let relation = relations.pop();
  const draw: Record<LabelSource, () => string | undefined> = {
    yes: () => yes,
    no: () => no,
    failure: () => random.pick(failures[lang]),
    again: () => random.pick(repeats[lang]),
    choice: () => answers.shift(),
    event: () => triggers.pop(),
    relation: () => {
      if (random.uniform() >= REPEATED_RELATION) relation = relations.pop();
      return relation;
    },
  };
  return skeleton.edges.map(({ from, to, label: source }) => {
    if (source === undefined) return { from, to };
    const label = draw[source]();
    if (label === undefined) throw new RangeError(`no ${source} label is left for ${skeleton.topology}`);
    return { from, to, label };
  });
}
