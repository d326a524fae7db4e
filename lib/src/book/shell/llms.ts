import type { Book } from '../page.js';
import { BOOK_TITLE } from './frame.js';
import { GLOSSARY, markdownPlace, notebookPlace, REFERENCES } from './places.js';

/** `llms.txt` (llmstxt.org): what the site is and where its Markdown lies. */
export function llmsText(book: Book): string {
  const chapters = book.pages.map(
    ({ title, path, summary }) => `- [${title}](${markdownPlace(path)}): ${summary}`,
  );
  const notebooks = [...book.notebooks.keys()].map((file) => `- [${file}](${notebookPlace(file)})`);
  return `# ${BOOK_TITLE}

> A book and a TypeScript library, posttrain ${book.version}, that take a reader from tabular Q-learning to a language model that draws
> diagrams: environment, rewards, teacher, SFT, REINFORCE to GRPO, on-policy distillation, evaluation. Numbers come from recorded runs.

Each page also lies beside itself as Markdown, with code, outputs and numbers filled in.

## Chapters

${chapters.join('\n')}

## Notebooks

${notebooks.join('\n')}

## Optional

- [Glossary](${GLOSSARY}): English and Chinese
- [References](${REFERENCES})
`;
}
