/** Terms of `edit` and `repair`: was exactly the requested change made, and everything else left alone? */
import type { Canvas, ExpectedGraph, TermValue } from '../envs/diagram/types.js';
import { assign } from './assignment.js';
import { collisions, pairKey } from './collisions.js';
import { readDrawing } from './drawing.js';
import type { Box, Drawing } from './drawing.js';
import { labelInside } from './layout.js';
import { matchGraph } from './matching.js';
import type { Matching } from './matching.js';
import { foldLabel, similarity } from './similarity.js';
import { softF1 } from './soft-f1.js';
import { arrowLabelCredit } from './structure.js';

/** Something that is true of a diagram. Two facts with one subject differ in what is said about it. */
interface Fact {
  readonly kind: 'node' | 'arrow' | 'member' | 'overlap' | 'unfit';
  /** Shape id, or ids joined; ids of the starting canvas keep their meaning, new shapes take the wanted id. */
  readonly subject: string;
  readonly label: string;
}

/** A fact that became true (`+`) or stopped being true (`-`). */
interface Change extends Fact {
  readonly sign: '+' | '-';
}

/**
 * `D`: soft F1 of the change made and the change wanted. A change is a node's label, an arrow, a group member, an
 * overlap or a label that does not fit, gained or lost relative to the starting canvas. Changing nothing gives 0.
 */
export function changeTerm(
  graph: ExpectedGraph,
  initial: Canvas,
  drawing: Drawing,
  matching: Matching,
): TermValue {
  const start = readDrawing(initial);
  const startFacts = drawnFacts(graph, start, matchGraph(graph, start), (id) => id);
  const wanted = changesBetween(startFacts, wantedFacts(graph));
  const rename = renameNewShapes(graph, initial, drawing.boxes);
  const produced = changesBetween(startFacts, drawnFacts(graph, drawing, matching, rename));
  if (produced.length === 0) return { value: 0, evidence: ['nothing changed'] };

  const key = ({ sign, kind, subject, label }: Change): string =>
    sign === '+' ? `+ ${kind} ${subject}` : `- ${kind} ${subject} ${foldLabel(label).text}`;
  const match = softF1(wanted, produced, key, key, changeCredit);
  return {
    value: match.value,
    evidence: [
      ...match.missing.map((change) => `not done: ${describe(change)}`),
      ...match.extra.map((change) => `not asked for: ${describe(change)}`),
      ...match.imperfect.map(([asked, done]) => `${describe(done)}, not "${asked.label}"`),
    ],
  };
}

/** `K`: share of shapes to keep that still have their position and the right label; 1 if there are none. */
export function keepTerm(graph: ExpectedGraph, initial: Canvas | undefined, drawing: Drawing): TermValue {
  const keep = graph.keep ?? [];
  if (!initial || keep.length === 0) return { value: 1, evidence: [] };
  const before = new Map(readDrawing(initial).boxes.map((box) => [box.shape.id, box]));
  const after = new Map(drawing.boxes.map((box) => [box.shape.id, box]));
  const wanted = new Map([...graph.nodes, ...graph.groups].map(({ id, label }) => [id, label]));
  const disturbed = keep.filter((id) => {
    const [old, now] = [before.get(id), after.get(id)];
    if (!old || !now) return true;
    const isMoved = old.shape.x !== now.shape.x || old.shape.y !== now.shape.y;
    return isMoved || foldLabel(wanted.get(id) ?? old.label).text !== now.folded.text;
  });
  return {
    value: 1 - disturbed.length / keep.length,
    evidence: disturbed.map((id) => `${id} was to stay as it was`),
  };
}

function wantedFacts(graph: ExpectedGraph): Fact[] {
  return [
    ...[...graph.nodes, ...graph.groups].map(({ id, label }): Fact => ({ kind: 'node', subject: id, label })),
    ...graph.edges.map(({ from, to, label = '' }) => arrowFact(graph, from, to, label)),
    ...graph.groups.flatMap(({ id, members }) => members.map((member) => memberFact(member, id))),
  ];
}

function drawnFacts(
  graph: ExpectedGraph,
  drawing: Drawing,
  matching: Matching,
  rename: (id: string) => string,
): Fact[] {
  return [
    ...drawing.boxes.map(({ shape, label }): Fact => ({ kind: 'node', subject: rename(shape.id), label })),
    ...drawing.looseTexts.map(({ id, text }): Fact => ({ kind: 'node', subject: rename(id), label: text })),
    ...drawing.edges.map(({ from, to, label }) => arrowFact(graph, rename(from), rename(to), label)),
    ...drawing.boxes.flatMap(({ shape, parent }) =>
      parent === null ? [] : [memberFact(rename(shape.id), rename(parent))],
    ),
    ...collisions(graph, drawing, matching).map(({ a, b }): Fact => ({
      kind: 'overlap',
      subject: pairKey(rename(a.id), rename(b.id)),
      label: '',
    })),
    ...drawing.boxes
      .filter((box) => !box.isContainer && !labelInside(box))
      .map(({ shape }): Fact => ({ kind: 'unfit', subject: rename(shape.id), label: '' })),
  ];
}

function arrowFact(graph: ExpectedGraph, from: string, to: string, label: string): Fact {
  return { kind: 'arrow', subject: graph.undirected ? pairKey(from, to) : `${from}>${to}`, label };
}

function memberFact(member: string, group: string): Fact {
  return { kind: 'member', subject: `${member} in ${group}`, label: '' };
}

/** Shapes that were not on the starting canvas take the id of the new wanted node that their label fits best. */
function renameNewShapes(
  graph: ExpectedGraph,
  initial: Canvas,
  boxes: readonly Box[],
): (id: string) => string {
  const known = new Set(initial.shapes.map(({ id }) => id));
  const wanted = [...graph.nodes, ...graph.groups].filter(({ id }) => !known.has(id));
  const added = boxes.filter(({ shape }) => !known.has(shape.id));
  const columns = assign(wanted.map(({ label }) => added.map((box) => similarity(label, box.label))));
  const names = new Map(added.map(({ shape }) => [shape.id, `new ${shape.id}`]));
  columns.forEach((column, row) => {
    if (column !== -1) names.set(added[column]!.shape.id, wanted[row]!.id);
  });
  return (id) => names.get(id) ?? id;
}

function changesBetween(before: readonly Fact[], after: readonly Fact[]): Change[] {
  const tally = new Map<string, { fact: Fact; count: number }>();
  const count = (facts: readonly Fact[], step: number): void => {
    for (const fact of facts) {
      const key = `${fact.kind} ${fact.subject} ${foldLabel(fact.label).text}`;
      const entry = tally.get(key) ?? { fact, count: 0 };
      entry.count += step;
      tally.set(key, entry);
    }
  };
  count(before, -1);
  count(after, 1);
  return [...tally.values()].flatMap(({ fact, count: change }) =>
    Array.from({ length: Math.abs(change) }, (): Change => ({ ...fact, sign: change > 0 ? '+' : '-' })),
  );
}

function changeCredit(wanted: Change, produced: Change): number {
  if (wanted.sign === '-') return 1;
  if (wanted.kind === 'arrow') return arrowLabelCredit(wanted.label, produced.label);
  return wanted.kind === 'node' ? similarity(wanted.label, produced.label) : 1;
}

function describe({ sign, kind, subject, label }: Change): string {
  return `${sign === '+' ? 'add' : 'remove'} ${kind} ${subject}${label === '' ? '' : ` "${label}"`}`;
}
