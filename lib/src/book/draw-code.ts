import type { RendererRule, Token } from 'markdown-it';
import { escapeMarkup } from '../markup.js';
import { sourcePath } from './anchors.js';
import { codePiece, type CodePiece } from './code-region.js';
import { attemptDrawing, draw, type Drawing } from './drawing.js';
import { readFence, type Fence } from './fence.js';
import { isLanguage } from './highlight.js';
import type { Repository } from './repository.js';
import { note } from './tokens.js';

type Source = Extract<Fence, { readonly kind: 'source' }>;

export const drawFence: RendererRule = (tokens, index, _options, env) => {
  const token = tokens[index]!;
  return attemptDrawing(note(token, 'place'), env as Drawing, () => fenceHtml(token, env as Drawing));
};

function fenceHtml(token: Token, drawing: Drawing): string {
  const fence = readFence(token.info);
  switch (fence.kind) {
    case 'run':
      if (note(token, 'place').file !== drawing.chapter?.file)
        throw new Error('only the programs of a chapter’s own text run; expected ```ts');
      return codeHtml('run', 'ts', token.content, '', drawing);
    case 'output':
      return `<div class="output" tabindex="0" role="group" aria-label="Output"><pre><samp>${escapeMarkup(token.content.trimEnd())}</samp></pre></div>\n`;
    case 'source':
      return sourceHtml(fence, drawing);
    case 'part':
      return (note(token, 'pieces') ?? [])
        .map((piece) => (typeof piece === 'string' ? piece : draw(piece, drawing)))
        .join('');
    case 'demo':
      drawing.demos.push(fence.name);
      return drawing.library.demos.get(token) ?? '';
    case 'code':
      return codeHtml('plain', fence.language || 'text', token.content, '', drawing);
  }
}

function codeHtml(kind: string, language: string, code: string, head: string, { library }: Drawing): string {
  if (!isLanguage(language)) throw new Error(`"${language}" is no language and no part of a chapter`);
  return `<div class="code ${kind}" data-language="${language}">${head}${library.highlight(code.trimEnd(), language)}</div>\n`;
}

function sourceHtml(fence: Source, drawing: Drawing): string {
  const pieces = sourcePieces(fence, drawing.library.repository);
  drawing.library.sources.add(fence.file);
  const names = fence.names.map((name) => name.replace(/^region:/, '')).filter((name) => name !== '');
  const label = escapeMarkup([fence.file, ...names].join(' · '));
  const head = `<p class="code-source"><a href="${sourcePath(fence.file, pieces[0]!.line)}">${label}</a></p>`;
  return codeHtml('source', fence.language, joined(pieces), head, drawing);
}

/** What a fence with `src=` shows. @throws Error where a file or a name in it is not there. */
export function sourcePieces({ file, names, docs }: Source, repository: Repository): readonly CodePiece[] {
  const text = repository.read(file);
  if (text === undefined) throw new Error(`there is no ${file}`);
  return names.map((name) => codePiece(text, file, name, docs));
}

export function joined(pieces: readonly CodePiece[]): string {
  return pieces.map(({ text }) => text).join('\n\n');
}
