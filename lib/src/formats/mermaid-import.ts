/**
 * Reads Mermaid flowcharts (`.mmd`), the part of the language that diagrams are mostly written in:
 *
 * - `flowchart` or `graph` with `TB`, `TD`, `BT`, `LR` or `RL`; statements end at a line's end or `;`; `%%` comments
 * - shapes `id`, `id[label]`, `id(label)` (rectangles), `id([label])`, `id((label))` (ellipses), `id{label}` (diamond),
 *   `id[label]:::annotation` (text without a box); labels with or without quotes, character codes, `<br/>`
 * - links `-->`, `---`, `-.->`, `==>`, longer ones too, all read as arrows; labels `-->|label|` and `-- label -->`;
 *   chains `a --> b --> c` and lists `a & b --> c`
 * - `subgraph id[title]`, `subgraph id`, `subgraph any title`, nested, until `end`
 *
 * `direction`, `classDef`, `class`, `style`, `linkStyle` and `click` statements are passed over.
 */
import type { Direction, WantedEdge, WantedGroup, WantedNode } from '../envs/diagram/types.js';
import type { Imported } from './imported.js';
import { drawWanted } from './lay-out.js';
import { readLabel } from './mermaid-labels.js';

/**
 * Reads a Mermaid flowchart and lays it out: Mermaid files say what is joined to what, not where it stands. Throws, with
 * the number of the line, at what is outside the part of the language that the head of this file lists.
 */
export function fromMermaid(source: string): Imported {
  const [header, ...statements] = statementsOf(source);
  const { groups: parts } =
    /^(?:flowchart|graph)(?:\s+(?<way>TB|TD|BT|LR|RL))?$/.exec(header?.text ?? '') ?? {};
  if (header === undefined || parts === undefined) {
    throw new Error(
      `Mermaid line ${header?.line ?? 1}: expected "flowchart LR" (or TB, BT, RL) first; other diagrams are not read`,
    );
  }
  const chart = new Chart();
  for (const statement of statements) readStatement(chart, statement);
  const way = parts['way'] ?? 'TB';
  return drawWanted({ ...chart.finish(), direction: way === 'TD' ? 'TB' : (way as Direction) });
}

interface Statement {
  readonly text: string;
  /** Counted from 1. */
  readonly line: number;
}

function statementsOf(source: string): Statement[] {
  return source
    .split(/\r\n?|\n/)
    .flatMap((text, index) => (/^\s*%%/.test(text) ? [] : splitOutsideQuotes(text, index + 1)))
    .filter(({ text }) => text !== '');
}

/** Splits a line at each `;` that is neither in quotes nor the end of a character code. */
function splitOutsideQuotes(text: string, line: number): Statement[] {
  const pieces = text.match(/(?:"[^"]*"|[#&]\w+;|[^;])+/g) ?? [];
  return pieces.map((piece) => ({ text: piece.trim(), line }));
}

/** What has been read so far. */
class Chart {
  private readonly nodes = new Map<string, WantedNode>();
  private readonly annotations = new Set<string>();
  private readonly edges: WantedEdge[] = [];
  private readonly groups: WantedGroup[] = [];
  /** Subgraphs not yet ended, outermost first, with the ids they mention. */
  private readonly open: { readonly id: string; readonly label: string; readonly mentions: Set<string> }[] =
    [];
  private untitled = 0;

  /** A shape is defined where it has a label, and mentioned anywhere. */
  mention(id: string, defined?: Omit<WantedNode, 'id'>): void {
    if (defined !== undefined || !this.nodes.has(id)) {
      this.nodes.set(id, { id, label: id, shape: 'rectangle', ...defined });
    }
    this.open.at(-1)?.mentions.add(id);
  }

  annotate(id: string): void {
    this.annotations.add(id);
  }

  connect(edge: WantedEdge): void {
    this.edges.push(edge);
  }

  openGroup(id: string | undefined, label: string): void {
    const known = id ?? `subgraph_${++this.untitled}`;
    this.open.at(-1)?.mentions.add(known);
    this.open.push({ id: known, label, mentions: new Set() });
  }

  /** Whether there was one to close. As in Mermaid, a shape belongs to the first subgraph that ends after naming it. */
  closeGroup(): boolean {
    const group = this.open.pop();
    if (group === undefined) return false;
    const { id, label, mentions } = group;
    const taken = new Set(this.groups.flatMap(({ members }) => members));
    const members = [...mentions].filter((member) => member !== id && !taken.has(member));
    this.groups.push({ id, label, members });
    return true;
  }

  finish(): {
    readonly nodes: readonly WantedNode[];
    readonly edges: readonly WantedEdge[];
    readonly groups: readonly WantedGroup[];
  } {
    if (this.open.length > 0) {
      throw new Error(`Mermaid: subgraph ${this.open.at(-1)!.id} has no end; close it with a line "end"`);
    }
    const titles = new Map(this.groups.map((group) => [group.id, group]));
    // A frame needs something to go around, so a subgraph without members is a box.
    const empty = this.groups.filter(({ members }) => members.length === 0);
    const ends = new Set(this.edges.flatMap(({ from, to }) => [from, to]));
    const nodes = [...this.nodes.values()]
      .filter(({ id }) => !titles.has(id))
      .map((node): WantedNode => {
        return this.annotations.has(node.id) && !ends.has(node.id) ? { ...node, shape: 'text' } : node;
      });
    return {
      nodes: [...nodes, ...empty.map(({ id, label }): WantedNode => ({ id, label, shape: 'rectangle' }))],
      edges: this.edges,
      groups: this.groups.filter(({ members }) => members.length > 0),
    };
  }
}

function readStatement(chart: Chart, { text, line }: Statement): void {
  if (/^(?:direction|classDef|class|style|linkStyle|click)\s/.test(text)) return;
  if (text === 'end') {
    if (!chart.closeGroup()) throw new Error(`Mermaid line ${line}: "end" without a subgraph; remove it`);
    return;
  }
  const subgraph = /^subgraph\s+(.+)$/.exec(text)?.[1];
  if (subgraph !== undefined) openSubgraph(chart, subgraph);
  else readChain(chart, new Cursor(text, line));
}

/** `id[title]`, `id`, or words that are a title without an id. */
function openSubgraph(chart: Chart, text: string): void {
  const { groups } = /^(?<id>[\p{L}\p{N}_-]+)\s*(?:\[(?<title>[^]*)\])?$/u.exec(text) ?? {};
  if (groups === undefined) chart.openGroup(undefined, readLabel(text));
  else chart.openGroup(groups['id'], readLabel(groups['title'] ?? groups['id']!));
}

/** A place in a statement. */
class Cursor {
  private index = 0;

  constructor(
    private readonly text: string,
    private readonly line: number,
  ) {}

  get atEnd(): boolean {
    return this.index === this.text.length;
  }

  /** Steps over what a sticky pattern matches here; `null` when it does not. */
  take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.index;
    const match = pattern.exec(this.text);
    if (match) this.index = pattern.lastIndex;
    return match;
  }

  fail(expected: string): never {
    const rest = this.text.slice(this.index, this.index + 20);
    const found = rest === '' ? 'the line ends' : `found ${JSON.stringify(rest)}`;
    throw new Error(
      `Mermaid line ${this.line}: expected ${expected}, but ${found}; quote labels as in a["f(x)"]`,
    );
  }
}

