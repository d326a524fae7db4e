/**
 * The contents: beside the text on wide screens, behind a button on narrow ones. Where there is no room for a third column the
 * page's outline stands among them.
 */

const narrow = matchMedia('(max-width: 60rem)');
const wide = matchMedia('(min-width: 76rem)');

export function startContents(): void {
  const contents = document.querySelector<HTMLElement>('#contents');
  const button = document.querySelector<HTMLButtonElement>('.menu');
  const outline = document.querySelector<HTMLElement>('.outline');
  if (!contents || !button) return;
  const arrange = (): void => {
    if (narrow.matches) contents.popover = 'auto';
    else contents.removeAttribute('popover');
    if (!outline) return;
    if (wide.matches) document.querySelector('main')?.after(outline);
    else contents.append(outline);
  };
  narrow.addEventListener('change', arrange);
  wide.addEventListener('change', arrange);
  arrange();
  button.popoverTargetElement = contents;
  contents.addEventListener('toggle', (event) => {
    const open = (event as ToggleEvent).newState === 'open';
    button.setAttribute('aria-expanded', String(open));
    if (open) showCurrent(contents);
  });
  // a heading of this very page
  contents.addEventListener('click', ({ target }) => {
    if (narrow.matches && target instanceof Element && target.closest('.outline a')) contents.hidePopover();
  });
  showCurrent(contents);
}

/** Scrolls the list, and never the page, to the page that is open. */
function showCurrent(contents: HTMLElement): void {
  const current = contents.querySelector<HTMLElement>('[aria-current]');
  if (current) contents.scrollTop = current.offsetTop - contents.clientHeight / 2;
}
