import { beforeAll, describe, expect, it } from 'vitest';
import type { Book, BookPage } from 'posttrain/book/page';
import { smallBook, smallPage } from './small-book.js';

let book: Book;
let first: BookPage;
let second: BookPage;
beforeAll(async () => {
  book = await smallBook();
  [first, second] = book.pages as [BookPage, BookPage];
});

describe('the book', () => {
  it('has its chapters in order, appendices last', () => {
    expect(book.pages.map(({ number, path, id }) => [number, path, id])).toEqual([
      [0, '00-first.html', 'first'],
      [1, '01-second.html', 'second'],
      [undefined, 'extra.html', 'extra'],
    ]);
    expect(second).toMatchObject({ source: 'chapters/01-second.md', needs: ['first'], minutes: 20 });
  });

  it('has the files and notebooks that chapters show or link to', () => {
    expect(book.sources.map(({ path }) => path)).toEqual(['README.md', 'lib/src/losses/square.ts']);
    expect([...book.notebooks]).toEqual([['01-hunt.ipynb', '{}']]);
  });

  it('has its terms with their definitions drawn, and its references', () => {
    expect(book.glossary[0]).toMatchObject({
      term: 'advantage',
      zh: '优势',
      also: ['advantages'],
      chapter: 'first',
    });
    expect(book.glossary[0]!.definition).toBe(
      '<p>How much <em>better</em> than <a class="term" href="glossary.html#baseline">baseline</a>.</p>\n',
    );
    expect(book.references.map(({ key, year }) => [key, year])).toEqual([
      ['ada1843', 1843],
      ['bell1957', 1957],
    ]);
  });
});

