/** Whether a directed graph can be laid out in layers on a canvas at all: a task nobody can solve teaches nothing. */
import { lineWidth } from '../text-metrics.js';
import type { Rules } from '../types.js';
import type { Scene, SceneEdge } from './scene.js';

/** Pixels. Boxes as a careful drawer makes them: two or three words a line, air around. */
const BOX_HEIGHT = 80;
const BOX_PADDING = 24;
const GAP = 40;
const MARGIN = 20;

/** Estimates the layered drawing of a scene. Scenes without a direction may be folded as one likes and always fit. */
export function hasRoom(scene: Scene, rules: Rules): boolean {
  if (!scene.direction) return true;
  const ranks = rankNodes(scene.nodes.length, scene.edges);
  const layers = Array.from({ length: Math.max(...ranks) + 1 }, (_, rank) =>
    scene.nodes.filter((_, i) => ranks[i] === rank),
  );
  const gap = Math.max(GAP, rules.minGap);
  const label = Math.max(0, ...scene.edges.map((edge) => lineWidth(edge.label ?? '')));
  const width = (node: Scene['nodes'][number]): number =>
    boxWidth(node.label) * (node.shape === 'diamond' ? 2 : 1);
  const sum = (values: readonly number[], between: number): number =>
    values.reduce((total, value) => total + value, 0) + between * (values.length - 1);

  const sideways = scene.direction === 'LR' || scene.direction === 'RL';
  const along = sideways
    ? sum(
        layers.map((layer) => Math.max(...layer.map(width))),
        Math.max(gap, label + GAP),
      )
    : sum(
        layers.map(() => BOX_HEIGHT),
        Math.max(gap, GAP + (label > 0 ? GAP : 0)),
      );
  const across = Math.max(
    ...layers.map((layer) =>
      sideways
        ? sum(
            layer.map(() => BOX_HEIGHT),
            gap,
          )
        : sum(layer.map(width), gap),
    ),
  );
  const [room, breadth] = sideways
    ? [rules.canvasWidth, rules.canvasHeight]
    : [rules.canvasHeight, rules.canvasWidth];
  return along + 2 * MARGIN <= room && across + 2 * MARGIN <= breadth;
}

/** The widest word decides, unless the label is Chinese and breaks anywhere. */
function boxWidth(label: string): number {
  const words = label.split(' ').map(lineWidth);
  const narrow = /\p{Script=Han}/u.test(label) ? lineWidth(label) / 2 : Math.max(...words);
  return Math.max(narrow, lineWidth(label) / 2) + BOX_PADDING;
}

/** Longest path from a source, for graphs without cycles. */
function rankNodes(count: number, edges: readonly SceneEdge[]): number[] {
  const ranks = new Array<number>(count).fill(0);
  for (let round = 0; round < count; round++)
    for (const { from, to } of edges) ranks[to] = Math.max(ranks[to]!, ranks[from]! + 1);
  return ranks;
}
