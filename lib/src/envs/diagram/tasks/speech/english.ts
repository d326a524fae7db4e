/** English clauses: how a statement becomes a sentence, by family. */
import { enumerate } from '../phrases.js';
import type { SceneEdge } from '../scene.js';
import type { Statement } from '../statements.js';
import { name, names, quoted, type Clause, type Voice } from './voice.js';

interface Verb {
  readonly one: string;
  readonly many: string;
}

const flowVerbs: readonly Verb[] = [
  { one: 'leads to', many: 'lead to' },
  { one: 'goes to', many: 'go to' },
  { one: 'points to', many: 'point to' },
  { one: 'is followed by', many: 'are followed by' },
];

const linkVerbs: readonly Verb[] = [
  { one: 'connects to', many: 'connect to' },
  { one: 'talks to', many: 'talk to' },
  { one: 'points to', many: 'point to' },
  { one: 'sends data to', many: 'send data to' },
];

const treeVerbs: readonly Verb[] = [
  { one: 'is the parent of', many: 'are the parents of' },
  { one: 'splits into', many: 'split into' },
  { one: 'contains', many: 'contain' },
];

const mapVerbs: readonly Verb[] = [
  { one: 'branches into', many: 'branch into' },
  { one: 'reaches out to', many: 'reach out to' },
];

function verbsOf(family: string): readonly Verb[] {
  if (family === 'tree') return treeVerbs;
  if (family === 'mindmap') return mapVerbs;
  return family === 'architecture' || family === 'groups' ? linkVerbs : flowVerbs;
}

export function sentence(statement: Statement, voice: Voice): Clause {
  const { random, scene } = voice;
  const verb = random.pick(verbsOf(scene.family));
  switch (statement.kind) {
    case 'edge':
      return edge(statement.edge, verb, voice);
    case 'path':
      return path(statement.nodes, verb, voice);
    case 'fan':
      return told(voice, statement.from, `${verb.one} ${enumerate(names(voice, statement.to))}`);
    case 'gather': {
      const both = statement.from.length === 2 ? 'both ' : 'all ';
      const text = `${enumerate(names(voice, statement.from))} ${both}${verb.many} ${name(voice, statement.to)}`;
      return {
        text: text.replace('both are', 'are both').replace('all are', 'are all'),
        object: statement.to,
      };
    }
    case 'exits':
      return { text: exitsOf(statement.decision, statement.exits, voice) };
    case 'shape':
      return { text: `${name(voice, statement.node)} is ${article(statement.shape)}` };
    case 'overlap':
      return { text: `${enumerate(names(voice, statement.pair))} overlap` };
  }
}

/** `an arrow from A to B`, for requests that list what to draw; `source` may stand for the name of A. */
export function item(statement: Statement, voice: Voice, source?: string): string {
  const line = voice.scene.undirected;
  switch (statement.kind) {
    case 'edge': {
      const { from, to, label } = statement.edge;
      if (line) return `a line between ${enumerate(names(voice, [from, to]))}`;
      const labelled = label === undefined ? 'an arrow' : `an arrow labelled ${quoted(label, 'en')}`;
      return `${labelled} from ${source ?? name(voice, from)} to ${name(voice, to)}`;
    }
    case 'path':
      return `${line ? 'lines' : 'arrows'} from ${names(voice, statement.nodes).join(' to ')}`;
    case 'fan':
      return `arrows from ${name(voice, statement.from)} to ${enumerate(names(voice, statement.to))}`;
    case 'gather':
      return `arrows from ${enumerate(names(voice, statement.from))} to ${name(voice, statement.to)}`;
    case 'exits': {
      const exits = statement.exits.map(({ to, label }) => `${label} to ${name(voice, to)}`);
      return `a decision ${name(voice, statement.decision)} with the exits ${enumerate(exits)}`;
    }
    case 'shape':
      return `${article(statement.shape)} called ${name(voice, statement.node)}`;
    case 'overlap':
      return `an overlap of ${enumerate(names(voice, statement.pair))}`;
  }
}

