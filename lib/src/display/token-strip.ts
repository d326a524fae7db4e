import { coordinate, escapeMarkup } from '../markup.js';
import { cellWidth } from './cells.js';
import { short } from './format.js';

/** A token and a number that was measured there. */
export interface StripToken {
  readonly text: string;
  /** Finite and at least 0; `null`: it does not count. */
  readonly value: number | null;
}

/** A text token by token, each with its number: where a loss comes from, where two models differ. */
export interface TokenStrip {
  readonly title: string;
  /** What a reader who cannot see the strip should know. */
  readonly description: string;
  /** What the numbers are, with their unit. */
  readonly valueLabel: string;
  /** In order. */
  readonly tokens: readonly StripToken[];
  /** The value that is drawn darkest, for strips that are to be compared; default: the greatest. Greater ones are as dark. */
  readonly darkestValue?: number;
}

const WIDTH = 720;
const MARGIN = 12;
const TOP = 46;
const BOX = { height: 34, gapX: 3, gapY: 6, padding: 4 } as const;
/** Of a cell of the text, and of one of the smaller numbers. */
const LETTER = 7.3;
const DIGIT = 5.7;
/** Text stays readable on it. */
const DARKEST = 0.55;
const FAINTEST = 0.06;

/** The strip as one `<svg>` element; same data, same bytes. Throws when there is no token, and for a value that has no place on the scale. */
export function tokenStripSvg(strip: TokenStrip): string {
  const share = shareOf(strip);
  const boxes = placed(strip.tokens);
  const height = TOP + BOX.height + Math.max(...boxes.map(({ y }) => y)) + MARGIN;
  return [
    `<svg class="chart" xmlns="http://www.w3.org/2000/svg" role="img" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}">`,
    `<title>${escapeMarkup(strip.title)}</title><desc>${escapeMarkup(strip.description)}</desc>`,
    `<text class="chart-title" x="${MARGIN}" y="18">${escapeMarkup(strip.title)}</text>`,
    `<text x="${MARGIN}" y="36">${escapeMarkup(`below each token: ${strip.valueLabel}; grey: not counted`)}</text>`,
    ...boxes.map((box) => boxMarks(box, share)),
    '</svg>',
  ].join('');
}

/** The strip for a terminal: tokens that do not count in brackets, each other one before its number. */
export function tokenStripText(strip: TokenStrip): string {
  shareOf(strip);
  const words = strip.tokens.map(({ text, value }) =>
    value === null ? `‹${visible(text)}›` : `${visible(text)} ${short(value)}`,
  );
  const lines = words.reduce<string[]>((done, word) => {
    const longer = `${done.at(-1) ?? ''}  ${word}`;
    return done.length > 0 && cellWidth(longer) <= 100 ? [...done.slice(0, -1), longer] : [...done, word];
  }, []);
  return [`${strip.title} (${strip.valueLabel}; ‹›: not counted)`, ...lines.map((line) => `  ${line}`)].join(
    '\n',
  );
}

/** Where a value lies between nothing (0) and the darkest (1). */
function shareOf({ title, tokens, darkestValue }: TokenStrip): (value: number) => number {
  if (tokens.length === 0) throw new Error(`token strip "${title}": there is no token; give at least one`);
  const values = tokens.flatMap(({ value }) => value ?? []);
  const bad = values.find((value) => !(value >= 0 && Number.isFinite(value)));
  if (bad !== undefined)
    throw new RangeError(
      `token strip "${title}": ${bad} has no place on the scale; expected finite numbers ≥ 0`,
    );
  const most = darkestValue ?? Math.max(...values);
  return (value) => (most > 0 ? Math.min(1, value / most) : 0);
}

interface Box extends StripToken {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

/** Boxes from left to right, and on to the next line where there is no room. */
function placed(tokens: readonly StripToken[]): Box[] {
  let [x, y] = [MARGIN, 0];
  return tokens.map((token) => {
    const number = token.value === null ? '' : short(token.value);
    const widest = Math.max(LETTER * cellWidth(visible(token.text)), DIGIT * number.length);
    const width = Math.min(widest + 2 * BOX.padding, WIDTH - 2 * MARGIN);
    if (x > MARGIN && x + width > WIDTH - MARGIN) [x, y] = [MARGIN, y + BOX.height + BOX.gapY];
    const box = { ...token, x, y, width };
    x += width + BOX.gapX;
    return box;
  });
}

function boxMarks({ text, value, x, y, width }: Box, share: (value: number) => number): string {
  const top = TOP + y;
  const middle = coordinate(x + width / 2);
  const frame = `x="${coordinate(x)}" y="${top}" width="${coordinate(width)}" height="${BOX.height}" rx="3"`;
  const font = 'text-anchor="middle" style="font:12px ui-monospace,monospace';
  const word = (style: string): string =>
    `<text x="${middle}" y="${top + 15}" ${font};${style}">${escapeMarkup(visible(text))}</text>`;
  if (value === null)
    return `<rect ${frame} style="fill:none;stroke:var(--line)"/>${word('fill:var(--ink-soft)')}`;
  const heat = coordinate(FAINTEST + (DARKEST - FAINTEST) * share(value));
  return [
    `<rect ${frame} style="fill:var(--series-2)" opacity="${heat}"/>`,
    word('fill:var(--ink)'),
    `<text x="${middle}" y="${top + 28}" text-anchor="middle" style="font-size:10px;fill:var(--ink)">${short(value)}</text>`,
  ].join('');
}

/** Blanks and line ends are tokens, too. */
function visible(text: string): string {
  return text.replaceAll(' ', '·').replaceAll('\n', '⏎').replaceAll('\t', '⇥');
}
