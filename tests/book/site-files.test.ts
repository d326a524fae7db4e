import { describe, expect, it } from 'vitest';
import { siteFiles } from '../../lib/src/book/shell/site-files.js';
import { brokenLinks } from './site-links.js';
import { assets, book } from './shell-fixture.js';

const site = siteFiles(book, assets);
const text = (place: string): string => String(site.get(place));

describe('the files of the site', () => {
  it('has a page for each chapter, list and source file, and the Markdown beside each chapter', () => {
    expect([...site.keys()].filter((place) => /\.(html|md)$/.test(place)).sort()).toEqual(
      [
        '00-start-here.html',
        '00-start-here.md',
        '03-rewards.html',
        '03-rewards.md',
        '404.html',
        'glossary.html',
        'gpu.html',
        'gpu.md',
        'index.html',
        'more.html',
        'more.md',
        'notebooks.html',
        'references.html',
        'source.html',
        'source/lib/src/a.ts.html',
      ].sort(),
    );
  });

  it('has no link that leads nowhere, at any depth', () => {
    expect(brokenLinks(site)).toEqual([]);
  });

  it('would notice a link that leads nowhere', () => {
    const broken = new Map(site).set(
      '00-start-here.html',
      '<a href="nowhere.html">x</a><a href="more.html#lost">y</a>',
    );
    expect(brokenLinks(broken)).toEqual([
      '00-start-here.html: there is no nowhere.html',
      '00-start-here.html: more.html has no #lost',
    ]);
  });

  it('asks nobody else for anything', () => {
    for (const [place, content] of site)
      if (place.endsWith('.html'))
        expect(String(content), place).not.toMatch(
          /<(?:script|link|img|iframe)[^>]+(?:src|href)="(?:https?:)?\/\//,
        );
  });

  it('says version, commit and date on every page but that of lost addresses', () => {
    for (const place of site.keys())
      if (place.endsWith('.html') && place !== '404.html')
        expect(text(place), place).toContain('posttrain 0.1.0 · commit abc1234+ · 2026-11-30');
  });

  it('says no commit outside of a repository', () => {
    expect(String(siteFiles({ ...book, commit: '' }, assets).get('index.html'))).not.toContain('commit');
  });

  it('gives each page one h1, which is escaped', () => {
    expect(text('03-rewards.html').match(/<h1>.*?<\/h1>/g)).toEqual(['<h1>Rewards &amp; gates</h1>']);
  });

  it('marks the page that is open in the contents', () => {
    expect(text('03-rewards.html')).toContain('<a href="03-rewards.html" aria-current="page">');
    expect(text('glossary.html')).toContain('<a href="glossary.html" aria-current="page">');
  });

  it('leads from chapter to chapter', () => {
    expect(text('00-start-here.html')).not.toContain('rel="prev"');
    expect(text('00-start-here.html')).toContain('<a class="next" rel="next" href="03-rewards.html">');
    expect(text('03-rewards.html')).toContain('<a class="prev" rel="prev" href="00-start-here.html">');
    expect(text('more.html')).not.toContain('rel="next"');
  });

  it('counts appendices in letters', () => {
    expect(text('gpu.html')).toContain('Appendix A');
    expect(text('more.html')).toContain('Appendix B');
  });

  it('puts no link into the links of the outline', () => {
    expect(text('03-rewards.html')).toContain('<a href="#gates">Gates with <code>x</code> and a link</a>');
  });

  it('loads the styles of mathematics only where there is some', () => {
    const html = '<span class="katex">x</span>';
    const pages = book.pages.map((page) => (page.id === 'gpu' ? { ...page, html } : page));
    const withMath = siteFiles({ ...book, pages }, assets);
    expect(withMath.get('gpu.html')).toContain('assets/katex/katex.css');
    expect(withMath.get('more.html')).not.toContain('assets/katex/katex.css');
  });

  it('puts the figures of a chapter into a script that its page names', () => {
    expect(text('03-rewards.html')).toContain('data-plots="assets/plots/rewards.js"');
    const scope = run(text('assets/plots/rewards.js'));
    expect(scope['posttrainPlots']).toEqual({ 'fig-a': { data: [], layout: {} } });
    expect(site.has('assets/plots/start-here.js')).toBe(false);
  });

  it('anchors each line of a source file, and says which chapters show it', () => {
    const source = text('source/lib/src/a.ts.html');
    expect(source).toContain('<span class="line" id="L2">export const b = "&lt;";</span>');
    expect(source).not.toContain('id="L3"');
    expect(source).toContain('href="../../../03-rewards.html"');
  });

  it('gives terms in both languages, where chapters link to, and the Chinese ones by pinyin', () => {
    const glossary = text('glossary.html');
    expect(glossary).toMatch(
      /<div id="advantage"><dt>advantage <span class="zh" lang="zh-Hans">优势<\/span>/,
    );
    expect(glossary.indexOf('id="advantage"')).toBeLessThan(glossary.indexOf('id="policy"'));
    // cè lüè before yōu shì
    expect(glossary.indexOf('href="#policy">策略')).toBeLessThan(glossary.indexOf('href="#advantage">优势'));
  });

  it('says which chapters cite a reference', () => {
    expect(text('references.html')).toMatch(
      /<li id="schulman2017">.*<a href="03-rewards.html">Chapter 3<\/a>/,
    );
  });

  it('lists all pages in the sitemap, at the address that was given', () => {
    const located = (map: string): string[] =>
      [...map.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, place]) => place!);
    const pages = [...site.keys()].filter((place) => place.endsWith('.html') && place !== '404.html');
    expect(located(text('sitemap.xml')).sort()).toEqual(pages.sort());
    const elsewhere = siteFiles(book, { ...assets, url: 'https://example.org/book' });
    expect(located(String(elsewhere.get('sitemap.xml')))).toContain(
      'https://example.org/book/03-rewards.html',
    );
  });

  it('tells language models where the Markdown is', () => {
    expect(text('llms.txt')).toMatch(/^# Post-training from first principles\n\n> /);
    const named = [...text('llms.txt').matchAll(/\]\(([^)]+)\)/g)].map(([, place]) => place!);
    expect(named).toContain('03-rewards.md');
    expect(named.filter((place) => !site.has(place))).toEqual([]);
  });

  it('does without notebooks and sources', () => {
    const page = { ...book.pages[0]! };
    const bare = siteFiles({ ...book, pages: [page], notebooks: new Map(), sources: [] }, assets);
    expect(brokenLinks(bare)).toEqual([]);
    expect(bare.has('notebooks.html')).toBe(false);
  });

  it('does not let one file replace another', () => {
    const twice = { ...assets, files: new Map([['index.html', '']]) };
    expect(() => siteFiles(book, twice)).toThrow('two files of the book want the place index.html');
  });
});

/** What a script of data leaves in its globals. */
function run(script: string): Record<string, unknown> {
  const scope: Record<string, unknown> = {};
  new Function('globalThis', script)(scope);
  return scope;
}
