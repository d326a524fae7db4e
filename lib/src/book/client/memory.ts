/** What the site remembers, on this device only; a browser that forbids it just forgets. */

export function remembered(name: string): string | undefined {
  try {
    return localStorage.getItem(`posttrain-${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

/** `undefined` forgets. */
export function remember(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(`posttrain-${name}`);
    else localStorage.setItem(`posttrain-${name}`, value);
  } catch {
    // private windows and strict settings: the page works all the same
  }
}
