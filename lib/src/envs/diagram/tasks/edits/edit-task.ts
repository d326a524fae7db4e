import type { RandomStream } from '../../../../tensor/random.js';
import type { DiagramTask, ExpectedGraph, Shape } from '../../types.js';
import { defaultRules } from '../../canvas.js';
import { admitsGraph, admitsText } from '../admission.js';
import { difficulty } from '../assemble.js';
import { capitalised } from '../phrases.js';
import { mention, type Scene, type SceneEdge } from '../scene.js';
import { absentWords, type Domain } from '../vocabulary/index.js';
import type { GeneratedSplit } from '../splits.js';
import { commonEdits, drawChange, heldOutEdits, type Change } from './changes.js';
import { editFrames, editPhrases } from './phrases.js';
import { place, placeMore, toCanvas } from './placement.js';

/** Everything a task that starts from a canvas is made of. */
export interface ChangeDraw {
  readonly id: string;
  readonly split: GeneratedSplit;
  readonly scene: Scene;
  readonly domain: Domain;
  readonly random: RandomStream;
}

/** Turns a scene with unlabelled arrows into a task to change it; nothing when the drawn change does not suit it. */
export function editTask({ id, split, scene, domain, random }: ChangeDraw): DiagramTask | undefined {
  const kind = random.pick(split === 'ood-edit' ? heldOutEdits : commonEdits);
  const change = drawChange(kind, scene, random);
  if (!change || hasDuplicate(change.edges)) return undefined;
  const added = { role: 'thing' as const, label: random.pick(absentWords(domain, scene)) };
  const isAddition = change.edges.some(({ from, to }) => Math.max(from, to) === scene.nodes.length);
  const graph = changedGraph(scene, change, isAddition ? [...scene.nodes, added] : scene.nodes, added.label);
  if (!admitsGraph(split, graph)) return undefined;
  const phrase = random.int(editPhrases[scene.lang][kind].length);
  const frame = random.int(editFrames[scene.lang].length);
  const names = change.named.map((node) => (node === 'new' ? added.label : scene.nodes[node]!.label));
  const asked = request(scene, change, phrase, frame, names);
  if (!admitsText(split, asked)) return undefined;

  const shapes = place(scene.nodes, (placed) => [
    toCanvas(placed, scene.edges),
    afterwards(placed, change, scene.nodes.length),
  ]);
  if (!shapes) return undefined;
  if (isAddition && !placeMore(shapes, added, change.edges)) return undefined;
  return {
    id,
    split,
    kind: 'edit',
    requests: [asked],
    graph,
    initial: toCanvas(shapes, scene.edges),
    rules: defaultRules,
    lang: scene.lang,
    family: 'edit',
    meta: {
      ...difficulty(graph),
      profile: 'full',
      rules: 'R0',
      change: kind,
      base: scene.family,
      topology: scene.topology,
      domain: scene.domain,
      template: `${scene.lang}/edit/${kind}-${phrase}-${frame}`,
      distractorWords: 0,
    },
  };
}

/** What stays of the canvas after the change, without what is new: the boxes that may not move must allow it. */
function afterwards(placed: readonly Shape[], change: Change, count: number): ReturnType<typeof toCanvas> {
  const stays = (node: number): boolean => node < count && node !== change.removed;
  return toCanvas(
    placed.filter((_, node) => stays(node)),
    change.edges.filter(({ from, to }) => stays(from) && stays(to)),
  );
}

function changedGraph(scene: Scene, change: Change, nodes: Scene['nodes'], newLabel: string): ExpectedGraph {
  const id = (node: number): string => `n${node + 1}`;
  const indices = nodes.map((_, node) => node).filter((node) => node !== change.removed);
  return {
    nodes: indices.map((node) => {
      const { label, shape } = nodes[node]!;
      return { id: id(node), label: node === change.renamed ? newLabel : label, ...(shape && { shape }) };
    }),
    edges: change.edges.map(({ from, to }) => ({ from: id(from), to: id(to) })),
    groups: [],
    keep: indices
      .filter((node) => node < scene.nodes.length && node !== change.renamed && node !== change.moved)
      .map(id),
  };
}

function request(
  scene: Scene,
  change: Change,
  phrase: number,
  frame: number,
  names: readonly string[],
): string {
  const fill = (text: string, values: readonly string[]): string =>
    values.reduce((filled, value, i) => filled.replaceAll(mention(i), () => value), text);
  const asked = fill(editPhrases[scene.lang][change.kind][phrase]!, names);
  return capitalised(fill(editFrames[scene.lang][frame]!, [asked]));
}

function hasDuplicate(edges: readonly SceneEdge[]): boolean {
  return new Set(edges.map(({ from, to }) => `${from}>${to}`)).size < edges.length;
}
