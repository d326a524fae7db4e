/** Marks in the page's outline which section is being read. */
import { all } from './elements.js';

/** A section is being read once its heading has come so far up, in pixels from the top. */
const READING_LINE = 140;

export function startOutline(): void {
  const links = all<HTMLAnchorElement>('.outline a');
  const headings = links.flatMap((link) => {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    return heading ? [{ link, heading }] : [];
  });
  if (headings.length === 0) return;
  const mark = (): void => {
    const passed = headings.filter(({ heading }) => heading.getBoundingClientRect().top < READING_LINE);
    const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const current = atEnd ? headings.at(-1) : passed.at(-1);
    for (const { link } of headings) {
      if (link === current?.link) link.setAttribute('aria-current', 'location');
      else link.removeAttribute('aria-current');
    }
    if (current) keepVisible(current.link);
  };
  oncePerFrame('scroll', mark);
  oncePerFrame('resize', mark);
  mark();
}

function oncePerFrame(event: 'scroll' | 'resize', act: () => void): void {
  let waiting = false;
  addEventListener(
    event,
    () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        act();
      });
    },
    { passive: true },
  );
}

/** A long outline scrolls along. */
function keepVisible(link: HTMLElement): void {
  const list = link.closest<HTMLElement>('.outline');
  if (!list) return;
  const { top, bottom } = link.getBoundingClientRect();
  const frame = list.getBoundingClientRect();
  if (top < frame.top + 40) list.scrollTop -= frame.top + 40 - top;
  else if (bottom > frame.bottom - 40) list.scrollTop += bottom - frame.bottom + 40;
}
