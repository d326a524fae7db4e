/** What the rules that draw tokens know, and what they leave behind. */
import type { Env, Token } from 'markdown-it';
import type { MimeObject } from '../display/index.js';
import type { Chapter } from './chapter.js';
import type { Highlight } from './highlight.js';
import type { Place } from './problems.js';
import type { SharedData } from './shared-data.js';
import type { Workshop } from './workshop.js';

/** Known before the first page is drawn. */
export interface Library extends Workshop, SharedData {
  readonly chapters: readonly Chapter[];
  readonly highlight: Highlight;
  /** HTML of live demos, by their fences. */
  readonly demos: ReadonlyMap<Token, string>;
  /** Names of tests in `tests/book/formulas`. */
  readonly formulaTests: ReadonlySet<string>;
  /** Gathered while drawing: references that were cited, files that are shown or linked, notebooks that are linked. */
  readonly cited: Set<string>;
  readonly sources: Set<string>;
  readonly notebooks: Set<string>;
}

/** A link to an anchor of this site: whether it is there is known when all pages are drawn. */
export interface AnchorLink {
  readonly place: Place;
  readonly chapter: Chapter;
  readonly anchor: string;
}

/** One page that is being drawn; markdown-it hands it to every rule. */
export interface Drawing extends Env {
  readonly library: Library;
  /** `undefined` on pages that are no chapter: glossary, references. */
  readonly chapter: Chapter | undefined;
  readonly anchorLinks: AnchorLink[];
  /** HTML that is shown while a link is pointed at, by what its `data-preview` says; `undefined` where nothing is shown. */
  readonly previews: Map<string, string> | undefined;
  readonly plots: Record<string, MimeObject>;
  readonly demos: string[];
}

/** @param chapter whose page is drawn; without one there are no previews: those of definitions would have no end. */
export function newDrawing(library: Library, chapter: Chapter | undefined): Drawing {
  const previews = chapter && new Map<string, string>();
  return { library, chapter, anchorLinks: [], previews, plots: {}, demos: [] };
}

/** HTML to show in a second place: without anchors, and without previews of its own. */
export function copied(html: string): string {
  return html.replace(/ (?:data-preview|id)="[^"]*"/g, '');
}

export function draw(tokens: readonly Token[], drawing: Drawing): string {
  const { md } = drawing.library;
  return md.renderer.render(tokens as Token[], md.options, drawing);
}

/** What `make` makes; a problem at the token's place, and nothing, where it throws. */
export function attemptDrawing(place: Place, { library }: Drawing, make: () => string): string {
  try {
    return make();
  } catch (error) {
    library.problems.add(place, (error as Error).message);
    return '';
  }
}
