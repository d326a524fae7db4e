/** Which chapters have been read to their end, and where reading stopped: remembered on this device alone. */
import { all, element } from './elements.js';
import { remember, remembered } from './memory.js';

export function startProgress(): void {
  showRead();
  const chapter = document.documentElement.dataset['chapter'];
  if (chapter === undefined) offerToContinue();
  else {
    remember('last', chapter);
    watchEnd(chapter);
  }
}

function chaptersRead(): ReadonlySet<string> {
  return new Set((remembered('read') ?? '').split(' ').filter((id) => id !== ''));
}

function setRead(chapter: string, read: boolean): void {
  const chapters = new Set(chaptersRead());
  if (read) chapters.add(chapter);
  else chapters.delete(chapter);
  remember('read', chapters.size === 0 ? undefined : [...chapters].join(' '));
  showRead();
}

/** Fills the boxes of the chapters that have been read. */
function showRead(): void {
  const read = chaptersRead();
  for (const item of all('[data-chapter]:not(html)')) {
    const done = read.has(item.dataset['chapter'] ?? '');
    item.classList.toggle('read', done);
    item.querySelector('.read-word')?.remove();
    if (done)
      item.querySelector('.name')?.append(element('span', { class: 'read-word visually-hidden' }, ' (read)'));
  }
  const chapters = all('.chapters [data-chapter]');
  const count = chapters.filter((item) => item.classList.contains('read')).length;
  for (const place of all('.read-so-far'))
    place.textContent = count === 0 ? '' : `; you have read ${count} of ${chapters.length}`;
}

/** The end of the text, once seen, makes the chapter read; its line says so and can take it back. */
function watchEnd(chapter: string): void {
  const end = document.querySelector<HTMLElement>('[data-end]');
  const line = end?.querySelector<HTMLElement>('p');
  if (!end || !line) return;
  const show = (): void => {
    const read = chaptersRead().has(chapter);
    const button = element(
      'button',
      { type: 'button', class: 'quiet' },
      read ? 'Mark as unread' : 'Mark as read',
    );
    button.addEventListener('click', () => {
      observer.disconnect();
      setRead(chapter, !read);
      show();
      line.querySelector('button')?.focus();
    });
    line.replaceChildren(read ? 'You have read this chapter. ' : 'Not marked as read. ', button);
  };
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    if (scrollY > 0) setRead(chapter, true);
    show();
  });
  observer.observe(end);
}

/** The front page leads to where reading stopped, or to the next chapter when that one has been read. */
function offerToContinue(): void {
  const link = document.querySelector<HTMLAnchorElement>('[data-continue]');
  const last = remembered('last');
  if (!link || last === undefined) return;
  const chapters = all('.chapters [data-chapter]');
  const at = chapters.findIndex((item) => item.dataset['chapter'] === last);
  const wanted = chaptersRead().has(last) ? chapters[at + 1] : chapters[at];
  const target = wanted?.querySelector<HTMLAnchorElement>('a');
  if (at < 0 || !target) return;
  link.href = target.href;
  link.textContent = `Continue: ${target.querySelector('.name')?.firstChild?.textContent ?? ''}`;
}
