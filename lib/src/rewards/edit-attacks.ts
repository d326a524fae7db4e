import { serializeActions } from '../envs/diagram/codec.js';
import type { Action } from '../envs/diagram/types.js';
import { requestAsLabel, type Attack } from './attacks.js';

/** Cheats on tasks that start from a canvas; none needs the right answer. */
export const editAttacks: Readonly<Record<string, Attack>> = {
  noop: () => '{"actions":[{"type":"finish"}]}',
  nothing: () => '{"actions":[]}',
  redraw: ({ initial, graph }) => {
    const deletes = initial!.shapes.map(({ id }): Action => ({ type: 'delete', id }));
    const creates = graph.nodes.map(({ id, label }, i): Action => ({
      type: 'create',
      shape: 'rectangle',
      id: `r${id}`,
      x: 20 + 220 * (i % 6),
      y: 40 + 160 * Math.floor(i / 6),
      width: 160,
      height: 80,
      text: label,
    }));
    const connects = graph.edges.map(({ from, to, label }): Action => ({
      type: 'connect',
      from: `r${from}`,
      to: `r${to}`,
      ...(label ? { label } : {}),
    }));
    return serializeActions([...deletes, ...creates, ...connects, { type: 'finish' }]);
  },
  wipe: ({ initial }) =>
    serializeActions([
      ...initial!.shapes.map(({ id }): Action => ({ type: 'delete', id })),
      { type: 'finish' },
    ]),
  keyword_note: (task) =>
    serializeActions([
      { type: 'create', shape: 'text', id: 'note', x: 0, y: 1000, text: requestAsLabel(task) },
      { type: 'finish' },
    ]),
  shake: ({ initial }) =>
    serializeActions([
      ...initial!.shapes.map(({ id, x, y }): Action => ({ type: 'move', id, x: x + 10, y: y + 10 })),
      { type: 'finish' },
    ]),
};
