/** Puts views into the page, and leaves the reader where they are in them. */

/** Replaces the view of that name, or adds it. */
export function showView(views: HTMLElement, name: string, html: string): void {
  const box = boxNamed(views, name);
  const keep = placesIn(box);
  box.innerHTML = html;
  keep.restore();
}

function boxNamed(views: HTMLElement, name: string): HTMLElement {
  const found = views.querySelector<HTMLElement>(`:scope > [data-view="${name}"]`);
  if (found !== null) return found;
  const box = views.ownerDocument.createElement('div');
  box.className = 'demo-view';
  box.dataset['view'] = name;
  views.append(box);
  return box;
}

/** What is open, how far it is scrolled, and which button has the focus. */
function placesIn(box: HTMLElement): { restore(): void } {
  const open = Array.from(box.querySelectorAll('details')).map((details) => details.open);
  const scrolled = Array.from(box.querySelectorAll('.demo-scroll')).map(({ scrollLeft }) => scrollLeft);
  const focused = box.contains(box.ownerDocument.activeElement)
    ? (box.ownerDocument.activeElement as HTMLElement)
    : null;
  return {
    restore() {
      box.querySelectorAll('details').forEach((details, i) => (details.open = open[i] ?? false));
      box.querySelectorAll('.demo-scroll').forEach((scroll, i) => (scroll.scrollLeft = scrolled[i] ?? 0));
      if (focused !== null) successorOf(focused, box)?.focus({ preventScroll: true });
    },
  };
}

/** The button of the same words, or the first: who plays by keyboard goes on playing. */
function successorOf(focused: HTMLElement, box: HTMLElement): HTMLElement | undefined {
  const same = Array.from(box.querySelectorAll<HTMLElement>('button, summary, [tabindex]'));
  return same.find(({ textContent }) => textContent === focused.textContent) ?? same[0];
}
