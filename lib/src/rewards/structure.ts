/** Terms that ask: is it the graph that was requested? None looks at where things are, but for group membership. */
import type { ActionLog, ExpectedGraph, TermValue } from '../envs/diagram/types.js';
import type { Drawing } from './drawing.js';
import type { Matching } from './matching.js';
import { similarity } from './similarity.js';
import { softF1 } from './soft-f1.js';

/** An unrequested label on a requested arrow. */
const unwantedLabelCredit = 0.9;

/** `p`: 1 if every reply could be read as `{"actions":[…]}`. */
export function parseTerm(log: ActionLog): TermValue {
  return log.parsed ? { value: 1, evidence: [] } : { value: 0, evidence: log.errors.map(({ code }) => code) };
}

/** `v`: valid actions / all actions; 0 when there were none. */
export function validTerm(log: ActionLog): TermValue {
  return {
    value: log.actions === 0 ? 0 : log.valid / log.actions,
    evidence: log.errors.map(({ code, subjects }) => [code, ...subjects].join(' ')),
  };
}

/** `N`: 2 Σ match quality / (boxes + ½ loose texts + wanted nodes + wanted groups). */
export function nodeTerm(graph: ExpectedGraph, drawing: Drawing, matching: Matching): TermValue {
  const wanted = [...graph.nodes, ...graph.groups];
  const evidence: string[] = [];
  let quality = 0;
  for (const { id, label } of wanted) {
    const pair = matching.get(id);
    quality += pair?.quality ?? 0;
    if (!pair) evidence.push(`missing "${label}"`);
    else if (pair.quality < 1) evidence.push(`"${pair.box.label}" is not quite "${label}"`);
  }
  const used = new Set([...matching.values()].map(({ box }) => box));
  for (const box of drawing.boxes)
    if (!used.has(box)) evidence.push(`extra box ${box.shape.id} "${box.label}"`);
  for (const text of drawing.looseTexts) evidence.push(`loose text ${text.id} "${text.text}"`);
  const size = drawing.boxes.length + 0.5 * drawing.looseTexts.length + wanted.length;
  return { value: size === 0 ? 0 : (2 * quality) / size, evidence };
}

/**
 * `E`: soft F1 of arrows. Ends and direction must agree; a wanted label counts for half, an unwanted one costs a tenth.
 * When no arrows are wanted, 1 / (1 + arrows drawn).
 */
export function edgeTerm(graph: ExpectedGraph, drawing: Drawing, matching: Matching): TermValue {
  if (graph.edges.length === 0) {
    return {
      value: 1 / (1 + drawing.edges.length),
      evidence: drawing.edges.map(({ from, to }) => `extra arrow ${from}>${to}`),
    };
  }
  const ends = (from: string, to: string): string =>
    (graph.undirected && to < from ? [to, from] : [from, to]).join('>');
  const labels = new Map([...graph.nodes, ...graph.groups].map(({ id, label }) => [id, label]));
  const match = softF1(
    graph.edges,
    drawing.edges,
    ({ from, to }) => ends(matching.get(from)?.box.shape.id ?? '?', matching.get(to)?.box.shape.id ?? '?'),
    ({ from, to }) => ends(from, to),
    (wanted, produced) => arrowLabelCredit(wanted.label ?? '', produced.label),
  );
  return {
    value: match.value,
    evidence: [
      ...match.missing.map(({ from, to }) => `missing arrow "${labels.get(from)}">"${labels.get(to)}"`),
      ...match.extra.map(({ from, to }) => `extra arrow ${from}>${to}`),
      ...match.imperfect.map(
        ([wanted, { from, to, label }]) => `arrow ${from}>${to} says "${label}", not "${wanted.label ?? ''}"`,
      ),
    ],
  };
}

/** What an arrow between the right ends is worth, in (0, 1], by its label. */
export function arrowLabelCredit(wanted: string, produced: string): number {
  if (wanted === '') return produced === '' ? 1 : unwantedLabelCredit;
  return 0.5 + 0.5 * similarity(wanted, produced);
}

/** `M`: mean Jaccard index of wanted and produced group members; 1 if no groups are wanted. */
export function memberTerm(graph: ExpectedGraph, drawing: Drawing, matching: Matching): TermValue {
  if (graph.groups.length === 0) return { value: 1, evidence: [] };
  const evidence: string[] = [];
  let total = 0;
  for (const { id, label, members } of graph.groups) {
    const container = matching.get(id)?.box;
    const wanted = new Set(members.map((member) => matching.get(member)?.box.shape.id ?? `?${member}`));
    const produced = container
      ? drawing.boxes.filter(({ parent }) => parent === container.shape.id).map(({ shape }) => shape.id)
      : [];
    const shared = produced.filter((member) => wanted.has(member)).length;
    const jaccard = shared / (wanted.size + produced.length - shared);
    if (jaccard < 1) evidence.push(`group "${label}" holds ${produced.join(', ') || 'nothing'}`);
    total += jaccard;
  }
  return { value: total / graph.groups.length, evidence };
}

/**
 * `G`, the gate: N · (0.25 + 0.75 E) · (0.5 + 0.5 M), or N · E · (…) when no arrows are wanted. In [0, 1].
 * Nodes come first: without them arrows and groups are worth nothing.
 */
export function structureTerm(
  graph: ExpectedGraph,
  nodes: number,
  edges: number,
  members: number,
): TermValue {
  const edgeFactor = graph.edges.length === 0 ? edges : 0.25 + 0.75 * edges;
  return { value: nodes * edgeFactor * (0.5 + 0.5 * members), evidence: [] };
}
