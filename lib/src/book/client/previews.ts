/**
 * What a citation, footnote, equation or term leads to, shown beside it while it is pointed at or has the focus. The box stays while
 * the pointer is in it, and Escape closes it.
 */
import { element } from './elements.js';

const OPEN_AFTER_MS = 120;
/** Time to get from the link into the box. */
const CLOSE_AFTER_MS = 240;
const GAP = 8;

export function startPreviews(): void {
  const box = element('div', { class: 'preview', id: 'preview', role: 'tooltip', hidden: '' });
  let shownFor: HTMLElement | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const close = (): void => {
    clearTimeout(timer);
    shownFor?.removeAttribute('aria-describedby');
    shownFor = undefined;
    box.hidden = true;
  };
  const open = (link: HTMLElement): void => {
    clearTimeout(timer);
    const content = previewOf(link);
    if (link === shownFor || content === undefined) return;
    close();
    shownFor = link;
    box.replaceChildren(content);
    link.setAttribute('aria-describedby', box.id);
    box.hidden = false;
    place(box, link);
  };
  const later = (act: () => void, ms: number): void => {
    clearTimeout(timer);
    timer = setTimeout(act, ms);
  };
  const linkAt = ({ target }: Event): HTMLElement | null =>
    target instanceof Element ? target.closest<HTMLElement>('[data-preview]') : null;

  document.body.append(box);
  document.addEventListener('pointerover', (event) => {
    if (event.pointerType === 'touch') return;
    const link = linkAt(event);
    if (link) later(() => open(link), OPEN_AFTER_MS);
    else if (event.target instanceof Node && box.contains(event.target)) clearTimeout(timer);
    else if (shownFor && shownFor !== document.activeElement) later(close, CLOSE_AFTER_MS);
    else if (!shownFor) clearTimeout(timer);
  });
  document.addEventListener('focusin', (event) => {
    const link = linkAt(event);
    if (link) open(link);
    else if (!(event.target instanceof Node && box.contains(event.target))) close();
  });
  document.addEventListener('focusout', (event) => {
    if (linkAt(event) === shownFor) later(close, CLOSE_AFTER_MS);
  });
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') close();
  });
  addEventListener('resize', close);
}

/** A copy without ids, which are the original's. */
function previewOf(link: HTMLElement): DocumentFragment | undefined {
  const template = document.getElementById(`preview-${link.dataset['preview'] ?? ''}`);
  if (!(template instanceof HTMLTemplateElement)) return undefined;
  const content = template.content.cloneNode(true) as DocumentFragment;
  content.querySelectorAll('[id]').forEach((named) => named.removeAttribute('id'));
  return content;
}

/** Below the link, or above where there is more room, and never over the edge. */
function place(box: HTMLElement, link: HTMLElement): void {
  const at = link.getClientRects()[0] ?? link.getBoundingClientRect();
  const { width, height } = box.getBoundingClientRect();
  const left = Math.max(GAP, Math.min(at.left, document.documentElement.clientWidth - width - GAP));
  const below = at.bottom + GAP;
  const top = below + height > innerHeight && at.top - GAP - height > 0 ? at.top - GAP - height : below;
  box.style.left = `${left + scrollX}px`;
  box.style.top = `${top + scrollY}px`;
}
