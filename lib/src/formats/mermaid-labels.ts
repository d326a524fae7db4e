/** How labels are spelled in Mermaid: quoted, and as character codes where Mermaid, its Markdown or HTML would see markup. */

const CODES: Readonly<Record<string, string>> = { '"': '#quot;', '<': '#lt;', '>': '#gt;', '&': '#amp;' };

function code(character: string): string {
  return CODES[character] ?? `#${character.codePointAt(0)};`;
}

/** Marks that begin emphasis, code, links, formulas, addresses, or one of Mermaid's own codes. */
const MARKUP = /["<>&#`*_~[\]\\:@$]/g;
/** What makes a line a list item, a rule or a heading, and spaces that would be trimmed. */
const AT_LINE_ENDS = /^[-+= ]|(?<=^\d+)[.)]| $/gm;

/** A label in quotes. The empty one is a space, because Mermaid refuses `""`. */
export function quoteLabel(text: string): string {
  if (text === '') return '" "';
  const coded = text.replace(new RegExp(`${MARKUP.source}|${AT_LINE_ENDS.source}`, 'gm'), code);
  return `"${coded.replaceAll('\n', '<br/>')}"`;
}

const NAMED: Readonly<Record<string, string>> = {
  quot: '"',
  lt: '<',
  gt: '>',
  amp: '&',
  apos: "'",
  nbsp: ' ',
};

/** What a label says, given as it stands between its brackets or bars, with its quotes if it has any. */
export function readLabel(source: string): string {
  const bare = source
    .trim()
    .replace(/^"([^]*)"$/, '$1')
    .replace(/^`([^]*)`$/, '$1');
  return bare
    .trim()
    .replace(/<br\s*\/?>/gi, '\n')
    .replace(/[#&](?:#?(\d{1,7})|([a-z]+));/g, (whole, number?: string, name?: string) => {
      if (name !== undefined) return NAMED[name] ?? whole;
      return Number(number) <= 0x10ffff ? String.fromCodePoint(Number(number)) : whole;
    });
}
