/**
 * A layered layout of boxes and groups: ranks along the flow, orders across it; no randomness, whole grid units.
 *
 * "Main" is the axis along which arrows flow, "cross" the other one. A group occupies a *lane*, a strip of the cross
 * axis that no foreign box enters over the ranks the group spans, so a group box never swallows a stranger.
 */
import type { Box } from '../envs/diagram/geometry.js';
import type { Direction } from '../envs/diagram/types.js';
import { snap, snapUp } from './grid.js';
import { groupPadding, groupTitle, wrapGroups, type LayoutGroup } from './groups.js';
import { breakCycles, longestPathRanks, type Arc } from './ranks.js';
import { spread } from './spread.js';

export interface LayoutNode {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** Free pixels to leave on every side, e.g. for self-loops. */
  readonly room?: number;
}

export interface LayoutGraph {
  readonly nodes: readonly LayoutNode[];
  /** Ends are ids of nodes or groups. */
  readonly edges: readonly { readonly from: string; readonly to: string }[];
  readonly groups: readonly LayoutGroup[];
}

export interface LayoutStyle {
  readonly direction: Direction;
  /** Free pixels between two ranks. */
  readonly rankGap: number;
  /** Free pixels between two boxes of a rank. */
  readonly nodeGap: number;
  /** `balanced`: boxes centred on their neighbours; `stacked`: each rank starts on the same line. */
  readonly placement: 'balanced' | 'stacked';
  /** `shared`: loose boxes may sit before and after a group on its own line; `separate`: they get lanes of their own. */
  readonly lanes: 'shared' | 'separate';
  /** Every coordinate is a multiple of this many pixels; sizes should be even multiples. */
  readonly grid: number;
}

interface Span {
  readonly start: number;
  readonly size: number;
}

/** Cross positions of everything inside one level of nesting, relative to its own start. */
interface Level {
  readonly spans: ReadonlyMap<string, Span>;
  readonly size: number;
  /** The line that is put on the axis of a surrounding lane: the middle of the members, not of the borders. */
  readonly axis: number;
}

interface Lane {
  readonly groups: LayoutGroup[];
  readonly nodes: number[];
  readonly taken: Set<number>;
}

/** The graph seen along the flow. */
interface Flow {
  readonly graph: LayoutGraph;
  readonly style: LayoutStyle;
  readonly horizontal: boolean;
  readonly indexOf: ReadonlyMap<string, number>;
  readonly groupOf: ReadonlyMap<string, LayoutGroup>;
  readonly arcs: readonly Arc[];
  readonly ranks: readonly number[];
  readonly main: readonly number[];
  readonly cross: readonly number[];
  /** Group borders, pixels: before and after the members, on each axis. */
  readonly border: Readonly<Record<'mainBefore' | 'mainAfter' | 'crossBefore' | 'crossAfter', number>>;
}

/**
 * Places every node and group of a graph; the top left corner of the drawing is (0, 0).
 * The same graph and style always give the same result. Throws when an edge or a member names an unknown id.
 */
export function layeredLayout(graph: LayoutGraph, style: LayoutStyle): Map<string, Box> {
  const flow = analyse(graph, style);
  const inside = new Set(graph.groups.flatMap(({ members }) => members));
  const top = [...graph.nodes, ...graph.groups].map(({ id }) => id).filter((id) => !inside.has(id));
  const cross = placeLevel(flow, top).spans;
  const main = placeMain(flow);
  const boxes = new Map<string, Box>();
  for (const { id } of graph.nodes) {
    const [across, along] = [cross.get(id)!, main.get(id)!];
    const [x, y] = flow.horizontal ? [along, across] : [across, along];
    boxes.set(id, { x: x.start, y: y.start, width: x.size, height: y.size });
  }
  return wrapGroups(boxes, graph.groups, style.grid);
}

