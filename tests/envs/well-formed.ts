/** A small strict XML reader: throws on anything that is not well-formed (XML 1.0, no DTD), else returns the elements. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u;
const REFERENCE = /^&(?:amp|lt|gt|quot|#39);/;

function decode(text: string): string {
  for (const { index } of text.matchAll(/&/g)) {
    if (!REFERENCE.test(text.slice(index))) throw new Error(`bare & in ${text}`);
  }
  const values: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return text.replace(/&([^;]+);/g, (_, name: string) => values[name]!);
}

export function readXml(source: string): readonly XmlElement[] {
  if (FORBIDDEN.test(source)) throw new Error('character that XML forbids');
  const open: { name: string; attributes: Record<string, string>; text: string }[] = [];
  const elements: XmlElement[] = [];
  let rest = source.trim();
  while (rest !== '') {
    const content = /^[^<]+/.exec(rest)?.[0];
    if (content !== undefined) {
      const parent = open.at(-1);
      if (!parent) throw new Error('text outside the root');
      parent.text += decode(content);
      rest = rest.slice(content.length);
      continue;
    }
    const tag = /^<(\/?)([a-z][A-Za-z-]*)((?:\s+[a-z][A-Za-z:-]*="[^"<]*")*)\s*(\/?)>/.exec(rest);
    if (!tag) throw new Error(`malformed tag at ${rest.slice(0, 60)}`);
    const [whole, closing, name = '', attributeSource = '', selfClosing] = tag;
    rest = rest.slice(whole.length);
    if (closing) {
      const element = open.pop();
      if (element?.name !== name) throw new Error(`</${name}> closes <${element?.name}>`);
      if (open.length === 0 && rest !== '') throw new Error('more than one root');
      continue;
    }
    const attributes: Record<string, string> = {};
    for (const [, key = '', value = ''] of attributeSource.matchAll(/([A-Za-z:-]+)="([^"]*)"/g)) {
      if (key in attributes) throw new Error(`attribute ${key} twice`);
      attributes[key] = decode(value);
    }
    const element = { name, attributes, text: '' };
    elements.push(element);
    if (!selfClosing) open.push(element);
  }
  if (open.length > 0) throw new Error(`<${open.at(-1)?.name}> is never closed`);
  return elements;
}
