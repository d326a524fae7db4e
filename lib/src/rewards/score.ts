/** The reward of a drawing: all terms, then a formula over them. */
import type { ActionLog, Canvas, DiagramTask, Score, Scorer, TermValue } from '../envs/diagram/types.js';
import { changeTerm, keepTerm } from './changes.js';
import { collisions, overlapTerm } from './collisions.js';
import { readDrawing } from './drawing.js';
import { valueOf } from './formula.js';
import type { Formula } from './formula.js';
import * as layout from './layout.js';
import { matchGraph } from './matching.js';
import { arrowCountTerm, overlapCountTerm, wordTerm } from './naive.js';
import { formulas, layoutFormula, softFormula } from './presets.js';
import type { RewardPreset } from './presets.js';
import { ruleTerm } from './rules.js';
import * as structure from './structure.js';
import { succeeds } from './success.js';

const notAsked: TermValue = { value: 1, evidence: [] };

/**
 * Every term of every preset, each in [0, 1] with its evidence; formulas choose among them.
 *
 * `gate` is what layout is worth nothing without: `changes` when the task starts from a canvas, else `structure`.
 */
export function scoreTerms(task: DiagramTask, canvas: Canvas, log: ActionLog): Record<string, TermValue> {
  const { graph, initial, rules } = task;
  const drawing = readDrawing(canvas);
  const matching = matchGraph(graph, drawing);
  const nodes = structure.nodeTerm(graph, drawing, matching);
  const edges = structure.edgeTerm(graph, drawing, matching);
  const members = structure.memberTerm(graph, drawing, matching);
  const whole = structure.structureTerm(graph, nodes.value, edges.value, members.value);
  const changes = initial ? changeTerm(graph, initial, drawing, matching) : notAsked;
  const gap = layout.gapTerm(graph, drawing, matching, rules.minGap);
  const terms: Record<string, TermValue> = {
    parse: structure.parseTerm(log),
    valid: structure.validTerm(log),
    nodes,
    edges,
    members,
    structure: whole,
    changes,
    gate: initial ? changes : whole,
    keep: keepTerm(graph, initial, drawing),
    overlap: overlapTerm(drawing, collisions(graph, drawing, matching)),
    fit: layout.fitTerm(drawing),
    through: layout.throughTerm(drawing),
    crossings: layout.crossingTerm(drawing),
    gap,
    alignment: layout.alignmentTerm(drawing),
    length: layout.lengthTerm(drawing),
    edgeLabels: layout.edgeLabelTerm(drawing),
    direction: layout.directionTerm(graph, drawing),
    rules: ruleTerm(rules, drawing, gap.value),
    words: wordTerm(task, drawing),
    arrows: arrowCountTerm(drawing),
    overlaps: overlapCountTerm(drawing),
  };
  terms['soft'] = { value: valueOf(softFormula, valuesOf(terms)), evidence: [] };
  terms['layout'] = { value: valueOf(layoutFormula, valuesOf(terms)), evidence: [] };
  for (const [name, { value, evidence }] of Object.entries(terms)) {
    terms[name] = { value: unit(`term "${name}" of task ${task.id}`, value), evidence };
  }
  return terms;
}

function valuesOf(terms: Readonly<Record<string, TermValue>>): Record<string, number> {
  return Object.fromEntries(Object.entries(terms).map(([name, { value }]) => [name, value]));
}

/**
 * A scorer that pays by the given formula. `success` and the terms are the same for all formulas, so that runs
 * with different rewards can be compared.
 *
 * @throws RangeError (the scorer) when a term or the reward is not a number in [0, 1].
 */
export function scorerOf(formula: Formula): Scorer {
  return (task: DiagramTask, canvas: Canvas, log: ActionLog): Score => {
    const terms = scoreTerms(task, canvas, log);
    return {
      reward: unit(`reward of task ${task.id}`, valueOf(formula, valuesOf(terms))),
      success: succeeds(terms, log),
      terms,
    };
  };
}

/** Sums of weights such as 0.02 + 0.08 + 0.9 may leave [0, 1] by rounding; anything further out is a bug. */
const rounding = 1e-9;

function unit(name: string, value: number): number {
  if (!(value >= -rounding && value <= 1 + rounding)) {
    throw new RangeError(`${name} is ${value}, outside [0, 1]; correct the formula or the term`);
  }
  return Math.min(1, Math.max(0, value));
}

/** Ready-made scorers; see `formulas`. */
export const rewardPresets: Readonly<Record<RewardPreset, Scorer>> = {
  gated: scorerOf(formulas.gated),
  naive: scorerOf(formulas.naive),
  'no-layout': scorerOf(formulas['no-layout']),
  'no-gate': scorerOf(formulas['no-gate']),
};

/** The structure-gated reward: what training uses unless told otherwise. */
export const scoreDiagram: Scorer = rewardPresets.gated;