/** `A to B`: what follows "Connect". */
export function pair({ from, to, label }: SceneEdge, voice: Voice, source?: string): string {
  const plain = `${source ?? name(voice, from)} to ${name(voice, to)}`;
  return label === undefined ? plain : `${plain} with the label ${quoted(label, 'en')}`;
}

function article(shape: string): string {
  return `${/^[aeiou]/.test(shape) ? 'an' : 'a'} ${shape}`;
}

function told(voice: Voice, subject: number, predicate: string, object?: number): Clause {
  return {
    text: `${name(voice, subject)} ${predicate}`,
    subject,
    predicate,
    ...(object !== undefined && { object }),
  };
}

function edge({ from, to, label }: SceneEdge, verb: Verb, voice: Voice): Clause {
  const { random, scene, words } = voice;
  if (scene.undirected) return { text: `a line joins ${enumerate(names(voice, [from, to]))}`, object: to };
  if (label !== undefined) return labelled(from, to, label, verb, voice);
  if (scene.family === 'architecture' && random.uniform() < 0.7)
    return told(voice, from, `${random.pick(words.verbs)} ${name(voice, to)}`, to);
  if (scene.family === 'pipeline' && random.uniform() < 0.15)
    return { text: `${name(voice, to)} comes right after ${name(voice, from)}`, object: from };
  return told(voice, from, `${verb.one} ${name(voice, to)}`, to);
}

function labelled(from: number, to: number, label: string, verb: Verb, voice: Voice): Clause {
  const { random, scene } = voice;
  const [source, target, words] = [name(voice, from), name(voice, to), quoted(label, 'en')];
  const itself = from === to ? 'itself' : target;
  switch (scene.family) {
    case 'state':
      return random.pick<Clause>([
        told(voice, from, `${from === to ? 'goes back' : 'goes'} to ${itself} on ${words}`),
        { text: `on ${words}, ${source} ${from === to ? 'returns to' : 'turns into'} ${itself}` },
        { text: `${words} takes ${source} ${from === to ? 'back to' : 'to'} ${itself}` },
      ]);
    case 'interaction':
      return random.pick<Clause>([
        told(voice, from, `sends ${words} to ${target}`, to),
        { text: `a message ${words} runs from ${source} to ${target}`, object: to },
      ]);
    case 'entity':
      // A note of the style says that these verbs are written on the arrows.
      return told(voice, from, `${label} ${target}`, to);
    default:
      return told(voice, from, `${verb.one} ${target} with the label ${words}`);
  }
}

function path(nodes: readonly number[], verb: Verb, voice: Voice): Clause {
  const [first, second, ...others] = nodes as [number, number, ...number[]];
  if (voice.scene.undirected) {
    const links = nodes.slice(1).map((to, i) => enumerate(names(voice, [nodes[i]!, to])));
    return { text: `a line joins each of these pairs: ${links.join('; ')}` };
  }
  if (verb.one === 'is followed by' || voice.scene.family === 'tree' || voice.scene.family === 'mindmap') {
    const links = [second, ...others].map(
      (to, i) => `${name(voice, nodes[i]!)} ${verb.one} ${name(voice, to)}`,
    );
    return { text: enumerate(links, 'en', ', and '), object: nodes.at(-1)! };
  }
  const targets = names(voice, [second, ...others]);
  // "leads to B, then to C and then to D"
  const predicate = `${verb.one} ${enumerate(targets.map((target, i) => (i === 0 ? target : `then to ${target}`)))}`;
  return told(voice, first, predicate, nodes.at(-1)!);
}

function exitsOf(decision: number, exits: readonly SceneEdge[], voice: Voice): string {
  const question = name(voice, decision);
  const to = (exit: SceneEdge): string => name(voice, exit.to);
  return voice.random.pick([
    `at the decision ${question}, ${enumerate(exits.map((exit) => `${exit.label} goes to ${to(exit)}`))}`,
    `the decision ${question} has the exits ${enumerate(exits.map((exit) => `${exit.label} to ${to(exit)}`))}`,
    `${question} is a decision: ${exits.map((exit) => `if ${exit.label}, go to ${to(exit)}`).join('; ')}`,
  ]);
}
