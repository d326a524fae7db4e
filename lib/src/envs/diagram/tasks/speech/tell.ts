/** Puts a scene into words. */
import type { RandomStream } from '../../../../tensor/random.js';
import { fillIn } from '../assemble.js';
import { capitalised, chance } from '../phrases.js';
import type { Scene, Telling } from '../scene.js';
import { compact, edgesOf, separate } from '../statements.js';
import { topics } from '../vocabulary/common.js';
import type { Wording } from '../vocabulary/index.js';
import { asides } from './asides.js';
import { notation } from './notation.js';
import { chinese } from './chinese-styles.js';
import { english } from './english-styles.js';
import { heldOutStyles, styleNames, type Parts, type Speech, type StyleName, type Voice } from './voice.js';

/** How requests vary. Of the shuffled ones some have a single statement, so that 30 % remain. */
const SHUFFLED = 0.35;
const DISTRACTED = 0.4;
const QUOTED = 0.15;
const COMPACT = 0.5;
/** More than the 20 % that end up with a pronoun: many requests offer no place for one. */
const WANTS_COREFERENCE = 0.95;

const speeches: Readonly<Record<Scene['lang'], Speech>> = { en: english, zh: chinese };

/** A telling with what it did, for the task's meta. */
export interface Told extends Telling {
  readonly coreference: boolean;
  readonly shuffled: boolean;
}

export interface TellOptions {
  readonly words: Wording;
  /** A word that the graph does not have, for negations. */
  readonly absent: string;
  /** Use the styles that training never sees, and always shuffle. */
  readonly heldOut: boolean;
  /** Tell the request in two or three messages instead of one. */
  readonly messages?: 2 | 3;
}

/** Puts a scene into one request, or several for a diagram that is built up. */
export function tell(
  scene: Scene,
  { words, absent, heldOut, messages }: TellOptions,
  random: RandomStream,
): Told {
  const style = messages ? 'sentences' : random.pick(openStyles(heldOut));
  const voice = makeVoice(scene, words, !messages && chance(random, WANTS_COREFERENCE), random);
  const plan = chance(random, COMPACT) && !messages ? compact(scene) : separate(scene);
  const shuffled = !messages && plan.length > 1 && (heldOut || chance(random, SHUFFLED));
  const statements = shuffled ? random.shuffle(plan) : plan;
  const parts = speeches[scene.lang].styles[style](voice, statements);
  const added = chance(random, DISTRACTED) ? asides(scene.lang, absent, random) : [];
  return {
    template: `${scene.lang}/${scene.family}/${messages ? 'build-up' : style}`,
    messages: messages
      ? inMessages(parts, added, messages, scene.lang)
      : [punctuate(placed([...parts.sentences, ...parts.notes], added, random), scene.lang)],
    edges: statements.flatMap(edgesOf),
    distractor: added.join(' '),
    coreference: parts.coreferences > 0,
    shuffled,
  };
}

/** Only the arrows, as a phrase for the middle of a sentence. */
export function tellGraph(
  scene: Scene,
  words: Wording,
  random: RandomStream,
): { text: string; style: string } {
  const voice = makeVoice(scene, words, false, random);
  const [comma, semicolon] = scene.lang === 'en' ? [', ', '; '] : ['，', '；'];
  // In sentences, the verbs of an entity diagram would need a note that they are labels.
  const style = scene.family !== 'entity' && chance(random, 0.5) ? 'sentences' : 'arrows';
  const text =
    style === 'arrows'
      ? compact(scene)
          .map((statement) => notation(statement, voice, '->', comma))
          .join(comma)
      : separate(scene)
          .map((statement) => speeches[scene.lang].sentence(statement, voice).text)
          .join(semicolon);
  return { text: fillIn(scene, text), style };
}

function makeVoice(scene: Scene, words: Wording, coreference: boolean, random: RandomStream): Voice {
  const topic = topics[scene.domain]![scene.lang];
  return { scene, words, topic, random, coreference, quoteAll: chance(random, QUOTED) };
}

function openStyles(heldOut: boolean): readonly StyleName[] {
  return styleNames.filter((style) => heldOutStyles.includes(style) === heldOut);
}

/** Asides come last, or around the request. */
function placed(
  sentences: readonly string[],
  added: readonly string[],
  random: RandomStream,
): readonly string[] {
  const [first, ...others] = added;
  if (first === undefined || chance(random, 0.7)) return [...sentences, ...added];
  return [first, ...sentences, ...others];
}

/**
 * Spreads what is told evenly over `count` messages, fewer when there is too little; the later ones say that they add
 * something. What holds for the whole picture comes first, because a shape cannot become another shape.
 */
function inMessages(
  { sentences: [opening, ...told], notes }: Parts,
  added: readonly string[],
  count: number,
  lang: Scene['lang'],
): string[] {
  const size = Math.ceil(told.length / count);
  const used = Math.ceil(told.length / size);
  const lead = lang === 'en' ? 'Now add this: ' : '再补充：';
  return Array.from({ length: used }, (_, i) => {
    const chunk = told.slice(i * size, (i + 1) * size);
    const before = i === 0 ? [opening!, ...notes] : [];
    const after = i === used - 1 ? added : [];
    return (i === 0 ? '' : lead) + punctuate([...before, ...chunk, ...after], lang);
  });
}

/** Ends every sentence: a list of lines with the end of its last line, a question with its mark. */
function punctuate(sentences: readonly string[], lang: Scene['lang']): string {
  return sentences
    .map((sentence) => capitalised(sentence))
    .map((sentence) => {
      if (sentence.includes('\n')) return `${sentence}\n`;
      if (lang === 'zh') return sentence.endsWith('？') ? sentence : `${sentence}。`;
      return sentence.endsWith('?') ? `${sentence} ` : `${sentence}. `;
    })
    .join('')
    .trim();
}
