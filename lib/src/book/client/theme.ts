/** Light or dark: the operating system's, unless the reader says otherwise. The head's own script has set the first one. */
import { all } from './elements.js';
import { remember, remembered } from './memory.js';

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

/** Calls back after each change of theme. */
export function onThemeChange(listener: () => void): void {
  listeners.add(listener);
}

export function startTheme(): void {
  for (const button of all('.theme-button')) button.addEventListener('click', toggle);
  prefersDark.addEventListener('change', () => {
    if (remembered('theme') === undefined) show(systemTheme());
  });
  // another tab of the book
  addEventListener('storage', ({ key }) => {
    if (key === 'posttrain-theme') show(remembered('theme') ?? systemTheme());
  });
  show(document.documentElement.dataset['theme'] ?? systemTheme());
}

function systemTheme(): string {
  return prefersDark.matches ? 'dark' : 'light';
}

function toggle(): void {
  const theme = document.documentElement.dataset['theme'] === 'dark' ? 'light' : 'dark';
  // who goes back to what the system says follows it again
  remember('theme', theme === systemTheme() ? undefined : theme);
  show(theme);
}

function show(theme: string): void {
  document.documentElement.dataset['theme'] = theme;
  for (const button of all('.theme-button')) button.setAttribute('aria-pressed', String(theme === 'dark'));
  for (const listener of listeners) listener();
}
