/**
 * What the policy reads. A plain table, not JSON: models keep their place in it better and it takes a third of the
 * characters. It never contains a score, which would be an oracle to climb inside the episode.
 */
import { edgeName } from './canvas.js';
import type { Canvas, Direction, Problem, Rules, Shape } from './types.js';

/** Most problems shown at once. */
export const MAX_PROBLEMS = 12;

export interface ObservationParts {
  /** Shown in the first observation of an episode. */
  readonly rules?: Rules;
  readonly direction?: Direction;
  /** Shown once there is something on it. */
  readonly canvas?: Canvas;
  readonly problems?: readonly Problem[];
  /** Replies the policy may still give; absent when there is only one. */
  readonly stepsLeft?: number;
  readonly request: string;
}

/** The fixed words of the rules line and of the request's start: one token each, or they would be half of a short prompt. */
export const observationPieces: readonly string[] = [
  'RULES ',
  ' gap ',
  ' grid ',
  ' decision diamond',
  ' decision ellipse',
  ...(['LR', 'RL', 'TB', 'BT'] satisfies Direction[]).map((direction) => ` flow ${direction}`),
  '\nREQUEST ',
];

/** Renders an observation, one line a fact, the request last. */
export function observe(parts: ObservationParts): string {
  const { rules, direction, canvas, problems, stepsLeft, request } = parts;
  return [
    ...(rules ? [rulesLine(rules, direction)] : []),
    ...(canvas ? canvasLines(canvas) : []),
    ...(problems ? [problemsLine(problems)] : []),
    ...(stepsLeft !== undefined ? [`STEPS LEFT ${stepsLeft}`] : []),
    `REQUEST ${request}`,
  ].join('\n');
}

function rulesLine(rules: Rules, direction: Direction | undefined): string {
  const { canvasWidth, canvasHeight, minGap, grid, decisionShape } = rules;
  const flow = direction ? ` flow ${direction}` : '';
  return `RULES ${canvasWidth}x${canvasHeight} gap ${minGap} grid ${grid} decision ${decisionShape}${flow}`;
}

/** Shapes and edges in creation order; a label is the last thing on its line. */
function canvasLines(canvas: Canvas): readonly string[] {
  return [
    `CANVAS ${canvas.width}x${canvas.height}`,
    ...canvas.shapes.map((shape) => withLabel(shapeFacts(shape), shape.text)),
    ...canvas.edges.map((edge) => withLabel(edgeName(edge), edge.label)),
  ];
}

function shapeFacts({ id, shape, x, y, width, height }: Shape): string {
  return `${id} ${shape === 'rectangle' ? 'rect' : shape} ${x},${y} ${width}x${height}`;
}

function withLabel(facts: string, label: string): string {
  return label === '' ? facts : `${facts} ${label.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`;
}

function problemsLine(problems: readonly Problem[]): string {
  const shown = problems.slice(0, MAX_PROBLEMS).map(describeProblem);
  return `PROBLEMS ${shown.length > 0 ? shown.join(' | ') : 'none'}`;
}

/** A problem in one phrase: `E_DANGLING n1>n9`, or its place in the reply (from 1) when nothing in it could be named. */
export function describeProblem({ code, subjects, actionIndex }: Problem): string {
  if (subjects.length > 0) return [code, ...subjects].join(' ');
  return actionIndex === undefined ? code : `${code} action ${actionIndex + 1}`;
}
