/** Buttons that copy code, without what it printed, and formulas as TeX. */
import { announce } from './announce.js';
import { all, element } from './elements.js';

/** The button says that it has copied for so long. */
const SAID_MS = 1600;

export function startCopying(): void {
  for (const code of all('main pre > code')) {
    const pre = code.parentElement!;
    if (!pre.matches('.source-code'))
      holder(pre).append(copyButton('Copy', 'Copy this code', () => code.textContent ?? ''));
  }
  for (const formula of all('article .equation')) {
    const tex = formula.querySelector('annotation[encoding="application/x-tex"]')?.textContent ?? '';
    if (tex !== '') formula.append(copyButton('TeX', 'Copy this formula as TeX', () => tex));
  }
}

/** The box at whose corner the button stands: what scrolls within may not take it along. */
function holder(content: HTMLElement): HTMLElement {
  const around = content.parentElement!;
  if (around.matches('.holds-button')) return around;
  const box = element('div', { class: 'holds-button' });
  content.replaceWith(box);
  box.append(content);
  return box;
}

function copyButton(words: string, name: string, text: () => string): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'copy', 'aria-label': name }, words);
  button.addEventListener('click', () => {
    void copied(text()).then((done) => {
      button.textContent = done ? 'Copied' : 'Not allowed';
      announce(button.textContent);
      setTimeout(() => (button.textContent = words), SAID_MS);
    });
  });
  return button;
}

/** Pages opened from a file have the clipboard only through a selection. */
async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = element('textarea', { class: 'visually-hidden' });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand('copy');
    field.remove();
    return done;
  }
}
