/** The controls of a demo in the page, by name. */
import { shownNumber } from './values.js';

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Values as text: what addresses and messages carry. */
export type Texts = Readonly<Record<string, string>>;

function fieldsOf(form: HTMLFormElement): Field[] {
  return Array.from(form.elements).filter(
    (element): element is Field => /^(INPUT|SELECT|TEXTAREA)$/.test(element.tagName) && 'name' in element,
  );
}

export function textsOf(form: HTMLFormElement): Texts {
  return Object.fromEntries(fieldsOf(form).map((field) => [field.name, textOf(field)]));
}

function textOf(field: Field): string {
  return isSwitch(field) ? String(field.checked) : field.value;
}

function isSwitch(field: Field): field is HTMLInputElement {
  return field.type === 'checkbox';
}

/** Those that are not as they were when the page came. */
export function changedTexts(form: HTMLFormElement): Texts {
  const changed = fieldsOf(form).filter((field) => textOf(field) !== startOf(field));
  return Object.fromEntries(changed.map((field) => [field.name, textOf(field)]));
}

function startOf(field: Field): string {
  if (isSwitch(field)) return String(field.defaultChecked);
  if ('options' in field)
    return Array.from(field.options).find(({ defaultSelected }) => defaultSelected)?.value ?? '';
  return field.dataset['start'] ?? field.defaultValue;
}

/** Sets fields by name; the browser keeps numbers in their range, and what a field does not have is left out. */
export function setTexts(form: HTMLFormElement, texts: Texts): void {
  for (const field of fieldsOf(form)) {
    const text = texts[field.name];
    if (text !== undefined) setText(field, text);
  }
  refreshOutputs(form);
}

function setText(field: Field, text: string): void {
  if (isSwitch(field)) field.checked = text === 'true';
  else if (!('options' in field))
    field.value = 'maxLength' in field && field.maxLength > 0 ? text.slice(0, field.maxLength) : text;
  else if (Array.from(field.options).some(({ value }) => value === text)) field.value = text;
}

/** Back to what they were when the page came. */
export function resetTexts(form: HTMLFormElement): void {
  setTexts(form, Object.fromEntries(fieldsOf(form).map((field) => [field.name, startOf(field)])));
}

/** Writes each range's number beside it. */
export function refreshOutputs(form: HTMLFormElement): void {
  for (const output of Array.from(form.querySelectorAll('output'))) {
    const range = form.querySelector<HTMLInputElement>(`#${output.htmlFor.value}`);
    if (range === null) continue;
    const shown = shownNumber(range.valueAsNumber, Number(range.step), range.dataset['unit']);
    output.value = shown;
    range.setAttribute('aria-valuetext', shown);
  }
}
