/** A small book by hand, with one of each thing that the shell has to place. */
import type { Book, BookPage } from '../../lib/src/book/page.js';
import type { SiteAssets } from '../../lib/src/book/shell/assets.js';

function page(about: Partial<BookPage> & Pick<BookPage, 'id' | 'title' | 'path'>): BookPage {
  return {
    number: undefined,
    summary: `All about ${about.title.toLowerCase()}.`,
    lang: 'en',
    level: 1,
    minutes: 30,
    needs: [],
    notebooks: [],
    lib: [],
    updated: '2026-11-30',
    source: `chapters/${about.path.replace('.html', '.md')}`,
    html: '<p>Text.</p>',
    outline: [],
    sections: [{ id: undefined, heading: '', text: 'Text.' }],
    markdown: `# ${about.title}\n`,
    plots: {},
    demos: [],
    ...about,
  };
}

export const book: Book = {
  pages: [
    page({ id: 'start-here', number: 0, title: 'Start here', path: '00-start-here.html' }),
    page({
      id: 'rewards',
      number: 3,
      title: 'Rewards & gates',
      path: '03-rewards.html',
      needs: ['start-here'],
      notebooks: ['03-rewards'],
      html: `<h2 id="gates">Gates</h2><p>See <a href="references.html#schulman2017">Schulman 2017</a>, the
<a class="term" href="glossary.html#advantage">advantage</a>, <a href="source/lib/src/a.ts.html#L2">the code</a> and
<a href="#gates">above</a>; <a href="00-start-here.html">begin here</a>. <a href="https://example.org">Elsewhere</a>.</p><figure id="fig-a"></figure>`,
      outline: [{ level: 2, id: 'gates', html: 'Gates with <code>x</code> and <a href="#">a link</a>' }],
      sections: [
        { id: undefined, heading: '', text: 'A reward is a number.' },
        {
          id: 'gates',
          heading: 'Gates',
          text: 'The clippedObjective of pass@k has an advantage & a policy.',
        },
      ],
      plots: { 'fig-a': { data: [], layout: {} } },
    }),
    page({ id: 'gpu', title: 'When a laptop is not enough', path: 'gpu.html' }),
    page({ id: 'more', title: 'More', path: 'more.html' }),
  ],
  glossary: [
    {
      term: 'policy',
      zh: '策略',
      also: ['policies'],
      definition: '<p>What acts, given &lt;what is seen&gt;.</p>',
      chapter: 'start-here',
    },
    { term: 'advantage', zh: '优势', also: [], definition: '<p>How much better.</p>', chapter: 'rewards' },
  ],
  references: [
    {
      key: 'schulman2017',
      authors: 'Schulman',
      year: 2017,
      title: 'PPO',
      venue: 'arXiv',
      url: 'https://arxiv.org/abs/1707.06347',
    },
  ],
  sources: [{ path: 'lib/src/a.ts', text: 'const a = 1;\nexport const b = "<";\n' }],
  notebooks: new Map([['03-rewards.ipynb', '{}']]),
  version: '0.1.0',
  commit: 'abc1234+',
};

export const assets: SiteAssets = {
  styles: 'body{}',
  script: 'void 0',
  files: new Map([['assets/katex/katex.css', '']]),
  highlight: (code) =>
    `<pre class="shiki"><code>${code
      .split('\n')
      .map((line) => `<span class="line">${line.replaceAll('<', '&lt;')}</span>`)
      .join('\n')}</code></pre>`,
  date: '2026-11-30',
};
