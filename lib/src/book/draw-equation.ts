import type { RendererRule, Token } from 'markdown-it';
import { escapeMarkup } from '../markup.js';
import { sourcePath } from './anchors.js';
import { codePiece } from './code-region.js';
import { attemptDrawing, type Drawing } from './drawing.js';
import { scrolling } from './figure-html.js';
import { mathHtml, type EquationLabel } from './math.js';
import type { Place } from './problems.js';
import { note } from './tokens.js';

export const drawMath: RendererRule = (tokens, index, _options, env) => {
  const drawing = env as Drawing;
  const token = tokens[index]!;
  return attemptDrawing(note(token, 'place'), drawing, () =>
    mathHtml(token.content, false, drawing.library.macros),
  );
};

/** A formula on a line of its own; with a number, an anchor and a way to its code where it is labelled. */
export const drawEquation: RendererRule = (tokens, index, _options, env) => {
  const drawing = env as Drawing;
  const token = tokens[index]!;
  const label = note(token, 'label');
  if (label === undefined)
    return `<div class="equation">${scrolling(equationHtml(token, drawing), 'Formula')}</div>\n`;
  const number = drawing.chapter?.labels.get(label.id)?.number ?? '';
  const anchor = `<a class="equation-number" href="#${label.id}" aria-label="Equation ${number}">(${number})</a>`;
  const formula = scrolling(equationHtml(token, drawing), `Equation ${number}`);
  return `<div class="equation numbered" id="${label.id}">${formula}${anchor}${codeLink(label, note(token, 'place'), drawing)}</div>\n`;
};

export function equationHtml(token: Token, drawing: Drawing): string {
  return attemptDrawing(note(token, 'place'), drawing, () =>
    mathHtml(token.content, true, drawing.library.macros),
  );
}

function codeLink({ id, code }: EquationLabel, place: Place, drawing: Drawing): string {
  if (code === undefined) return '';
  const { library } = drawing;
  if (!library.formulaTests.has(id))
    library.problems.add(
      place,
      `no test in tests/book/formulas is called ${id}: it compares the formula with ${code}`,
    );
  return attemptDrawing(place, drawing, () => {
    const [file = '', name = ''] = code.split('#');
    const text = library.repository.read(file);
    if (text === undefined) throw new Error(`there is no ${file}`);
    library.sources.add(file);
    const href = sourcePath(file, codePiece(text, file, name, true).line);
    return `<a class="equation-code" href="${href}">in code: <code>${escapeMarkup(name)}</code></a>`;
  });
}
