/** Links of a site that lead nowhere, or to an anchor that is not there. */
export function brokenLinks(site: ReadonlyMap<string, string | Uint8Array>): readonly string[] {
  const anchors = new Map<string, ReadonlySet<string>>();
  const anchorsOf = (place: string): ReadonlySet<string> => {
    const known =
      anchors.get(place) ??
      new Set([...markupOf(site, place).matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!));
    anchors.set(place, known);
    return known;
  };
  return [...site.keys()]
    .filter((place) => place.endsWith('.html'))
    .flatMap((place) => {
      const links = [...markupOf(site, place).matchAll(/\s(?:href|src|data-plots)="([^"]*)"/g)].map(
        ([, link]) => link!,
      );
      return [...new Set(links)].flatMap((link) => problemOf(link, place, site, anchorsOf));
    });
}

function problemOf(
  link: string,
  place: string,
  site: ReadonlyMap<string, string | Uint8Array>,
  anchorsOf: (place: string) => ReadonlySet<string>,
): readonly string[] {
  const target = new URL(link.replaceAll('&amp;', '&'), `site://book/${place}`);
  if (target.protocol !== 'site:') return [];
  const file = decodeURIComponent(target.pathname.slice(1));
  if (!site.has(file)) return [`${place}: there is no ${file}`];
  const anchor = decodeURIComponent(target.hash.slice(1));
  return anchor === '' || anchorsOf(file).has(anchor) ? [] : [`${place}: ${file} has no #${anchor}`];
}

/** What stands in a template is no target, and a script has no links. */
function markupOf(site: ReadonlyMap<string, string | Uint8Array>, place: string): string {
  return String(site.get(place)).replace(/<template\b.*?<\/template>|(?<=<script>).*?(?=<\/script>)/gs, '');
}
