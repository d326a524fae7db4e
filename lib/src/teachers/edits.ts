import { applyAction } from '../envs/diagram/canvas.js';
import type { Action, Canvas, Edge, Shape } from '../envs/diagram/types.js';

/**
 * The actions that turn one canvas into another, shapes being the same when their ids are: deletions first, then changes
 * of what stays, then new shapes and arrows. Throws when an action would be refused (the target breaks a rule).
 */
export function editActions(start: Canvas, target: Canvas): Action[] {
  const actions: Action[] = [];
  let canvas = start;
  const act = (action: Action): void => {
    const outcome = applyAction(canvas, action);
    if (!outcome.ok) throw new Error(`edit: ${JSON.stringify(action)} is refused with ${outcome.code}`);
    canvas = outcome.canvas;
    actions.push(action);
  };
  const find = (id: string): Shape | undefined => canvas.shapes.find((shape) => shape.id === id);

  for (const { id, shape } of start.shapes) {
    if (!target.shapes.some((wanted) => wanted.id === id && wanted.shape === shape))
      act({ type: 'delete', id });
  }
  for (const edge of canvas.edges) {
    if (!hasEdge(target, edge) && hasEdge(canvas, edge)) act({ type: 'disconnect', ...named(edge) });
  }
  // Boxes before texts: a label moves with its box.
  const inOrder = [...target.shapes].sort((a, b) => Number(a.shape === 'text') - Number(b.shape === 'text'));
  for (const wanted of inOrder) {
    const { id, x, y, width, height, text } = wanted;
    const old = find(id);
    if (old === undefined) continue;
    if (old.text !== text) act({ type: 'update', id, text });
    const resize = (): void => {
      const { width: w, height: h } = find(id)!;
      if (wanted.shape !== 'text' && (w !== width || h !== height))
        act({ type: 'resize', id, width, height });
    };
    const fitsInPlace = old.x + width <= canvas.width && old.y + height <= canvas.height;
    if (fitsInPlace) resize();
    const { x: left, y: top } = find(id)!;
    if (left !== x || top !== y) act({ type: 'move', id, x, y });
    if (!fitsInPlace) resize();
  }
  const created = target.shapes.filter(({ id }) => find(id) === undefined);
  for (const action of drawActions({
    shapes: created,
    edges: target.edges.filter((edge) => !hasEdge(canvas, edge)),
  }))
    act(action);
  return actions;
}

/** The canonical actions that draw shapes and arrows, in their order. */
export function drawActions({ shapes, edges }: Pick<Canvas, 'shapes' | 'edges'>): Action[] {
  return [
    ...shapes.map(({ id, shape, x, y, width, height, text }): Action =>
      shape === 'text'
        ? { type: 'create', shape, id, x, y, text }
        : { type: 'create', shape, id, x, y, width, height, ...(text === '' ? {} : { text }) },
    ),
    ...edges.map((edge): Action => ({ type: 'connect', ...named(edge) })),
  ];
}

export function hasEdge({ edges }: Canvas, edge: Edge): boolean {
  return edges.some(({ from, to, label }) => from === edge.from && to === edge.to && label === edge.label);
}

/** An edge as the fields of an action: no label instead of an empty one. */
function named({ from, to, label }: Edge): { from: string; to: string; label?: string } {
  return label === '' ? { from, to } : { from, to, label };
}
