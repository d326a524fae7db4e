/** Boxes of a chapter: `::: name Title` … `:::`. */
import { escapeMarkup } from '../markup.js';

interface Box {
  readonly open: (title: string) => string;
  readonly close: string;
}

const open = (kind: string, heading: string): string =>
  `<section class="box ${kind}"><p class="box-title">${escapeMarkup(heading)}</p>\n`;

const named = (kind: string, name: string): Box => ({
  open: (title) => open(kind, title === '' ? name : `${name}: ${title}`),
  close: '</section>\n',
});

const folded = (kind: string, name: string): Box => ({
  open: (title) =>
    `<details class="${kind}"><summary>${escapeMarkup(title === '' ? name : `${name}: ${title}`)}</summary>\n`,
  close: '</details>\n',
});

const boxes: Readonly<Record<string, Box>> = {
  note: named('note', 'Note'),
  warning: named('warning', 'Careful'),
  predict: named('predict', 'Predict, then look'),
  bug: named('bug', 'Find the bug'),
  example: named('example', 'Worked example'),
  proof: folded('box proof', 'Proof'),
  answer: folded('answer', 'Answer'),
};

export const boxNames: readonly string[] = Object.keys(boxes);

export function boxStart(name: string, title: string): string {
  return boxes[name]!.open(title);
}

export function boxEnd(name: string): string {
  return boxes[name]!.close;
}
