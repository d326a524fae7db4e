/** Gives a skeleton its words. */
import type { RandomStream } from '../../../tensor/random.js';
import type { Direction, Rules } from '../types.js';
import { hasCycle, type Language, type Role, type Scene, type SceneEdge } from './scene.js';
import type { Skeleton, SkeletonEdge } from './skeletons/types.js';
import { exits, events, failures, groupNames, repeats, terminals } from './vocabulary/common.js';
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

/** A scene with all labels chosen; no two shapes have the same label, whatever the case. */
export function dress(skeleton: Skeleton, dressing: Dressing, random: RandomStream): Scene {
  const { family, domain, lang, rules, direction } = dressing;
  const words = domain[lang];
  const labels = nodeLabels(skeleton, words, dressing, random);
  const groups = (skeleton.groups ?? []).map((group, i) => ({ ...group, index: i }));
  const names = random.shuffle(groupNames[lang]).filter((name) => !labels.includes(name));
  return {
    family,
    topology: skeleton.topology,
    lang,
    domain: domain.name,
    nodes: skeleton.nodes.map(({ role, shape }, i) => {
      const wanted = role === 'decision' ? rules.decisionShape : shape;
      return { role, label: labels[i]!, ...(wanted && { shape: wanted }) };
    }),
    edges: edgeLabels(skeleton, words, lang, random),
    groups: groups.map(({ members, inner, index }) => ({ label: names[index]!, members, inner })),
    ...(direction && !hasCycle(skeleton.nodes.length, skeleton.edges) && { direction }),
    ...(skeleton.undirected && { undirected: true }),
    ...(skeleton.overlaps && { overlaps: skeleton.overlaps }),
  };
}

function nodeLabels(
  skeleton: Skeleton,
  words: Wording,
  { lang, allow }: Dressing,
  random: RandomStream,
): readonly string[] {
  const pools: Record<Role, readonly string[]> = {
    thing: random.shuffle(words.nouns.filter(allow)),
    step: random.shuffle(words.steps.filter(allow)),
    state: random.shuffle(words.states.filter(allow)),
    decision: random.shuffle(words.questions.filter(allow)),
    start: [terminals[lang].start],
    end: [terminals[lang].end],
  };
  const used: Record<Role, number> = { thing: 0, step: 0, state: 0, decision: 0, start: 0, end: 0 };
  return skeleton.nodes.map(({ role }) => {
    const label = pools[role][used[role]++];
    if (label === undefined) throw new RangeError(`no ${role} word left for a graph of ${skeleton.nodes.length} nodes`);
    return label;
  });
}

function edgeLabels(skeleton: Skeleton, words: Wording, lang: Language, random: RandomStream): SceneEdge[] {
  const [yes, no] = random.pick(exits[lang]);
  const relations = random.shuffle(words.verbs);
  const triggers = random.shuffle(events[lang]);
  const choices = random.shuffle(random.pick(repeats[lang].choices));
  const failure = random.pick(failures[lang]);
  const again = random.pick(repeats[lang].again);
  const next = { relation: 0, event: 0, choice: 0 };
  const draw = ({ label }: SkeletonEdge): string | undefined => {
    switch (label) {
      case undefined:
        return undefined;
      case 'yes':
        return yes;
      case 'no':
        return no;
      case 'failure':
        return failure;
      case 'again':
        return again;
      case 'choice':
        return choices[next.choice++];
      case 'event':
        return triggers[next.event++ % triggers.length];
      case 'relation':
        // Repeated relations are part of the task: two arrows may say the same.
        return next.relation > 0 && random.uniform() < 0.15
          ? relations[next.relation - 1]
          : relations[next.relation++ % relations.length];
    }
  };
  return skeleton.edges.map((edge) => {
    const label = draw(edge);
    return { from: edge.from, to: edge.to, ...(label !== undefined && { label }) };
  });
}
