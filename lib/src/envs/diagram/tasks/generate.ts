/** The task at an address: a pure function of `(seed, split, index, profile)`. */
import { randomStream, type RandomStream } from '../../../tensor/random.js';
import { lineWidth } from '../text-metrics.js';
import { FONT_SIZE } from '../text-metrics.js';
import type { DiagramTask, Direction } from '../types.js';
import { assemble } from './assemble.js';
import { bucketOf, graphKey } from './canon.js';
import { curriculumKind, isPlainWord, tellCurriculum } from './curriculum.js';
import { dress } from './dress.js';
import { chance } from './phrases.js';
import { changedRules, usualRules } from './rules.js';
import type { Scene } from './scene.js';
import {
  curriculumSplits,
  lane,
  splitSizes,
  type GeneratedSplit,
  type Profile,
  type Split,
} from './splits.js';
import { commonDomains, heldOutDomains, type Domain } from './vocabulary/index.js';

export interface TaskAddress {
  /** The data set; a non-negative integer. Whatever the seeds, splits that must differ share no labelled graph. */
  readonly seed: number;
  readonly split: Split;
  /** Which task of the split, from 0; there is no last one. */
  readonly index: number;
  readonly profile?: Profile;
}

/** More draws than any address needs; reaching it means the split is too narrow for its lane. */
const MAX_ATTEMPTS = 2_000;

/**
 * Generates one task. Draws are repeated until the graph belongs to the split (see `lane`), so example `i` can be
 * made alone and shards need no order.
 * @param address `profile` defaults to `full`
 * @throws RangeError for a split that the profile does not have
 */
export function generateTask({ seed, split, index, profile = 'full' }: TaskAddress): DiagramTask {
  const generated = requireSplit(split, profile);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const random = randomStream(seed, `task/${profile}/${split}`, attempt, index);
    const id = `${profile}-${split}-${seed}-${index}`;
    const task = curriculumTask(id, generated, random);
    if (lane(generated).includes(bucketOf(graphKey(task.graph)))) return task;
  }
  throw new Error(
    `no ${profile} task for split ${split}, seed ${seed}, index ${index} in ${MAX_ATTEMPTS} attempts`,
  );
}

function requireSplit(split: Split, profile: Profile): GeneratedSplit {
  if (split === 'real') throw new RangeError('the split "real" is not generated: use realTasks()');
  if (!(split in splitSizes))
    throw new RangeError(
      `unknown split "${String(split)}": use one of ${Object.keys(splitSizes).join(', ')}`,
    );
  if (profile === 'curriculum' && !curriculumSplits.includes(split))
    throw new RangeError(
      `the curriculum profile has no split "${split}": use ${curriculumSplits.join(', ')}, or the full profile`,
    );
  return split;
}

/** Share of curriculum tasks that flow downwards; the rest flows left to right. */
const DOWNWARDS = 0.2;

function curriculumTask(id: string, split: GeneratedSplit, random: RandomStream): DiagramTask {
  const { kind, size } = curriculumKind(split === 'ood-size', random);
  const skeleton = kind.make(size, random);
  const usual: Direction = chance(random, DOWNWARDS) ? 'TB' : 'LR';
  const choice =
    split === 'ood-rule' ? changedRules(usual, kind.family === 'flowchart', random) : usualRules(usual);
  const domain = random.pick(split === 'ood-vocab' ? heldOutDomains : commonDomains);
  const scene = dress(
    skeleton,
    { family: kind.family, domain, lang: 'en', allow: isPlainWord, ...choice },
    random,
  );
  const telling = tellCurriculum(scene, split === 'ood-phrase', absentWord(domain, scene, random), random);
  return assemble(scene, telling, {
    id,
    split,
    kind: 'draw',
    rules: choice.rules,
    meta: { profile: 'curriculum', rules: choice.name, longestLabel: longestLabel(scene) },
  });
}

/** A word of the domain that is not in the graph, nor part of a label, nor has a label as its part. */
function absentWord(domain: Domain, scene: Scene, random: RandomStream): string {
  const labels = scene.nodes.map(({ label }) => label);
  const apart = (word: string): boolean =>
    labels.every((label) => !label.includes(word) && !word.includes(label));
  return random.pick(
    domain[scene.lang].nouns.filter((word) => isPlainWord(word) === (scene.lang === 'en') && apart(word)),
  );
}

/** In em. */
function longestLabel(scene: Scene): number {
  return Math.max(...scene.nodes.map(({ label }) => lineWidth(label) / FONT_SIZE));
}
