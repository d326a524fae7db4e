/**
 * The state of the world and how actions change it. Canvases are immutable: every change returns a new one.
 *
 * Actions run in order. One that breaks a rule is skipped and recorded, and later ones still run: an all-or-nothing
 * world would give a learner no gradient, and a world that repairs silently would hide the fault from it.
 */
import { readCanvas } from './hierarchy.js';
import { textSize } from './text-metrics.js';
import type {
  Action,
  ActionErrorCode,
  ActionLog,
  ActionProblem,
  Canvas,
  Problem,
  Rules,
  Shape,
} from './types.js';

/** Pixels; the smallest width and height of a shape. */
export const MIN_SIZE = 20;
/** Most actions in one reply; those after it are refused with `E_TOO_MANY`. */
export const MAX_ACTIONS = 128;

export const defaultRules: Rules = {
  canvasWidth: 1600,
  canvasHeight: 1200,
  minGap: 24,
  grid: 10,
  decisionShape: 'diamond',
};

export function emptyCanvas(rules: Rules = defaultRules): Canvas {
  return { width: rules.canvasWidth, height: rules.canvasHeight, shapes: [], edges: [] };
}

export const emptyLog: ActionLog = { parsed: true, actions: 0, valid: 0, errors: [] };

/** Result of one action: the new canvas, or the rule it broke. */
export type Outcome =
  | { readonly ok: true; readonly canvas: Canvas }
  | { readonly ok: false; readonly code: ActionErrorCode; readonly subjects: readonly string[] };

function refuse(code: ActionErrorCode, ...subjects: string[]): Outcome {
  return { ok: false, code, subjects };
}

/** How edges are named in problems and observations. */
export function edgeName(edge: { readonly from: string; readonly to: string }): string {
  return `${edge.from}>${edge.to}`;
}

/** `E_SIZE` or `E_RANGE` when the shape is too small, too large or sticks out of the canvas. */
function boundsError(canvas: Canvas, shape: Shape): ActionErrorCode | null {
  const { x, y, width, height } = shape;
  const tooSmall = shape.shape !== 'text' && (width < MIN_SIZE || height < MIN_SIZE);
  if (tooSmall || width > canvas.width || height > canvas.height) return 'E_SIZE';
  return x < 0 || y < 0 || x + width > canvas.width || y + height > canvas.height ? 'E_RANGE' : null;
}

/** Puts changed shapes in place of those with the same ids. */
function replaceShapes(canvas: Canvas, changed: readonly Shape[]): Canvas {
  const byId = new Map(changed.map((shape) => [shape.id, shape]));
  return { ...canvas, shapes: canvas.shapes.map((shape) => byId.get(shape.id) ?? shape) };
}

function create(canvas: Canvas, action: Extract<Action, { type: 'create' }>): Outcome {
  if (canvas.shapes.some(({ id }) => id === action.id)) return refuse('E_DUP_ID', action.id);
  const { id, x, y } = action;
  const shape: Shape =
    action.shape === 'text'
      ? { id, shape: 'text', x, y, ...textSize(action.text), text: action.text }
      : {
          id,
          shape: action.shape,
          x,
          y,
          width: action.width,
          height: action.height,
          text: action.text ?? '',
        };
  const code = boundsError(canvas, shape);
  return code ? refuse(code, id) : { ok: true, canvas: { ...canvas, shapes: [...canvas.shapes, shape] } };
}

function connect(canvas: Canvas, action: Extract<Action, { type: 'connect' }>): Outcome {
  const { from, to, label = '' } = action;
  const ends = [from, to].map((end) => canvas.shapes.find(({ id }) => id === end));
  if (ends.some((end) => end === undefined)) return refuse('E_DANGLING', edgeName(action));
  if (ends.some((end) => end?.shape === 'text')) return refuse('E_ENDPOINT', edgeName(action));
  if (canvas.edges.some((edge) => edge.from === from && edge.to === to && edge.label === label)) {
    return refuse('E_DUP_EDGE', edgeName(action));
  }
  return { ok: true, canvas: { ...canvas, edges: [...canvas.edges, { from, to, label }] } };
}

/** Without a label, every arrow from `from` to `to` goes; with one, only the arrow that bears it. */
function disconnect(canvas: Canvas, action: Extract<Action, { type: 'disconnect' }>): Outcome {
  const { from, to, label } = action;
  const edges = canvas.edges.filter(
    (edge) => edge.from !== from || edge.to !== to || (label !== undefined && edge.label !== label),
  );
  return edges.length === canvas.edges.length
    ? refuse('E_MISSING', edgeName(action))
    : { ok: true, canvas: { ...canvas, edges } };
}

