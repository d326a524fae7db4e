/**
 * The easy profile: small graphs without cycles, told in one short English sentence. A model of a million parameters
 * can learn it in minutes, and still has to read every label and every arrow.
 */
import type { RandomStream } from '../../../tensor/random.js';
import { capitalised, chance, enumerate, numeral } from './phrases.js';
import { isDecision, mention, type Scene, type SceneEdge, type Telling } from './scene.js';
import { chain, fan, fork, gather, stem, tree } from './skeletons/plain.js';
import type { SkeletonMaker } from './skeletons/types.js';
import { compact, edgesOf, separate, type Statement } from './statements.js';

interface Kind {
  readonly family: string;
  readonly weight: number;
  readonly sizes: readonly [number, number];
  readonly make: SkeletonMaker;
}

/** `sizes` of the harder split `ood-size` begin after the last one here. */
const kinds: readonly Kind[] = [
  { family: 'pipeline', weight: 4, sizes: [3, 5], make: chain('thing') },
  { family: 'pipeline', weight: 3, sizes: [3, 5], make: chain('step') },
  { family: 'tree', weight: 4, sizes: [3, 5], make: fan },
  { family: 'tree', weight: 2, sizes: [4, 5], make: tree },
  { family: 'architecture', weight: 3, sizes: [4, 5], make: stem },
  { family: 'architecture', weight: 2, sizes: [3, 5], make: gather },
  { family: 'flowchart', weight: 1, sizes: [4, 4], make: fork },
];

/** Which graph to draw. `larger` asks for 6 or 7 nodes, more than training ever has. */
export function curriculumKind(larger: boolean, random: RandomStream): { kind: Kind; size: number } {
  const open = larger ? kinds.filter(({ family }) => family !== 'flowchart') : kinds;
  let ticket = random.uniform() * open.reduce((sum, { weight }) => sum + weight, 0);
  const kind = open.find(({ weight }) => (ticket -= weight) < 0) ?? open[0]!;
  const [low, high] = larger ? [6, 7] : kind.sizes;
  return { kind, size: low + random.int(high - low + 1) };
}

/** Plain words of at most three parts: brackets, colons and long labels belong to the full profile. */
export function isPlainWord(label: string): boolean {
  return label.length <= 18 && /^[A-Za-z0-9?-]+( [A-Za-z0-9?-]+){0,2}$/.test(label);
}

interface Template {
  readonly name: string;
  readonly heldOut?: true;
  /** Only for a single chain. */
  readonly chains?: true;
  readonly write: (scene: Scene, random: RandomStream) => { text: string; statements: readonly Statement[] };
}

const commands = ['', '', '', 'Draw ', 'Please draw ', 'Show '];
const verbs = [
  { one: 'leads to', many: 'lead to' },
  { one: 'points to', many: 'point to' },
  { one: 'goes to', many: 'go to' },
] as const;
const rows = ['steps', 'stages', 'boxes in a row'];
const tiers = ['tiers', 'tiers', 'layers', 'parts in a row'];

function inOrder(scene: Scene): string[] {
  return scene.nodes.map((_, i) => mention(i));
}

const templates: readonly Template[] = [
  {
    name: 'arrows',
    write: (scene, random) => {
      const statements = chance(random, 0.5) ? compact(scene) : separate(scene);
      return { text: `${random.pick(commands)}${statements.map(withArrows).join(', ')}`, statements };
    },
  },
  {
    name: 'tiers',
    chains: true,
    write: (scene, random) => {
      const count = numeral(scene.nodes.length);
      const noun = random.pick(scene.nodes[0]!.role === 'step' ? rows : [...tiers, ...rows]);
      const text = `${random.pick(commands)}${count} ${noun}: ${inOrder(scene).join(', ')}`;
      return { text, statements: compact(scene) };
    },
  },
  {
    name: 'then',
    chains: true,
    write: (scene, random) => {
      const [first, ...others] = inOrder(scene);
      return {
        text: `${random.pick(commands)}${first}, then ${others.join(', then ')}`,
        statements: compact(scene),
      };
    },
  },
  {
    name: 'connect',
    write: (scene) => {
      const statements = compact(scene);
      return { text: `Connect ${enumerate(statements.flatMap(toPairs), 'en', ', and ')}`, statements };
    },
  },
  {
    name: 'sentences',
    write: (scene, random) => {
      const statements = compact(scene);
      const verb = random.pick(verbs);
      return { text: statements.map((statement) => asSentence(statement, verb)).join('. '), statements };
    },
  },
  {
    name: 'boxes',
    write: (scene) => {
      const statements = separate(scene);
      return {
        text: `Boxes ${enumerate(inOrder(scene))}. Arrows: ${statements.map(withArrows).join(', ')}`,
        statements,
      };
    },
  },
  {
    name: 'backwards',
    heldOut: true,
    write: (scene) => {
      const statements = separate(scene);
      return { text: enumerate(statements.flatMap(edgesOf).map(backwards), 'en', ', and '), statements };
    },
  },
  {
    name: 'from-to',
    heldOut: true,
    write: (scene) => {
      const statements = separate(scene);
      return { text: `Arrows go ${enumerate(statements.flatMap(edgesOf).map(fromTo))}`, statements };
    },
  },
];