function analyse(graph: LayoutGraph, style: LayoutStyle): Flow {
  const horizontal = style.direction === 'LR' || style.direction === 'RL';
  const indexOf = new Map(graph.nodes.map(({ id }, index) => [id, index]));
  const groupOf = new Map(graph.groups.map((group) => [group.id, group]));
  const leaves = (id: string): number[] => leavesOf({ indexOf, groupOf }, id);
  const arcs = breakCycles(
    graph.nodes.length,
    graph.edges.flatMap(({ from, to }) => {
      const [sources, targets] = [leaves(from), leaves(to)];
      const apart = targets.filter((target) => !sources.includes(target));
      return sources
        .filter((source) => !targets.includes(source))
        .flatMap((source) => apart.map((target): Arc => [source, target]));
    }),
  );
  const size = (node: LayoutNode, along: boolean): number =>
    (along ? node.width : node.height) + 2 * (node.room ?? 0);
  const padding = snapUp(groupPadding, style.grid);
  const title = padding + snapUp(groupTitle, style.grid);
  return {
    graph,
    style,
    horizontal,
    indexOf,
    groupOf,
    arcs,
    ranks: longestPathRanks(graph.nodes.length, arcs),
    main: graph.nodes.map((node) => size(node, horizontal)),
    cross: graph.nodes.map((node) => size(node, !horizontal)),
    border: {
      mainBefore: style.direction === 'TB' ? title : padding,
      mainAfter: style.direction === 'BT' ? title : padding,
      crossBefore: horizontal ? title : padding,
      crossAfter: padding,
    },
  };
}

/** Cross positions: groups and loose nodes share out the lanes, and the lanes are packed side by side. */
function placeLevel(flow: Flow, ids: readonly string[]): Level {
  const { ranks, style } = flow;
  const lanes: Lane[] = [];
  const laneFor = (span: readonly number[], shared: boolean): Lane => {
    const free = (lane: Lane): boolean => !span.some((rank) => lane.taken.has(rank));
    let lane = lanes.find((candidate) => free(candidate) && (shared || candidate.groups.length === 0));
    if (lane === undefined) lanes.push((lane = { groups: [], nodes: [], taken: new Set() }));
    return lane;
  };
  for (const group of ids.flatMap((id) => flow.groupOf.get(id) ?? [])) {
    const [first, last] = rankRange(flow, group.id);
    const span = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    const lane = laneFor(span, true);
    lane.groups.push(group);
    span.forEach((rank) => lane.taken.add(rank));
  }
  for (const node of ids.flatMap((id) => flow.indexOf.get(id) ?? [])) {
    laneFor([ranks[node]!], style.lanes === 'shared').nodes.push(node);
  }
  const spans = new Map<string, Span>();
  let end = 0;
  let axis = 0;
  for (const lane of lanes) {
    const placed = placeLane(flow, lane);
    const start = end === 0 ? 0 : end + snapUp(style.nodeGap, style.grid);
    shiftInto(spans, placed.spans, start);
    end = start + placed.size;
    axis = lanes.length === 1 ? placed.axis : snap(end / 2, style.grid);
  }
  return { spans, size: end, axis };
}

function placeLane(flow: Flow, lane: Lane): Level {
  const { graph, cross, style } = flow;
  const local = new Map(lane.nodes.map((node, index) => [node, index]));
  const arcs = flow.arcs.flatMap(([from, to]): Arc[] => {
    const [source, target] = [local.get(from), local.get(to)];
    return source === undefined || target === undefined ? [] : [[source, target]];
  });
  const centres = spread(
    lane.nodes.map((node) => flow.ranks[node]!),
    lane.nodes.map((node) => cross[node]!),
    arcs,
    snapUp(style.nodeGap, style.grid),
    style.placement,
  ).map((centre) => snap(centre, style.grid)); // whole-grid separations survive rounding
  const middle = snap((Math.min(0, ...centres) + Math.max(0, ...centres)) / 2, style.grid);
  const blocks = lane.groups.map((group) => placeGroup(flow, group));
  const boxes = lane.nodes.map((node, index): Span => {
    const axis = blocks.length === 0 ? 0 : middle;
    return { start: centres[index]! - axis - cross[node]! / 2, size: cross[node]! };
  });
  const all = [...boxes, ...blocks.map(({ axis, size }) => ({ start: -axis, size }))];
  const low = Math.min(...all.map(({ start }) => start));
  const high = Math.max(...all.map(({ start, size }) => start + size));
  const spans = new Map<string, Span>();
  boxes.forEach(({ start, size }, index) => {
    const { id, room = 0 } = graph.nodes[lane.nodes[index]!]!;
    spans.set(id, { start: start - low + room, size: size - 2 * room });
  });
  for (const block of blocks) shiftInto(spans, block.spans, -block.axis - low);
  return { spans, size: high - low, axis: blocks.length === 0 ? snap((high - low) / 2, style.grid) : -low };
}

