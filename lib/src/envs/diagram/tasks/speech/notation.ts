/** Arrow notation: the same in every language. */
import { isDecision } from '../scene.js';
import { edgesOf, type Statement } from '../statements.js';
import { name, names, type Voice } from './voice.js';

const shapeWords = {
  en: { rectangle: 'rectangle', ellipse: 'ellipse', diamond: 'diamond', text: 'text' },
  zh: { rectangle: '矩形', ellipse: '椭圆', diamond: '菱形', text: '文字' },
} as const;

/** `A -> B`, `A -> B (yes)`, `A -- B` for lines; several arrows of one statement are joined by `separator`. */
export function notation(statement: Statement, voice: Voice, arrow: string, separator: string): string {
  const { lang, undirected } = voice.scene;
  const link = undirected ? ' -- ' : ` ${arrow} `;
  switch (statement.kind) {
    case 'path':
      return names(voice, statement.nodes).join(link);
    case 'shape':
      return `${shapeWords[lang][statement.shape]}${lang === 'en' ? ' ' : ''}${name(voice, statement.node)}`;
    case 'overlap':
      return (
        names(voice, statement.pair).join(lang === 'en' ? ' overlaps ' : '与') + (lang === 'en' ? '' : '重叠')
      );
    default:
      return edgesOf(statement)
        .map(({ from, to, label }) => {
          const note = label === undefined ? '' : lang === 'en' ? ` (${label})` : `（${label}）`;
          return name(voice, from) + link + name(voice, to) + note;
        })
        .join(separator);
  }
}

/** Arrow notation does not say which boxes are decisions; these are the ones that need saying. */
export function decisions(voice: Voice): string[] {
  return voice.scene.nodes.flatMap((node, i) => (isDecision(node) ? [name(voice, i)] : []));
}
