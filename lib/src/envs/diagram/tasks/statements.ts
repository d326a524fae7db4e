/** Cuts the arrows of a scene into things one can say in a clause. */
import type { ShapeKind } from '../types.js';
import { isDecision, type Scene, type SceneEdge } from './scene.js';

export type Statement =
  | { readonly kind: 'edge'; readonly edge: SceneEdge }
  /** Unlabelled arrows in a row, three nodes or more. */
  | { readonly kind: 'path'; readonly nodes: readonly number[] }
  /** One node to several. */
  | { readonly kind: 'fan'; readonly from: number; readonly to: readonly number[] }
  /** Several nodes to one. */
  | { readonly kind: 'gather'; readonly from: readonly number[]; readonly to: number }
  /** A decision and its labelled exits. */
  | { readonly kind: 'exits'; readonly decision: number; readonly exits: readonly SceneEdge[] }
  /** A shape that is spoken of for its own sake. */
  | { readonly kind: 'shape'; readonly node: number; readonly shape: ShapeKind }
  | { readonly kind: 'overlap'; readonly pair: readonly [number, number] };

/** The arrows that a statement tells, in the order it tells them. */
export function edgesOf(statement: Statement): readonly SceneEdge[] {
  switch (statement.kind) {
    case 'edge':
      return [statement.edge];
    case 'path':
      return statement.nodes.slice(1).map((to, i) => ({ from: statement.nodes[i]!, to }));
    case 'fan':
      return statement.to.map((to) => ({ from: statement.from, to }));
    case 'gather':
      return statement.from.map((from) => ({ from, to: statement.to }));
    case 'exits':
      return statement.exits;
    case 'shape':
    case 'overlap':
      return [];
  }
}

/** One statement an arrow; the exits of a decision stay together. */
export function separate(scene: Scene): Statement[] {
  const arrows = group(scene, (edge) => (isExit(scene, edge) ? `exit ${edge.from}` : undefined), toExits);
  return [...shapes(scene), ...arrows, ...overlaps(scene)];
}

/** As few statements as possible: exits, fans, gatherings, and what is left as paths. */
export function compact(scene: Scene): Statement[] {
  const plain = scene.edges.filter((edge) => edge.label === undefined);
  const outgoing = (node: number): number => plain.filter((edge) => edge.from === node).length;
  const incoming = (node: number): number => plain.filter((edge) => edge.to === node).length;
  const statements = group(
    scene,
    (edge) => {
      if (isExit(scene, edge)) return `exit ${edge.from}`;
      if (edge.label !== undefined) return undefined;
      if (outgoing(edge.from) > 1) return `from ${edge.from}`;
      if (incoming(edge.to) > 1) return `to ${edge.to}`;
      return undefined;
    },
    (edges) => {
      const [first] = edges as [SceneEdge];
      if (isExit(scene, first)) return toExits(edges);
      if (edges.length === 1) return { kind: 'edge', edge: first };
      return edges.every((edge) => edge.from === first.from)
        ? { kind: 'fan', from: first.from, to: edges.map((edge) => edge.to) }
        : { kind: 'gather', from: edges.map((edge) => edge.from), to: first.to };
    },
  );
  return [...shapes(scene), ...joinPaths(statements), ...overlaps(scene)];
}

/** Only where each shape has its own kind: elsewhere a note about all of them says it better. */
function shapes(scene: Scene): Statement[] {
  if (scene.family !== 'basic' || scene.undirected) return [];
  return scene.nodes.flatMap(({ shape }, node): Statement[] =>
    shape ? [{ kind: 'shape', node, shape }] : [],
  );
}

function overlaps(scene: Scene): Statement[] {
  return (scene.overlaps ?? []).map((pair) => ({ kind: 'overlap', pair }));
}

function isExit(scene: Scene, edge: SceneEdge): boolean {
  return isDecision(scene.nodes[edge.from]!) && edge.label !== undefined;
}

function toExits(edges: readonly SceneEdge[]): Statement {
  return { kind: 'exits', decision: edges[0]!.from, exits: edges };
}

/** Arrows with the same key form one statement at the place of the first; arrows without a key stand alone. */
function group(
  scene: Scene,
  keyOf: (edge: SceneEdge) => string | undefined,
  build: (edges: readonly SceneEdge[]) => Statement,
): Statement[] {
  const buckets = new Map<string, SceneEdge[]>();
  const order: (SceneEdge | SceneEdge[])[] = [];
  for (const edge of scene.edges) {
    const key = keyOf(edge);
    const bucket = key === undefined ? undefined : buckets.get(key);
    if (key === undefined) order.push(edge);
    else if (bucket) bucket.push(edge);
    else {
      const fresh = [edge];
      buckets.set(key, fresh);
      order.push(fresh);
    }
  }
  return order.map((entry) => ('from' in entry ? { kind: 'edge', edge: entry } : build(entry)));
}

/** Unlabelled arrows that continue each other, next to each other in the list, become one path. */
function joinPaths(statements: readonly Statement[]): Statement[] {
  const joined: Statement[] = [];
  for (const statement of statements) {
    const last = joined.at(-1);
    const edge = statement.kind === 'edge' && statement.edge.label === undefined ? statement.edge : undefined;
    if (edge && last?.kind === 'path' && last.nodes.at(-1) === edge.from && !last.nodes.includes(edge.to)) {
      joined[joined.length - 1] = { kind: 'path', nodes: [...last.nodes, edge.to] };
    } else if (edge && last?.kind === 'edge' && last.edge.label === undefined && continues(last.edge, edge)) {
      joined[joined.length - 1] = { kind: 'path', nodes: [last.edge.from, edge.from, edge.to] };
    } else joined.push(statement);
  }
  return joined;
}

function continues(first: SceneEdge, second: SceneEdge): boolean {
  return (
    first.to === second.from &&
    first.from !== second.to &&
    first.from !== first.to &&
    second.from !== second.to
  );
}