const asides = ['Keep it simple', 'Use blue boxes', 'It is for my team', 'Thanks', 'Make it clean'];
const DISTRACTED = 0.12;

/** Puts the scene into words. `absent` is a word of the domain that the graph does not have. */
export function tellCurriculum(
  scene: Scene,
  heldOut: boolean,
  absent: string,
  random: RandomStream,
): Telling {
  const isChain = scene.topology === 'chain';
  const open = templates.filter(
    (template) => (template.heldOut ?? false) === heldOut && (isChain || !template.chains),
  );
  // A plain list is how people ask for a chain first, so those templates count twice.
  const template = random.pick([...open, ...open.filter(({ chains }) => chains)]);
  const { text, statements } = template.write(scene, random);
  const distractor = chance(random, DISTRACTED) ? random.pick([...asides, `No ${absent}`]) : '';
  const decisions = scene.nodes.flatMap((node, i) =>
    isDecision(node) ? [`${mention(i)} is a decision`] : [],
  );
  const sentences = [text, ...decisions, ...(distractor ? [distractor] : [])];
  return {
    template: `curriculum/${template.name}`,
    messages: [capitalised(sentences.join('. ')) + (sentences.length > 1 ? '.' : random.pick(['', '.']))],
    edges: statements.flatMap(edgesOf),
    distractor,
  };
}

function withArrows(statement: Statement): string {
  if (statement.kind === 'path') return statement.nodes.map(mention).join(' -> ');
  return edgesOf(statement)
    .map(
      ({ from, to, label }) =>
        `${mention(from)} -> ${mention(to)}${label === undefined ? '' : ` (${label})`}`,
    )
    .join(', ');
}

/** `A to B`, `A to B and C`: what follows "Connect". */
function toPairs(statement: Statement): string[] {
  if (statement.kind === 'fan')
    return [`${mention(statement.from)} to ${enumerate(statement.to.map(mention))}`];
  if (statement.kind === 'gather')
    return [`${enumerate(statement.from.map(mention))} to ${mention(statement.to)}`];
  return edgesOf(statement).map(
    ({ from, to, label }) =>
      `${mention(from)} to ${mention(to)}${label === undefined ? '' : ` for ${label}`}`,
  );
}

function asSentence(statement: Statement, verb: (typeof verbs)[number]): string {
  if (statement.kind === 'gather')
    return `${enumerate(statement.from.map(mention))} ${verb.many} ${mention(statement.to)}`;
  const edges = edgesOf(statement);
  const target = ({ to, label }: SceneEdge): string =>
    mention(to) + (label === undefined ? '' : ` for ${label}`);
  if (statement.kind === 'path')
    return edges.map((edge) => `${mention(edge.from)} ${verb.one} ${target(edge)}`).join('. ');
  return `${mention(edges[0]!.from)} ${verb.one} ${enumerate(edges.map(target))}`;
}

/** Held out: the target of an arrow comes first, the other way round from every other template. */
function backwards({ from, to, label }: SceneEdge): string {
  return `${mention(to)} comes after ${mention(from)}${label === undefined ? '' : ` for ${label}`}`;
}

function fromTo({ from, to, label }: SceneEdge): string {
  return `from ${mention(from)} to ${mention(to)}${label === undefined ? '' : ` (${label})`}`;
}
