/** The canonical spelling of a reply: what a policy is trained to write, byte for byte. */
import type { Action } from './types.js';

/** Every action lists its keys in this order. */
const KEY_ORDER = ['type', 'shape', 'id', 'from', 'to', 'x', 'y', 'width', 'height', 'text', 'label'];

/** Writes actions as `{"actions":[…]}` in the order given: canonical key order, no spaces, absent fields left out. */
export function serializeActions(actions: readonly Action[]): string {
  return JSON.stringify({ actions }, ['actions', ...KEY_ORDER]);
}

/** Each action up to its first id. Ids `n1 … nk` are the rule, so a second form takes the `n` along. */
const openings = [
  '{"type":"create","shape":"rectangle","id":"',
  '{"type":"create","shape":"ellipse","id":"',
  '{"type":"create","shape":"diamond","id":"',
  '{"type":"create","shape":"text","id":"',
  '{"type":"connect","from":"',
  '{"type":"update","id":"',
  '{"type":"move","id":"',
  '{"type":"resize","id":"',
  '{"type":"delete","id":"',
  '{"type":"disconnect","from":"',
  '","to":"',
].flatMap((opening) => [`${opening}n`, opening]);

/**
 * The fixed strings of the canonical form. With each as one token (leftmost-longest match), a labelled `create` is 13
 * tokens and a `connect` 5 when ids, numbers and the label are a token each.
 */
export const actionPieces: readonly string[] = [
  '{"actions":[',
  ...openings,
  '","x":',
  ',"y":',
  ',"width":',
  '","width":',
  ',"height":',
  ',"text":"',
  '","text":"',
  '","label":"',
  '"},',
  '},',
  '"}]}',
  '}]}',
  '{"type":"finish"}]}',
];
