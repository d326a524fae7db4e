/** The few rules of XML and HTML that everything that draws needs. */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text made safe for element content and attribute values; characters that XML forbids are dropped. */
export function escapeMarkup(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]|\p{Surrogate}/gu, '')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** The text that `escapeMarkup` made safe. */
export function unescapeMarkup(markup: string): string {
  const characters = new Map(Object.entries(ENTITIES).map(([character, entity]) => [entity, character]));
  return markup.replace(/&[^;]+;/g, (entity) => characters.get(entity) ?? entity);
}

/** A coordinate with at most two decimals and no `-0`, so that equal drawings are equal bytes. */
export function coordinate(value: number): string {
  const rounded = Math.round(value * 100) / 100;
  return String(rounded === 0 ? 0 : rounded);
}
