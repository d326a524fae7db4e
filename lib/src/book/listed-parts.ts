/** Fences whose body is a map from one text to another: facts, symbols, references. */
import type { Token } from 'markdown-it';
import { z } from 'zod';
import { newToken, parseFragment } from './markdown.js';
import { setNote, type Piece } from './tokens.js';
import type { Place } from './problems.js';
import { fenceData, type Workshop } from './workshop.js';

interface Entry {
  readonly key: string;
  readonly value: readonly Token[];
  readonly place: Place;
}

const textByKey = z.record(z.string(), z.union([z.string(), z.number()]).transform(String));

function entriesOf(token: Token, { md, problems }: Workshop): readonly Entry[] {
  const read = fenceData(token, textByKey, problems);
  return Object.entries(read?.data ?? {}).map(([key, text]) => {
    const place = read!.placeOf(key);
    return { key, place, value: parseFragment(md, text, place, true) };
  });
}

export function factsPart(token: Token, workshop: Workshop): readonly Piece[] {
  const facts = entriesOf(token, workshop).flatMap(({ key, value, place }) => [
    '<div><dt>',
    parseFragment(workshop.md, key, place, true),
    '</dt><dd>',
    value,
    '</dd></div>\n',
  ]);
  return [
    '<section class="box facts"><p class="box-title">Quick facts</p>\n<dl>\n',
    ...facts,
    '</dl></section>\n',
  ];
}

export function symbolsPart(token: Token, workshop: Workshop): readonly Piece[] {
  const rows = entriesOf(token, workshop).flatMap(({ key, value, place }) => [
    '<tr><th scope="row">',
    parseFragment(workshop.md, key, place, true),
    '</th><td>',
    value,
    '</td></tr>\n',
  ]);
  return [
    '<div class="scroll" tabindex="0" role="group" aria-label="Symbols"><table class="symbols"><caption>Symbols</caption>\n',
    '<thead><tr><th scope="col">Symbol</th><th scope="col">Meaning</th></tr></thead>\n<tbody>\n',
    ...rows,
    '</tbody></table></div>\n',
  ];
}

export function referencesPart(token: Token, workshop: Workshop): readonly Piece[] {
  const items = entriesOf(token, workshop).flatMap(({ key, value, place }) => {
    const reference = newToken(workshop.md, 'reference');
    setNote(reference, 'keys', [key]);
    setNote(reference, 'place', place);
    return ['<li>', [reference], ' <span class="why">', value, '</span></li>\n'];
  });
  return ['<ul class="references">\n', ...items, '</ul>\n'];
}
