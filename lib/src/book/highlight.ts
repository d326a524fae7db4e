/** Code in the colours of both themes. */
import { bundledLanguages, getSingletonHighlighter, type BundledLanguage } from 'shiki';

const THEMES = { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } as const;

/** `<pre>` with `--shiki-light` and `--shiki-dark` on everything that has a colour. */
export type Highlight = (code: string, language: string) => string;

/** Whether code of this language can be coloured; `text` has no colours. */
export function isLanguage(language: string): boolean {
  return language === 'text' || language in bundledLanguages;
}

/** @param languages those that the book has. */
export async function createHighlight(languages: Iterable<string>): Promise<Highlight> {
  const langs = [...new Set(languages)].filter((language) => language in bundledLanguages);
  const highlighter = await getSingletonHighlighter({
    themes: Object.values(THEMES),
    langs: langs as BundledLanguage[],
  });
  return (code, language) =>
    highlighter.codeToHtml(code, {
      lang: isLanguage(language) ? language : 'text',
      themes: THEMES,
      defaultColor: false,
    });
}
