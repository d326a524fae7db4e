import type { RandomStream } from '../../../tensor/random.js';
import { defaultRules } from '../canvas.js';
import type { DiagramTask, EpisodeKind } from '../types.js';
import { admitsGraph } from './admission.js';
import { assemble, sceneGraph } from './assemble.js';
import { editTask } from './edits/edit-task.js';
import { repairTask } from './edits/repair-task.js';
import { dress } from './dress.js';
import { chance } from './phrases.js';
import { hasRoom } from './room.js';
import { changedRules, usualRules } from './rules.js';
import type { Language } from './scene.js';
import { families, heldOutFamilies, type Family } from './skeletons/families.js';
import type { Topology } from './skeletons/types.js';
import { tell } from './speech/tell.js';
import type { GeneratedSplit } from './splits.js';
import { absentWords, aliasIn, commonDomains, heldOutDomains } from './vocabulary/index.js';

/** Share of Chinese requests in every split but `ood-lang`. */
const CHINESE = 0.08;
const LARGER = [7, 10] as const;
const COMMON = [3, 6] as const;

/** Shares of the other episode kinds in `train` and `id`; the rest is `draw`. */
const EDITS = 0.1;
const REPAIRS = 0.08;
const BUILD_UPS = 0.05;
const REVIEWS = 0.03;

/** Which kind of episode a task is; drawn once, so that draws that are repeated do not change the shares. */
export function pickKind(split: GeneratedSplit, random: RandomStream): EpisodeKind {
  const ticket = random.uniform();
  if (split === 'ood-edit') return ticket < 0.5 ? 'edit' : 'repair';
  if (split !== 'train' && split !== 'id') return 'draw';
  if (ticket < EDITS) return 'edit';
  if (ticket < EDITS + REPAIRS) return 'repair';
  if (ticket < EDITS + REPAIRS + BUILD_UPS) return 'build-up';
  return ticket < EDITS + REPAIRS + BUILD_UPS + REVIEWS ? 'draw-review' : 'draw';
}

/** One draw of the full profile, or nothing when it does not suit the split. */
export function drawFullTask(
  id: string,
  split: GeneratedSplit,
  kind: EpisodeKind,
  random: RandomStream,
): DiagramTask | undefined {
  return kind === 'edit' || kind === 'repair'
    ? changeTask(id, split, kind, random)
    : drawScene(id, split, kind, random);
}

/** Tasks that start from a canvas: on small graphs, so that simple places for their boxes do. */
function changeTask(
  id: string,
  split: GeneratedSplit,
  kind: 'edit' | 'repair',
  random: RandomStream,
): DiagramTask | undefined {
  const family = random.pick(kind === 'edit' ? editable : repairable);
  const topology = random.pick(family.topologies.filter(({ sizes }) => sizes[0] <= 5));
  const size = topology.sizes[0] + random.int(5 - topology.sizes[0] + 1);
  const skeleton = topology.make(size, random);
  if (kind === 'edit' && skeleton.edges.some(({ label }) => label)) return undefined;
  const domain = random.pick(commonDomains);
  const lang: Language = chance(random, CHINESE) ? 'zh' : 'en';
  const scene = dress(
    skeleton,
    { family: family.name, domain, lang, allow: () => true, rules: defaultRules },
    random,
  );
  const make = kind === 'edit' ? editTask : repairTask;
  return make({ id, split, scene, domain, random });
}

/** Arrows without labels, so that a change of arrows needs no label either. */
const editable = families.filter(({ name }) => ['pipeline', 'architecture', 'tree'].includes(name));
const repairable = families.filter(({ name }) => name !== 'groups');

/** Draws one task that starts from an empty canvas; nothing when the draw does not suit the split. */
function drawScene(
  id: string,
  split: GeneratedSplit,
  kind: EpisodeKind,
  random: RandomStream,
): DiagramTask | undefined {
  const { family, topology, size } = pickTopology(split, random);
  const skeleton = topology.make(size, random);
  const hasDecision = skeleton.nodes.some(({ role }) => role === 'decision' || role === 'choice');
  const usual = family.direction;
  const choice =
    split === 'ood-rule' ? changedRules(usual, usual ? [usual] : [], hasDecision, random) : usualRules(usual);
  const domain = random.pick(split === 'ood-vocab' ? heldOutDomains : commonDomains);
  const lang: Language = split === 'ood-lang' || chance(random, CHINESE) ? 'zh' : 'en';
  const scene = dress(skeleton, { family: family.name, domain, lang, allow: () => true, ...choice }, random);
  if (!admitsGraph(split, sceneGraph(scene)) || !hasRoom(scene, choice.rules)) return undefined;
  if (choice.name === 'R1-direction' && !scene.direction) return undefined;

  const told = tell(
    scene,
    {
      words: domain[lang],
      absent: random.pick(absentWords(domain, scene)),
      heldOut: split === 'ood-phrase',
      ...(kind === 'build-up' && { messages: random.pick([2, 3] as const) }),
    },
    random,
  );
  const meta = {
    profile: 'full',
    rules: choice.name,
    coreference: told.coreference,
    shuffled: told.shuffled,
    ...(split !== 'train' && aliasIn(domain, scene)),
  };
  return assemble(scene, told, { id, split, kind, rules: choice.rules, meta });
}

function pickTopology(
  split: GeneratedSplit,
  random: RandomStream,
): { family: Family; topology: Topology; size: number } {
  const isHeldOut = split === 'ood-topology';
  const [low, high] = isHeldOut ? [2, 7] : split === 'ood-size' ? LARGER : COMMON;
  const open = (isHeldOut ? heldOutFamilies : families)
    .map((family) => ({
      family,
      topologies: family.topologies.filter(({ sizes }) => sizes[0] <= high && sizes[1] >= low),
    }))
    .filter(({ topologies }) => topologies.length > 0);
  const { family, topologies } = random.pick(open);
  const topology = random.pick(topologies);
  const smallest = Math.max(low, topology.sizes[0]);
  return { family, topology, size: smallest + random.int(Math.min(high, topology.sizes[1]) - smallest + 1) };
}
