/** The terms of the additive textbook reward. Each looks sensible alone; their sum pays for the wrong drawings. */
import type { DiagramTask, TermValue } from '../envs/diagram/types.js';
import { overlapArea } from '../envs/diagram/geometry.js';
import type { Drawing } from './drawing.js';
import { foldLabel } from './similarity.js';

/** Arrows after which drawing more no longer pays. */
const enoughArrows = 5;
/** Cost of one overlapping pair of shapes. */
const pairCost = 0.05;

/** `words`: share of the request's distinct words that appear in any text of the drawing. */
export function wordTerm(task: DiagramTask, drawing: Drawing): TermValue {
  const asked = [...new Set(task.requests.flatMap(wordsOf))];
  const shown = new Set([
    ...drawing.boxes.flatMap(({ folded }) => folded.tokens),
    ...drawing.looseTexts.flatMap(({ text }) => wordsOf(text)),
    ...drawing.edges.flatMap(({ label }) => (label === '' ? [] : wordsOf(label))),
  ]);
  const absent = asked.filter((word) => !shown.has(word));
  return {
    value: asked.length === 0 ? 0 : 1 - absent.length / asked.length,
    evidence: absent.map((word) => `"${word}" does not appear`),
  };
}

const wordsOf = (text: string): readonly string[] => foldLabel(text).tokens;

/** `arrows`: min(1, arrows drawn / 5), whatever they connect. */
export function arrowCountTerm(drawing: Drawing): TermValue {
  return { value: Math.min(1, drawing.edges.length / enoughArrows), evidence: [] };
}

/** `overlaps`: min(1, 0.05 × pairs of shapes whose boxes overlap), nested ones included. */
export function overlapCountTerm(drawing: Drawing): TermValue {
  const shapes = [...drawing.boxes.map(({ shape }) => shape), ...drawing.looseTexts];
  const evidence = shapes.flatMap((a, index) =>
    shapes
      .slice(index + 1)
      .filter((b) => overlapArea(a, b) > 0)
      .map((b) => `${a.id} and ${b.id} overlap`),
  );
  return { value: Math.min(1, pairCost * evidence.length), evidence };
}
