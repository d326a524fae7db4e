/** The values of demos in the page's address: `?demo.clip.epsilon=0.3`. What is as it was stays out of it. */
import type { Texts } from './page-controls.js';

/** The values that the address gives a demo. */
export function textsInAddress(demo: string): Texts {
  const prefix = prefixOf(demo);
  const own = [...new URLSearchParams(location.search)].filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(own.map(([name, text]) => [name.slice(prefix.length), text]));
}

/** Browsers allow some hundred changes of the address in half a minute; a drag makes more. */
const QUIET_MS = 300;

/** Makes the function that writes a demo's values into the address, once they have stood still. */
export function addressWriter(demo: string): (texts: Texts) => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return (texts) => {
    clearTimeout(timer);
    timer = setTimeout(() => write(demo, texts), QUIET_MS);
  };
}

function write(demo: string, texts: Texts): void {
  const address = new URL(location.href);
  for (const name of [...address.searchParams.keys()])
    if (name.startsWith(prefixOf(demo))) address.searchParams.delete(name);
  for (const [name, text] of Object.entries(texts)) address.searchParams.set(prefixOf(demo) + name, text);
  history.replaceState(history.state, '', address);
}

const prefixOf = (demo: string): string => `demo.${demo}.`;
