/** English requests: eight styles, each put together from an opening, the statements and the notes they leave open. */
import type { Direction, ShapeKind } from '../../types.js';
import { capitalised, chance, enumerate, numeral } from '../phrases.js';
import { isDecision, mentionGroup } from '../scene.js';
import { edgesOf, type Statement } from '../statements.js';
import { item, pair, sentence } from './english.js';
import { inItems, inSentences, type Pronouns, type Said } from './coreference.js';
import { decisions, notation } from './notation.js';
import { name, names, type Parts, type Speech, type Voice } from './voice.js';

const nouns: Readonly<Record<string, readonly string[]>> = {
  pipeline: ['a pipeline', 'a process diagram', 'a flow'],
  flowchart: ['a flowchart', 'a decision flow', 'a flow chart'],
  architecture: ['an architecture diagram', 'a system diagram', 'a component diagram'],
  tree: ['a tree', 'a hierarchy', 'a tree diagram'],
  mindmap: ['a mind map', 'a mind map'],
  state: ['a state diagram', 'a state machine'],
  interaction: ['a message diagram', 'an interaction diagram'],
  entity: ['an entity diagram', 'a data model', 'a relation diagram'],
  groups: ['a grouped diagram', 'a diagram with frames', 'a zone diagram'],
  basic: ['a little drawing', 'a simple picture'],
};

const directions: Readonly<Record<Direction, string>> = {
  LR: 'left to right',
  RL: 'right to left',
  TB: 'top to bottom',
  BT: 'bottom to top',
};

const plurals: Readonly<Record<ShapeKind, string>> = {
  rectangle: 'rectangles',
  ellipse: 'ellipses',
  diamond: 'diamonds',
  text: 'texts',
};

/** What a list of nodes counts, where boxes is not the word. */
const units: Readonly<Record<string, string>> = { state: 'states', basic: 'shapes', entity: 'entities' };

/** Chance that a request repeats in words the direction that the rules state. */
const SAYS_DIRECTION = 0.4;

export const english: Speech = {
  sentence,
  styles: {
    arrows: (voice, statements) => {
      const arrow = voice.random.pick(['->', '->', '-->', '=>']);
      const body = statements.map((statement) => notation(statement, voice, arrow, ', ')).join(', ');
      return parts([`${opening(voice)}: ${body}`], notes(voice, notationLeaves));
    },
    sentences: (voice, statements) => {
      const { texts, coreferences } = clauses(voice, statements);
      return parts([opening(voice), ...texts], notes(voice, sentencesLeave), coreferences);
    },
    'from-to': (voice, statements) => {
      const { texts, coreferences } = inItems(
        voice,
        statements,
        (one, source) => item(one, voice, source),
        'there',
      );
      const told = `${opening(voice)} with ${enumerate(texts, 'en', ', and ')}`;
      return parts([told], notes(voice, {}), coreferences);
    },
    bullets: (voice, statements) => {
      const isWritten = chance(voice.random, 0.5);
      const { texts, coreferences } = isWritten
        ? clauses(voice, statements)
        : { texts: statements.map((one) => notation(one, voice, '->', '\n- ')), coreferences: 0 };
      const body = texts.map((text) => `\n- ${capitalised(text)}`).join('');
      return parts(
        [`${opening(voice)}:${body}`],
        notes(voice, isWritten ? sentencesLeave : notationLeaves),
        coreferences,
      );
    },
    terse: (voice, statements) => {
      const arrow = voice.random.pick(['>', '->']);
      const noun = voice.random.pick(nouns[voice.scene.family]!).replace(/^an? /, '');
      const body = statements.map((statement) => notation(statement, voice, arrow, '; ')).join('; ');
      return parts([`${noun}: ${body}`], notes(voice, notationLeaves));
    },
    listing: (voice, statements) => {
      const all = voice.scene.nodes.map((_, i) => i);
      const count = `${numeral(all.length)} ${units[voice.scene.family] ?? 'boxes'}`;
      const list = `${opening(voice)} with ${count}: ${enumerate(names(voice, all))}`;
      const verb = voice.random.pick(
        voice.scene.undirected ? ['join '] : ['connect ', 'link ', 'draw arrows from '],
      );
      const separator = verb.endsWith('from ') ? ', from ' : ', ';
      const write = (one: Statement, source: string | undefined): string =>
        edgesOf(one)
          .map((edge) => pair(edge, voice, source))
          .join(separator);
      const arrows = statements.filter((one) => edgesOf(one).length > 0);
      const { texts, coreferences } = inItems(
        voice,
        arrows,
        write,
        verb.endsWith('from ') ? 'there' : 'the latter',
      );
      const connect = texts.length > 0 ? [verb + texts.join(separator)] : [];
      const shapes = statements.filter(({ kind }) => kind === 'shape' || kind === 'overlap');
      const said = shapes.map((statement) => sentence(statement, voice).text);
      return parts([list, ...connect, ...said], notes(voice, { decisions: true }), coreferences);
    },
    question: (voice, statements) => {
      const noun = `${voice.random.pick(nouns[voice.scene.family]!)}${about(voice)}`;
      const start = voice.random.pick([
        'can you draw',
        'could you show me',
        'would you sketch',
        'may I have',
      ]);
      const { texts, coreferences } = clauses(voice, statements);
      const [first, ...others] = [`${start} ${noun} in which ${texts[0]}`, ...texts.slice(1)];
      return parts([`${[first, ...others].join(', and ')}?`], notes(voice, sentencesLeave), coreferences);
    },
    narrative: (voice, statements) => {
      const { texts, coreferences } = clauses(voice, statements);
      const told = texts.map((text, i) => `${connector(i, texts.length, voice)}${text}`);
      const background = voice.random.pick([
        `I am writing a page about ${voice.topic}, and words alone do not explain it`,
        `yesterday somebody asked how ${voice.topic} works, and I had no picture to show`,
        `for a short talk about ${voice.topic} I need ${voice.random.pick(nouns[voice.scene.family]!)}`,
        `our notes about ${voice.topic} are long, so one picture should sum them up`,
      ]);
      const close = voice.random.pick([
        'that is the whole story',
        'that is all there is to it',
        'please put this into one picture',
      ]);
      return parts([background, ...told], [...notes(voice, sentencesLeave), close], coreferences);
    },
  },
};

