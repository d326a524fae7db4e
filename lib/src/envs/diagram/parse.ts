/**
 * From a policy's reply, any string at all, to actions. Strict, linear in the length of the reply, and never throws.
 *
 * `JSON.parse` alone is too kind: it keeps the last of duplicate keys, reads `1e400` as Infinity and nests without
 * limit. So: length and depth → duplicate keys → `JSON.parse` → exactly one `actions` array → each action by itself.
 */
import { actionTypes, isId, schemaOf, type ActionType } from './actions.js';
import { edgeName } from './canvas.js';
import type { Action, ActionErrorCode, ActionProblem, ParseErrorCode, Problem } from './types.js';

/** Longest reply in UTF-8 bytes; 128 labelled actions fit. */
export const MAX_REPLY_BYTES = 16_384;
/** A valid reply nests three deep (reply, list, action). */
export const MAX_DEPTH = 8;

export type ParsedReply =
  | {
      readonly ok: true;
      /** One item per action of the reply; refused ones are replaced by what was wrong. */
      readonly actions: readonly (Action | ActionProblem)[];
    }
  | { readonly ok: false; readonly problem: Problem };

/**
 * Reads a reply of the form `{"actions":[…]}`.
 *
 * @param allowed action types open to the policy this turn (default: all); others are refused with `E_TYPE`.
 */
export function parseActions(reply: string, allowed: readonly ActionType[] = actionTypes): ParsedReply {
  if (isTooLong(reply)) return failure('E_TOO_LONG');
  const { tooDeep, duplicateKey } = scan(reply);
  if (tooDeep) return failure('E_DEPTH');
  let value: unknown;
  try {
    value = JSON.parse(reply);
  } catch {
    return failure('E_PARSE');
  }
  if (duplicateKey) return failure('E_DUP_KEY');
  if (!isRecord(value) || Object.keys(value).length !== 1 || !Array.isArray(value['actions'])) {
    return failure('E_ROOT');
  }
  const items: readonly unknown[] = value['actions'];
  return { ok: true, actions: items.map((item, index) => parseAction(item, index, allowed)) };
}

function failure(code: ParseErrorCode): ParsedReply {
  return { ok: false, problem: { code, subjects: [] } };
}

function isTooLong(reply: string): boolean {
  if (reply.length > MAX_REPLY_BYTES) return true;
  let bytes = 0;
  for (let i = 0; i < reply.length; i++) {
    const unit = reply.charCodeAt(i);
    // Each half of a surrogate pair counts two of its four bytes.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 2 : 3;
  }
  return bytes > MAX_REPLY_BYTES;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Scan {
  readonly tooDeep: boolean;
  readonly duplicateKey: boolean;
}

/** One pass over JSON text that only looks at strings and brackets. On text that is not JSON its answer has no meaning. */
function scan(text: string): Scan {
  /** Open containers: the keys seen so far for an object, `null` for an array. */
  const open: (Set<string> | null)[] = [];
  let keyExpected = false;
  let duplicateKey = false;
  for (let i = 0; i < text.length; i++) {
    switch (text[i]) {
      case '"': {
        const end = endOfString(text, i);
        const keys = open.at(-1);
        if (keyExpected && keys) {
          const key = decodeString(text.slice(i, end + 1));
          duplicateKey ||= keys.has(key);
          keys.add(key);
          keyExpected = false;
        }
        i = end;
        break;
      }
      case '{':
      case '[':
        open.push(text[i] === '{' ? new Set() : null);
        if (open.length > MAX_DEPTH) return { tooDeep: true, duplicateKey };
        keyExpected = text[i] === '{';
        break;
      case '}':
      case ']':
        open.pop();
        keyExpected = false;
        break;
      case ',':
        keyExpected = open.at(-1) instanceof Set;
        break;
    }
  }
  return { tooDeep: false, duplicateKey };
}

/** Index of the quote that closes the string opened at `start`; the last index when none does. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === '"') return i;
  }
  return text.length - 1;
}

/** `"\u0061"` and `"a"` are the same key. */
function decodeString(literal: string): string {
  if (!literal.includes('\\')) return literal.slice(1, -1);
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}

function parseAction(
  item: unknown,
  actionIndex: number,
  allowed: readonly ActionType[],
): Action | ActionProblem {
  const type = isRecord(item) ? allowed.find((known) => known === item['type']) : undefined;
  if (!isRecord(item) || type === undefined) return { code: 'E_TYPE', subjects: [], actionIndex };
  const result = schemaOf(type, item['shape']).safeParse(item);
  if (result.success) return result.data;
  const codes = result.error.issues.map((issue) =>
    issue.code === 'unrecognized_keys' ? 'E_KEY' : fieldError(item, String(issue.path[0])),
  );
  const code = PRECEDENCE.find((known) => codes.includes(known)) ?? 'E_KEY';
  return { code, subjects: subjectsOf(item), actionIndex };
}

/** One code per action: the first of these that applies. */
const PRECEDENCE: readonly ActionErrorCode[] = ['E_KEY', 'E_ID', 'E_SHAPE', 'E_NUM', 'E_TEXT'];

function fieldError(item: Readonly<Record<string, unknown>>, field: string): ActionErrorCode {
  if (field === 'text' || field === 'label') return 'E_TEXT';
  if (!Object.hasOwn(item, field)) return 'E_KEY';
  if (field === 'shape') return 'E_SHAPE';
  return field === 'id' || field === 'from' || field === 'to' ? 'E_ID' : 'E_NUM';
}

/** What a refused action was about, as far as its ids can be read: they go into the next observation. */
function subjectsOf({ id, from, to }: Readonly<Record<string, unknown>>): readonly string[] {
  if (isId(id)) return [id];
  return isId(from) && isId(to) ? [edgeName({ from, to })] : [];
}