function readChain(chart: Chart, cursor: Cursor): void {
  let from = readList(chart, cursor);
  while (!cursor.atEnd) {
    const label = readLink(cursor);
    const to = readList(chart, cursor);
    for (const start of from) {
      for (const end of to) chart.connect({ from: start, to: end, ...(label !== '' && { label }) });
    }
    from = to;
  }
}

const AND = /\s*&\s*/y;

/** `a` or `a & b & c` */
function readList(chart: Chart, cursor: Cursor): string[] {
  const ids = [readNode(chart, cursor)];
  while (cursor.take(AND)) ids.push(readNode(chart, cursor));
  return ids;
}

const ID = /[\p{L}\p{N}_]+(?:[-.][\p{L}\p{N}_]+)*/uy;
const CLASS = /:::([\w-]+)/y;

function readNode(chart: Chart, cursor: Cursor): string {
  const id = cursor.take(ID)?.[0] ?? cursor.fail('the id of a shape');
  chart.mention(id, readShape(cursor));
  if (cursor.take(CLASS)?.[1] === 'annotation') chart.annotate(id);
  return id;
}

/** Longer brackets first: `(` begins all of the round ones. */
const SHAPES: readonly (readonly [RegExp, NonNullable<WantedNode['shape']>])[] = [
  [/\(\[\s*("[^"]*"|[^"[\](){}]+)\s*\]\)/y, 'ellipse'],
  [/\(\(\s*("[^"]*"|[^"[\](){}]+)\s*\)\)/y, 'ellipse'],
  [/\(\s*("[^"]*"|[^"[\](){}]+)\s*\)/y, 'rectangle'],
  [/\[\s*("[^"]*"|[^"[\](){}]+)\s*\]/y, 'rectangle'],
  [/\{\s*("[^"]*"|[^"[\](){}]+)\s*\}/y, 'diamond'],
];

function readShape(cursor: Cursor): Omit<WantedNode, 'id'> | undefined {
  for (const [pattern, shape] of SHAPES) {
    const label = cursor.take(pattern)?.[1];
    if (label !== undefined) return { label: readLabel(label), shape };
  }
  return undefined;
}

const LINK = /\s*(?:--+>|---+|-\.+->|-\.+-|==+>|===+)\s*(?:\|\s*("[^"]*"|[^|"]*)\s*\|)?\s*/y;
const WORDED_LINK =
  /\s*(?:--|==|-\.)\s*("[^"]*"|[^-=."|>\s][^-=."|>]*)\s*(?:--+>|---+|\.+->|\.+-|==+>|===+)\s*/y;

/** The label of the link; `''` when it has none. */
function readLink(cursor: Cursor): string {
  const match = cursor.take(LINK) ?? cursor.take(WORDED_LINK) ?? cursor.fail('a link such as -->');
  return readLabel(match[1] ?? '');
}
