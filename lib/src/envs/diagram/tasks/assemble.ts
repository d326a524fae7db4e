/** From a scene and its telling to a task. */
import { FONT_SIZE, lineWidth } from '../text-metrics.js';
import type { DiagramTask, EpisodeKind, ExpectedGraph, Rules } from '../types.js';
import { isPlanar } from './planar.js';
import { hasCycle, mention, type Scene, type SceneEdge, type Telling } from './scene.js';

/** The order in which the messages first speak of the scene's nodes. Throws when one is never mentioned. */
export function orderOfMention(scene: Scene, messages: readonly string[]): number[] {
  const text = messages.join('\n');
  const position = (index: number): number => {
    const at = text.indexOf(mention(index));
    if (at < 0) throw new Error(`the request never mentions ${scene.nodes[index]!.label}: ${text}`);
    return at;
  };
  return scene.nodes
    .map((_, index) => ({ index, at: position(index) }))
    .sort((a, b) => a.at - b.at)
    .map(({ index }) => index);
}

/** Replaces the placeholders by labels; Chinese text has a space between its own characters and Latin ones. */
export function fillIn(scene: Scene, message: string): string {
  return message.replace(
    /(\p{Script=Han}?)\{(g?)(\d+)\}(?=(\p{Script=Han}?))/gu,
    (_, before, group, index, after) => {
      const { label } = (group ? scene.groups : scene.nodes)[Number(index)]!;
      const left = before && /^[a-z0-9]/i.test(label) ? ' ' : '';
      const right = after && /[a-z0-9]$/i.test(label) ? ' ' : '';
      return before + left + label + right;
    },
  );
}

/** The wanted graph: nodes `n1…` in the order given, arrows in the order told, groups `g1…`. */
export function sceneGraph(
  scene: Scene,
  edges: readonly SceneEdge[] = scene.edges,
  order: readonly number[] = scene.nodes.map((_, index) => index),
): ExpectedGraph {
  const idOf = (index: number): string => `n${order.indexOf(index) + 1}`;
  return {
    nodes: order.map((index, i) => {
      const { label, shape } = scene.nodes[index]!;
      return { id: `n${i + 1}`, label, ...(shape && { shape }) };
    }),
    edges: edges.map(({ from, to, label }) => ({
      from: idOf(from),
      to: idOf(to),
      ...(label !== undefined && { label }),
    })),
    groups: scene.groups.map(({ label, members, inner }, i) => ({
      id: `g${i + 1}`,
      label,
      members: [...members.map(idOf), ...inner.map((group) => `g${group + 1}`)],
    })),
    ...(scene.direction && { direction: scene.direction }),
    ...(scene.undirected && { undirected: true }),
    ...(scene.overlaps && { overlaps: scene.overlaps.map(([a, b]) => [idOf(a), idOf(b)] as const) }),
  };
}

/** Numbers that say how hard a graph is; `longestLabel` in em. */
export function difficulty(graph: ExpectedGraph): Record<string, number | boolean> {
  const index = new Map(graph.nodes.map(({ id }, i) => [id, i]));
  const arrows = graph.edges.map(({ from, to }) => ({ from: index.get(from) ?? 0, to: index.get(to) ?? 0 }));
  const degrees = graph.nodes.map((_, i) => arrows.filter(({ from, to }) => from === i || to === i).length);
  return {
    nodes: graph.nodes.length,
    edges: graph.edges.length,
    groups: graph.groups.length,
    cycle: hasCycle(graph.nodes.length, arrows),
    planar: isPlanar(arrows),
    maxDegree: Math.max(...degrees),
    longestLabel: Math.max(...graph.nodes.map(({ label }) => lineWidth(label) / FONT_SIZE)),
  };
}

export interface Provenance {
  readonly id: string;
  readonly split: string;
  readonly kind: EpisodeKind;
  readonly rules: Rules;
  readonly meta: DiagramTask['meta'];
}

export function assemble(
  scene: Scene,
  telling: Telling,
  { id, split, kind, rules, meta }: Provenance,
): DiagramTask {
  const graph = sceneGraph(scene, telling.edges, orderOfMention(scene, telling.messages));
  return {
    id,
    split,
    kind,
    requests: telling.messages.map((message) => fillIn(scene, message)),
    graph,
    rules,
    lang: scene.lang,
    family: scene.family,
    meta: {
      ...difficulty(graph),
      topology: scene.topology,
      domain: scene.domain,
      template: telling.template,
      distractorWords: telling.distractor.split(/\s+/).filter(Boolean).length,
      ...meta,
    },
  };
}
