import type { RandomStream } from '../../../tensor/random.js';
import type { DiagramTask, Direction } from '../types.js';
import { admitsGraph } from './admission.js';
import { assemble, sceneGraph } from './assemble.js';
import { curriculumKind, isPlainWord, tellCurriculum } from './curriculum.js';
import { dress } from './dress.js';
import { chance } from './phrases.js';
import { hasRoom } from './room.js';
import { changedRules, usualRules } from './rules.js';
import type { GeneratedSplit } from './splits.js';
import { absentWords, aliasIn, commonDomains, heldOutDomains } from './vocabulary/index.js';

/** Share of curriculum tasks that flow downwards; the rest flows left to right. */
const DOWNWARDS = 0.2;
const trained: readonly Direction[] = ['LR', 'TB'];

/** One draw of the curriculum profile, or nothing when it does not suit the split. */
export function drawCurriculumTask(
  id: string,
  split: GeneratedSplit,
  random: RandomStream,
): DiagramTask | undefined {
  const { kind, size } = curriculumKind(split === 'ood-size', random);
  const usual = chance(random, DOWNWARDS) ? 'TB' : 'LR';
  const isFlowchart = kind.family === 'flowchart';
  const choice = split === 'ood-rule' ? changedRules(usual, trained, isFlowchart, random) : usualRules(usual);
  const domain = random.pick(split === 'ood-vocab' ? heldOutDomains : commonDomains);
  const dressing = { family: kind.family, domain, lang: 'en', allow: isPlainWord, ...choice } as const;
  const scene = dress(kind.make(size, random), dressing, random);
  if (!admitsGraph(split, sceneGraph(scene)) || !hasRoom(scene, choice.rules)) return undefined;
  const absent = random.pick(absentWords(domain, scene).filter(isPlainWord));
  const telling = tellCurriculum(scene, split === 'ood-phrase', absent, random);
  const meta = {
    profile: 'curriculum',
    rules: choice.name,
    ...(split !== 'train' && aliasIn(domain, scene)),
  };
  return assemble(scene, telling, { id, split, kind: 'draw', rules: choice.rules, meta });
}
