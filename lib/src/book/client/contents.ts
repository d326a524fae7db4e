/** The contents: beside the text on wide screens, behind a button on narrow ones. */

const narrow = matchMedia('(max-width: 60rem)');

export function startContents(): void {
  const contents = document.querySelector<HTMLElement>('#contents');
  const button = document.querySelector<HTMLButtonElement>('.menu');
  if (!contents || !button) return;
  const arrange = (): void => {
    if (narrow.matches) contents.popover = 'auto';
    else contents.removeAttribute('popover');
  };
  narrow.addEventListener('change', arrange);
  arrange();
  button.popoverTargetElement = contents;
  contents.addEventListener('toggle', (event) => {
    const open = (event as ToggleEvent).newState === 'open';
    button.setAttribute('aria-expanded', String(open));
    if (open) showCurrent(contents);
  });
  showCurrent(contents);
}

/** Scrolls the list, and never the page, to the page that is open. */
function showCurrent(contents: HTMLElement): void {
  const current = contents.querySelector<HTMLElement>('[aria-current]');
  if (current) contents.scrollTop = current.offsetTop - contents.clientHeight / 2;
}