function parts(sentences: readonly string[], notes: readonly string[], coreferences = 0): Parts {
  return { sentences, notes, coreferences };
}

function about(voice: Voice): string {
  return chance(voice.random, 0.4) ? ` ${voice.random.pick(['for', 'about'])} ${voice.topic}` : '';
}

function opening(voice: Voice): string {
  const start = voice.random.pick([
    'draw',
    'please draw',
    'make',
    'I need',
    'sketch',
    'create',
    'I would like',
    'show',
  ]);
  return `${start} ${voice.random.pick(nouns[voice.scene.family]!)}${about(voice)}`;
}

function connector(index: number, count: number, voice: Voice): string {
  if (index === 0) return voice.random.pick(['first, ', 'to begin with, ', 'it starts like this: ']);
  if (index === count - 1) return voice.random.pick(['finally, ', 'in the end, ']);
  return voice.random.pick(['next, ', 'besides, ', 'it is also true that ', 'then, ']);
}

const pronouns: Pronouns = { which: ', which then ', latter: 'the latter ' };

function clauses(voice: Voice, statements: readonly Statement[]): Said {
  return inSentences(voice, statements, sentence, pronouns);
}

/** What the way of telling leaves open: which boxes are decisions, that verbs or bracketed words are labels. */
interface Unsaid {
  readonly decisions?: true;
  readonly verbs?: true;
  readonly brackets?: true;
}

const notationLeaves: Unsaid = { decisions: true, brackets: true };
const sentencesLeave: Unsaid = { verbs: true };

function notes(voice: Voice, unsaid: Unsaid): string[] {
  return [
    ...direction(voice),
    ...(unsaid.decisions ? decisionNotes(voice) : []),
    ...shapeNotes(voice),
    ...(unsaid.verbs && voice.scene.family === 'entity' ? ['write each verb on its arrow'] : []),
    ...(unsaid.brackets ? bracketNote(voice) : []),
    ...groupNotes(voice),
  ];
}

function direction({ scene, random }: Voice): string[] {
  if (!scene.direction || !chance(random, SAYS_DIRECTION)) return [];
  const words = directions[scene.direction];
  return [
    random.pick([`it flows ${words}`, `lay it out ${words}`, `direction: ${words}`, `go from ${words}`]),
  ];
}

function decisionNotes(voice: Voice): string[] {
  const questions = decisions(voice);
  if (questions.length === 0) return [];
  return [`${enumerate(questions)} ${questions.length === 1 ? 'is a decision' : 'are decisions'}`];
}

function shapeNotes(voice: Voice): string[] {
  const { scene, random } = voice;
  if (scene.family === 'mindmap')
    return [
      random.pick([
        `${name(voice, 0)} is an ellipse in the centre`,
        `put ${name(voice, 0)} in the middle as an ellipse`,
      ]),
    ];
  if (scene.family === 'state' && scene.nodes.every(({ shape }) => shape === 'ellipse'))
    return [
      random.pick([
        'all states are ellipses',
        'use ellipses for the states',
        'draw every state as an ellipse',
      ]),
    ];
  const kinds = new Set(scene.nodes.filter((node) => !isDecision(node)).map(({ shape }) => shape));
  const [only] = kinds;
  if (scene.family === 'basic' && scene.undirected && only) return [`all shapes are ${plurals[only]}`];
  return [];
}

/** Brackets explain themselves, mostly. */
function bracketNote({ scene, random }: Voice): string[] {
  const labelled = scene.edges.some(({ label }) => label !== undefined);
  return labelled && chance(random, 0.5) ? ['arrow labels are in brackets'] : [];
}

function groupNotes(voice: Voice): string[] {
  const { scene, random } = voice;
  const held = new Set(scene.groups.flatMap(({ inner }) => inner));
  return scene.groups.flatMap((group, i) => {
    const inside = [
      ...names(voice, group.members),
      ...group.inner.map((inner) => `the group ${mentionGroup(inner)}`),
    ];
    const list = enumerate(inside);
    const label = mentionGroup(i);
    if (held.has(i)) return [`${label} in turn holds ${list}`];
    return [
      random.pick([
        `the group ${label} holds ${list}`,
        `put ${list} into a frame called ${label}`,
        `a frame named ${label} surrounds ${list}`,
      ]),
    ];
  });
}
