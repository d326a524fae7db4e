import type { RendererRule, Token } from 'markdown-it';
import { attemptDrawing, draw, type Drawing } from './drawing.js';
import { drawingHtml, figureHtml, type FigureFrame } from './figure-html.js';
import { readFigure } from './figure-file.js';
import { figureFile, figureId } from './labels.js';
import { parseFragment } from './markdown.js';
import { joinPath } from './repository.js';
import { note, plainText } from './tokens.js';

const MOST_ALT = 250;

export const drawFigure: RendererRule = (tokens, index, _options, env) => {
  const drawing = env as Drawing;
  const token = tokens[index]!;
  return attemptDrawing(note(token, 'place'), drawing, () => figureOf(token, drawing));
};

function figureOf(token: Token, drawing: Drawing): string {
  const { library, chapter, plots } = drawing;
  const frame = frameOf(token, drawing);
  const written = figureFile(token);
  const file = joinPath('chapters', written);
  const text = file === undefined ? undefined : library.repository.read(file);
  if (file === undefined || text === undefined) throw new Error(`there is no ${file ?? written}`);
  if (/^data\/(results|pictures)\/[^/]+\.svg$/.test(file)) return drawingHtml(text, frame);
  if (!/^chapters\/figures\/[^/]+\.yaml$/.test(file) || chapter === undefined)
    throw new Error(`${written} is no figure; expected figures/NAME.yaml or ../data/results/NAME.svg`);
  const figure = readFigure(file, frame.alt, library);
  if (figure === undefined) return '';
  const { html, plot } = figureHtml(figure, frame);
  if (plot !== undefined) plots[frame.id] = plot;
  return html;
}

function frameOf(token: Token, drawing: Drawing): FigureFrame {
  const { library, chapter } = drawing;
  const id = figureId(token);
  const place = note(token, 'place');
  const alt = plainText(token.children ?? [])
    .replace(/\s+/g, ' ')
    .trim();
  if (alt === '')
    library.problems.add(
      place,
      'the figure has no alternative text: what it shows, for those who do not see it',
    );
  if (alt.length > MOST_ALT)
    library.problems.add(
      place,
      `the alternative text has ${alt.length} characters; expected at most ${MOST_ALT}`,
    );
  const caption = String(token.attrGet('title') ?? '');
  if (caption.trim() === '') library.problems.add(place, 'the figure has no caption: ![…](… "Caption.")');
  return {
    id,
    number: chapter?.labels.get(id)?.number ?? '',
    alt,
    caption: draw(parseFragment(library.md, caption, place, true), drawing),
  };
}
