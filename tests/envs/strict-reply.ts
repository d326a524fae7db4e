/**
 * A second, independent reading of the rules for replies: its own recursive-descent JSON grammar and hand-written
 * field checks, sharing nothing with the library. The fuzz test holds the parser to it in both directions.
 */
type Json = null | boolean | number | string | Json[] | Map<string, Json>;

class Invalid extends Error {}

class Reader {
  private at = 0;
  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
  ) {}

  document(): Json {
    const value = this.value(0);
    this.space();
    if (this.at < this.text.length) throw new Invalid('trailing text');
    return value;
  }

  private space(): void {
    while (/[ \t\r\n]/.test(this.text[this.at] ?? 'x')) this.at++;
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const match = pattern.exec(this.text)?.[0];
    if (match === undefined) throw new Invalid(`at ${this.at}`);
    this.at += match.length;
    return match;
  }

  private eat(token: string): boolean {
    this.space();
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  private value(depth: number): Json {
    if (depth > this.maxDepth) throw new Invalid('too deep');
    if (this.eat('{')) return this.object(depth);
    if (this.eat('[')) return this.array(depth);
    if (this.text[this.at] === '"') return this.string();
    const word = this.take(/true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y);
    return word === 'true' ? true : word === 'false' ? false : word === 'null' ? null : Number(word);
  }

  private string(): string {
    const body = this.take(/"(?:[^"\\\u0000-\u001f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/y).slice(1, -1);
    const named: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
    return body.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, hex: string | undefined, char: string) =>
      hex === undefined ? (named[char] ?? char) : String.fromCharCode(parseInt(hex, 16)),
    );
  }

  private array(depth: number): Json[] {
    const items: Json[] = [];
    if (this.eat(']')) return items;
    do items.push(this.value(depth + 1));
    while (this.eat(','));
    if (!this.eat(']')) throw new Invalid('array');
    return items;
  }

  private object(depth: number): Map<string, Json> {
    const fields = new Map<string, Json>();
    if (this.eat('}')) return fields;
    do {
      this.space();
      const key = this.string();
      if (fields.has(key)) throw new Invalid('duplicate key');
      if (!this.eat(':')) throw new Invalid('colon');
      fields.set(key, this.value(depth + 1));
    } while (this.eat(','));
    if (!this.eat('}')) throw new Invalid('object');
    return fields;
  }
}

/** The items of the action list, or `null` when the reply does not pass the parse level. */
export function strictReply(text: string): readonly Json[] | null {
  if (Buffer.byteLength(text) > 16_384) return null;
  try {
    const root = new Reader(text, 8).document();
    if (!(root instanceof Map) || root.size !== 1) return null;
    const actions = root.get('actions');
    return Array.isArray(actions) ? actions : null;
  } catch (error) {
    if (error instanceof Invalid) return null;
    throw error;
  }
}

const isName = (value: Json | undefined): boolean =>
  typeof value === 'string' && value.length <= 32 && /^[A-Za-z][A-Za-z0-9_-]*$/.test(value);
const isNumber = (value: Json | undefined): boolean => Number.isSafeInteger(value);
const isText = (value: Json | undefined): boolean => {
  if (typeof value !== 'string' || Array.from(value).length > 120) return false;
  let visible = false;
  for (const char of value) {
    const code = char.codePointAt(0)!;
    const control =
      (code < 0x20 && char !== '\n') || (code >= 0x7f && code < 0xa0) || code === 0x2028 || code === 0x2029;
    const bidi = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
    if (control || bidi || (code >= 0xd800 && code < 0xe000) || code === 0xfffe || code === 0xffff)
      return false;
    const unseen = /[\p{White_Space}\p{Mn}\p{Me}\p{Cf}]/u.test(char) || (code >= 0x115f && code <= 0x11ff);
    visible ||= !unseen && ![0x2800, 0x3164, 0xffa0].includes(code);
  }
  return visible;
};

/** Required fields of every action, then optional ones after the `?`. */
const FIELDS: Readonly<Record<string, string>> = {
  'create text': 'type shape id x y text ?',
  create: 'type shape id x y width height ? text',
  connect: 'type from to ? label',
  update: 'type id text ?',
  move: 'type id x y ?',
  resize: 'type id width height ?',
  delete: 'type id ?',
  disconnect: 'type from to ? label',
  finish: 'type ?',
};

/** Whether one item is a well-formed action, whatever the canvas. */
export function isStrictAction(item: Json): boolean {
  if (!(item instanceof Map)) return false;
  const type = item.get('type');
  const isTextShape = type === 'create' && item.get('shape') === 'text';
  if (typeof type !== 'string' || !Object.hasOwn(FIELDS, type)) return false;
  const [required = '', optional = ''] = FIELDS[isTextShape ? 'create text' : type]!.split('?');
  const needed = required.trim().split(' ');
  const known = [...needed, ...optional.trim().split(' ')];
  return (
    needed.every((field) => item.has(field)) &&
    [...item].every(([field, value]) => {
      if (!known.includes(field) || field === '') return false;
      if (field === 'type') return true;
      if (field === 'shape') return ['rectangle', 'ellipse', 'diamond', 'text'].includes(value as string);
      if (field === 'text' || field === 'label') return isText(value);
      return ['id', 'from', 'to'].includes(field) ? isName(value) : isNumber(value);
    })
  );
}