describe('a page', () => {
  it('fills in numbers, in text, in data and in tables', () => {
    expect(first.html).toContain('It cost 1 min 15 s.');
    expect(second.html).toContain('50.0 % of all');
    expect(second.html).toContain('<td style="text-align:right">50.0 % (25–75)</td>');
  });

  it('has formulas as MathML and as what eyes see, and leaves money alone', () => {
    expect(first.html).toContain('application/x-tex">5 \\cdot x</annotation>');
    expect(first.html).toContain('and $5, with');
    expect(second.html).toContain('aria-hidden="true"');
  });

  it('numbers equations that are labelled, and links them to their code', () => {
    expect(second.html).toMatch(
      /<div class="equation numbered" id="eq-square">.*<a class="equation-number" href="#eq-square" aria-label="Equation 1.1">\(1.1\)<\/a>/s,
    );
    expect(second.html).toContain(
      '<a class="equation-code" href="source/lib/src/losses/square.ts.html#L2">in code: <code>square</code></a>',
    );
    expect(second.html.match(/class="equation"/g)).toHaveLength(1);
  });

  it('names equations and figures where they are referred to, with a capital where a sentence begins', () => {
    expect(second.html).toContain('As <a href="#eq-square" data-preview="eq-square">equation 1.1</a> says.');
    expect(second.html).toContain(
      'says. <a href="#fig-00-curve">Figure 1.1</a> shows it, and <a href="#fig-drawing">figure 1.2</a>',
    );
    expect(first.html).toContain(
      '<a href="01-second.html#eq-square" data-preview="eq-square">equation 1.1</a>',
    );
  });

  it('shows citations, terms, equations and footnotes before they are followed', () => {
    expect(first.html).toContain(
      '(<a class="citation" href="references.html#ada1843" data-preview="ref-ada1843">Lovelace 1843</a>; <a class="citation" href="references.html#bell1957" data-preview="ref-bell1957">Bellman et al. 1957</a>)',
    );
    expect(first.html).toContain(
      '<a class="term" href="glossary.html#advantage" data-preview="term-advantage">one</a>',
    );
    const templates = [...first.html.matchAll(/<template id="preview-([\w-]+)">/g)].map(([, id]) => id);
    expect(templates.sort()).toEqual(['eq-square', 'fn1', 'ref-ada1843', 'ref-bell1957', 'term-advantage']);
    const shown = [...first.html.matchAll(/data-preview="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(shown)).toEqual(new Set(templates));
    expect(first.html).toContain('<p class="term-name">advantage</p><p>How much <em>better</em>');
  });

  it('lists references with a reason to read them', () => {
    expect(first.html).toContain(
      'Bellman, Ford, Dreyfus (1957). <a href="https://example.org/bell"><cite>Programming &amp; more</cite></a>. Princeton. <span class="why">where the equation comes from.</span>',
    );
  });

  it('shows code of the repository as it is today, with its doc comment or without', () => {
    const shown = second.html.replace(/<[^>]*>/g, '');
    expect(shown).toContain(
      'lib/src/losses/square.ts · square/** The square of a number. */\nexport function square(n: number): number {\n  const double = n;\n  return',
    );
    expect(shown).toContain('lib/src/losses/square.ts · innerconst double = n;\n');
    expect(shown).not.toContain('#region');
    expect(second.html).toContain('--shiki-dark:');
  });

  it('shows programs and what they print', () => {
    expect(second.html).toMatch(
      /<div class="code run" data-language="ts">.*<div class="output" tabindex="0" role="group" aria-label="Output"><pre><samp>1<\/samp>/s,
    );
  });

  it('has boxes, folded ones too, and no HTML of the writer', () => {
    expect(second.html).toContain('<section class="box predict"><p class="box-title">Predict, then look</p>');
    expect(second.html).toContain(
      '<details class="answer"><summary>Answer</summary>\n<p>Four. &lt;b&gt;</p>\n</details>',
    );
    expect(second.html).toContain('<details class="box proof"><summary>Proof: By hand</summary>');
    expect(second.html).toContain('<dt>Cost</dt><dd>little</dd>');
    expect(second.html).toMatch(/<tr><th scope="row"><span class="katex">/);
  });

  it('has figures with a drawing, a caption, their data and a specification for plotly.js', () => {
    expect(second.html).toMatch(
      /<figure class="figure" id="fig-00-curve">.*<svg aria-label="The curve rises from 1 to 9" class="chart"/,
    );
    expect(second.html).toMatch(
      /Figure 1.1.<\/a> Squares of <span class="katex">.*, over 3 seeds.<\/figcaption>/,
    );
    expect(second.html).toContain('<th scope="col" class="number">squares</th>');
    expect(Object.keys(second.plots)).toEqual(['fig-00-curve']);
  });

  it('takes drawings in without their colours and with anchors of their own', () => {
    expect(second.html).toContain(
      '<svg aria-label="A circle" class="chart" width="9" height="9"><marker id="fig-drawing-m"/><path marker-end="url(#fig-drawing-m)"/></svg>',
    );
  });

  it('has tables with captions, and headings that say what they head', () => {
    expect(second.html).toMatch(/<table>\n<caption>What the runs <span class="katex">.*gave.<\/caption>/);
    expect(second.html).toContain('<tr>\n<td></td>\n<th style="text-align:right" scope="col">mean</th>');
  });

  it('leads to sources, notebooks and other sites', () => {
    expect(second.html).toContain('<a href="source/lib/src/losses/square.ts.html#L2">the code</a>');
    expect(second.html).toContain('<a href="notebooks/01-hunt.ipynb">the notebook</a>');
    expect(second.html).toContain('<a href="source/README.md.html#L3">the first heading</a>');
    expect(second.html).toContain('<a href="https://example.org/?a=1&amp;b=2">elsewhere</a>');
    expect(first.html).toContain('<a href="01-second.html#the-rule">chapter 1</a>');
  });

  it('asks questions where the chapter wants them, each once', () => {
    const legends = [...second.html.matchAll(/id="quiz-(\w+)"><fieldset[^>]*><legend>(Question \d)/g)];
    expect(legends.map(([, id, legend]) => [id, legend])).toEqual([
      ['sum', 'Question 1'],
      ['two', 'Question 2'],
      ['three', 'Question 3'],
    ]);
    expect(second.html).toContain('<input type="radio" name="quiz-sum" value="0" data-correct>');
    expect(second.html).toContain('<p class="why">Right. because of 75</p>');
  });

  it('has exercises with folded hints and solutions', () => {
    expect(second.html).toContain('<h3>6. Program</h3>\n<p class="exercise-kind">Level 3, program</p>');
    expect(second.html).toContain(
      '<p>Show <a href="#eq-square" data-preview="eq-square">equation 1.1</a>.</p>',
    );
    expect(second.html.match(/<details class="solution">/g)).toHaveLength(6);
  });

  it('has its demos with the values they start with', () => {
    expect(second.html).toContain('<div class="demo">{"start":0.2}</div>');
    expect(second.demos).toEqual(['slider']);
  });

  it('has an outline of its headings', () => {
    expect(first.outline).toEqual([{ level: 2, id: 'a-section-一', html: 'A <em>section</em>, 一' }]);
    expect(second.outline.map(({ level, id }) => [level, id])).toEqual([
      [2, 'the-rule'],
      [3, 'in-code'],
      [2, 'quiz'],
      [2, 'exercises'],
    ]);
  });

  it('can be searched by heading', () => {
    expect(first.sections).toEqual([
      { id: undefined, heading: '', text: 'An advantage is named here .' },
      {
        id: 'a-section-一',
        heading: 'A section, 一',
        text: expect.stringContaining('A second one, and $5') as string,
      },
    ]);
    expect(second.sections.find(({ id }) => id === 'quiz')!.text).toContain('What is of sum?');
  });

  it('can be read raw, with everything filled in', () => {
    expect(second.markdown).toContain('As [equation 1.1](#eq-square) says.');
    expect(first.markdown).toContain('A second one, $5');
    expect(second.markdown).toContain(
      '```ts src=lib/src/losses/square.ts#square\n/** The square of a number. */\nexport',
    );
    expect(second.markdown).toContain('```quiz\n- id: sum');
    expect(second.markdown).toContain('50.0 % (25–75)');
    expect(second.markdown.startsWith('```facts')).toBe(true);
  });

  it('may have two footnotes to one text', async () => {
    const page = await smallPage('00-first.html', {
      'chapters/00-first.md': [['footnote[^a].', 'footnote[^a] and again[^a].']],
    });
    expect(page.html).toContain('id="fn1-mark-1"');
    expect(page.html).toContain('href="#fn1-mark-1" aria-label="Back to the text"');
  });
});
