import { escapeMarkup } from '../../markup.js';

export interface SitemapEntry {
  readonly place: string;
  /** `2026-11-30`. */
  readonly updated: string;
}

/** The pages for search engines; addresses are relative to the sitemap where the site's own is not known. */
export function sitemap(entries: readonly SitemapEntry[], url: string | undefined): string {
  const root = url === undefined ? '' : url.replace(/\/?$/, '/');
  const items = entries.map(
    ({ place, updated }) =>
      `<url><loc>${escapeMarkup(`${root}${place}`)}</loc><lastmod>${updated}</lastmod></url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${items.join('\n')}
</urlset>
`;
}