function placeGroup(flow: Flow, group: LayoutGroup): Level {
  const { border, horizontal, style } = flow;
  const inner = placeLevel(flow, group.members);
  const title = snapUp(group.titleWidth - border.crossBefore - border.crossAfter, style.grid);
  const content = horizontal ? inner.size : Math.max(inner.size, title);
  const shift = border.crossBefore + snap((content - inner.size) / 2, style.grid);
  const size = border.crossBefore + content + border.crossAfter;
  const spans = new Map<string, Span>();
  shiftInto(spans, inner.spans, shift);
  return { spans, size, axis: inner.axis + shift };
}

function shiftInto(target: Map<string, Span>, spans: ReadonlyMap<string, Span>, shift: number): void {
  for (const [id, span] of spans) target.set(id, { ...span, start: span.start + shift });
}

/** Main positions: every rank as deep as its deepest box, with room for the group borders that lie between two ranks. */
function placeMain(flow: Flow): Map<string, Span> {
  const { graph, ranks, main, border, style, horizontal } = flow;
  const depth = Array.from({ length: Math.max(-1, ...ranks) + 1 }, (_, rank) =>
    Math.max(0, ...main.filter((_size, node) => ranks[node] === rank)),
  );
  const ranges = new Map(graph.groups.map((group) => [group, rankRange(flow, group.id)]));
  for (const [group, [first, last]] of ranges) {
    if (!horizontal || first !== last) continue;
    depth[first] = Math.max(
      depth[first]!,
      snapUp(group.titleWidth - border.mainBefore - border.mainAfter, style.grid),
    );
  }
  // Borders of nested groups that start (end) at the same rank lie beside each other: count how many.
  const nesting = (group: LayoutGroup, side: 0 | 1): number => {
    const rank = ranges.get(group)![side];
    const inner = group.members.flatMap((id) => flow.groupOf.get(id) ?? []);
    return (
      1 +
      Math.max(
        0,
        ...inner.filter((each) => ranges.get(each)![side] === rank).map((each) => nesting(each, side)),
      )
    );
  };
  const bordersAt = (rank: number, side: 0 | 1): number =>
    Math.max(
      0,
      ...graph.groups
        .filter((group) => ranges.get(group)![side] === rank)
        .map((group) => nesting(group, side)),
    );
  const starts: number[] = [];
  let end = 0;
  depth.forEach((size, rank) => {
    const gap = rank === 0 ? 0 : snapUp(style.rankGap, style.grid);
    starts.push(end + gap + bordersAt(rank, 0) * border.mainBefore);
    end = starts[rank]! + size + bordersAt(rank, 1) * border.mainAfter;
  });
  const flipped = style.direction === 'RL' || style.direction === 'BT';
  const spans = new Map<string, Span>();
  graph.nodes.forEach(({ id, room = 0 }, node) => {
    const rank = ranks[node]!;
    const start = starts[rank]! + snap((depth[rank]! - main[node]!) / 2, style.grid) + room;
    const size = main[node]! - 2 * room;
    spans.set(id, { start: flipped ? end - start - size : start, size });
  });
  return spans;
}

function leavesOf({ indexOf, groupOf }: Pick<Flow, 'indexOf' | 'groupOf'>, id: string): number[] {
  const index = indexOf.get(id);
  if (index !== undefined) return [index];
  const group = groupOf.get(id);
  if (group === undefined) throw new Error(`layout: no node or group has the id "${id}"`);
  return group.members.flatMap((member) => leavesOf({ indexOf, groupOf }, member));
}

function rankRange(flow: Flow, id: string): [first: number, last: number] {
  const own = leavesOf(flow, id).map((node) => flow.ranks[node]!);
  return [Math.min(...own), Math.max(...own)];
}