/** The shape itself and the text shapes that are its label: they move together. */
function withLabels(canvas: Canvas, shape: Shape): readonly Shape[] {
  const read = readCanvas(canvas);
  const labels = read.filter(
    ({ role, parent }) => role === 'label' && parent !== null && canvas.shapes[parent] === shape,
  );
  return [shape, ...labels.map((label) => label.shape)];
}

type Edit = Extract<Action, { type: 'update' | 'move' | 'resize' | 'delete' }>;

function edit(canvas: Canvas, action: Edit): Outcome {
  const old = canvas.shapes.find(({ id }) => id === action.id);
  if (!old) return refuse('E_MISSING', action.id);

  if (action.type === 'delete') {
    const shapes = canvas.shapes.filter((shape) => shape !== old);
    const edges = canvas.edges.filter(({ from, to }) => from !== old.id && to !== old.id);
    return { ok: true, canvas: { ...canvas, shapes, edges } };
  }
  // The size of a text shape follows from its text.
  if (action.type === 'resize' && old.shape === 'text') return refuse('E_SHAPE', action.id);

  const changed = { ...old, ...changes(old, action) };
  if ((['x', 'y', 'width', 'height', 'text'] as const).every((key) => changed[key] === old[key])) {
    return refuse('E_NOOP', action.id);
  }
  const code = boundsError(canvas, changed);
  if (code) return refuse(code, action.id);
  if (action.type !== 'move') return { ok: true, canvas: replaceShapes(canvas, [changed]) };
  const moved = withLabels(canvas, old).map((shape) => ({
    ...shape,
    x: shape.x + action.x - old.x,
    y: shape.y + action.y - old.y,
  }));
  return { ok: true, canvas: replaceShapes(canvas, moved) };
}

function changes(old: Shape, action: Exclude<Edit, { type: 'delete' }>): Partial<Shape> {
  switch (action.type) {
    case 'move':
      return { x: action.x, y: action.y };
    case 'resize':
      return { width: action.width, height: action.height };
    case 'update':
      return { text: action.text, ...(old.shape === 'text' ? textSize(action.text) : {}) };
  }
}

/** Runs one action. The canvas given is never changed. */
export function applyAction(canvas: Canvas, action: Action): Outcome {
  switch (action.type) {
    case 'create':
      return create(canvas, action);
    case 'connect':
      return connect(canvas, action);
    case 'disconnect':
      return disconnect(canvas, action);
    case 'finish':
      return { ok: true, canvas };
    default:
      return edit(canvas, action);
  }
}

export interface Applied {
  readonly canvas: Canvas;
  /** The given log, continued. */
  readonly log: ActionLog;
  /** The actions ended with `finish`. */
  readonly finished: boolean;
}

/**
 * Runs the actions of one reply in order. Items that the parser already refused (a problem in place of an action)
 * are recorded; so are a `finish` that is not last (`E_TYPE`) and whatever follows the 128th action (`E_TOO_MANY`).
 */
export function applyActions(
  canvas: Canvas,
  actions: readonly (Action | ActionProblem)[],
  log: ActionLog = emptyLog,
): Applied {
  let current = canvas;
  let finished = false;
  const errors: Problem[] = [];
  actions.forEach((item, actionIndex) => {
    const outcome = run(current, item, actionIndex, actionIndex === actions.length - 1);
    if (!outcome.ok) errors.push({ code: outcome.code, subjects: outcome.subjects, actionIndex });
    else if ('type' in item && item.type === 'finish') finished = true;
    else current = outcome.canvas;
  });
  return {
    canvas: current,
    log: {
      parsed: log.parsed,
      actions: log.actions + actions.length,
      valid: log.valid + actions.length - errors.length,
      errors: [...log.errors, ...errors],
    },
    finished,
  };
}

/** The log after a reply that could not be read: nothing of it ran. */
export function recordParseError(log: ActionLog, problem: Problem): ActionLog {
  return { ...log, parsed: false, errors: [...log.errors, problem] };
}

function run(canvas: Canvas, item: Action | ActionProblem, index: number, last: boolean): Outcome {
  if (index >= MAX_ACTIONS) return refuse('E_TOO_MANY');
  if ('code' in item) return refuse(item.code, ...item.subjects);
  if (item.type === 'finish' && !last) return refuse('E_TYPE');
  return applyAction(canvas, item);
}
