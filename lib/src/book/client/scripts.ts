/** Scripts of the site that are loaded when they are needed: a page opened from a file may load scripts, and fetch nothing. */

const loading = new Map<string, Promise<void>>();

/** Loads a script once, whoever asks. @param place relative to the site's root */
export function loadScript(place: string): Promise<void> {
  const known = loading.get(place);
  if (known !== undefined) return known;
  const wanted = new Promise<void>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = siteAddress(place);
    script.onload = () => resolve();
    script.onerror = () => reject(new Error(`${place} did not load`));
    document.head.append(script);
  });
  loading.set(place, wanted);
  // the next try may find it
  wanted.catch(() => loading.delete(place));
  return wanted;
}

/** The address of a file of the site, from this page. */
export function siteAddress(place: string): string {
  return `${document.documentElement.dataset['root'] ?? './'}${place}`;
}
