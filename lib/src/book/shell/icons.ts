/** The few drawings of the shell; they take the colour of the text around them. */

function icon(size: number, content: string): string {
  return `<svg width="${size}" height="${size}" viewBox="0 0 ${size} ${size}" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${content}</svg>`;
}

/** A box that leads to a circle: the smallest diagram. */
export const MARK: string = icon(
  24,
  '<rect x="2.5" y="3.5" width="9" height="7" rx="1.5"/><path d="M7 10.5v3.2a3.3 3.3 0 0 0 3.3 3.3h2.2"/><circle cx="17" cy="17" r="4.4" fill="currentColor" stroke="none"/>',
);

export const SEARCH: string = icon(16, '<circle cx="7" cy="7" r="4.5"/><path d="m10.5 10.5 3.5 3.5"/>');

export const MENU: string = icon(20, '<path d="M3 5.5h14M3 10h14M3 14.5h9"/>');

/** Half light, half dark. */
export const THEME: string = icon(
  20,
  '<circle cx="10" cy="10" r="6.5"/><path d="M10 3.5a6.5 6.5 0 0 1 0 13z" fill="currentColor" stroke="none"/>',
);

export const DOWNLOAD: string = icon(16, '<path d="M8 2.5v7.5M4.8 7 8 10.2 11.2 7M3 13.2h10"/>');

/** The mark as the file of the tab's icon: it cannot take a colour from the page, so it follows the system's theme. */
export const ICON_FILE: string = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>g{color:#2a6fd0}@media(prefers-color-scheme:dark){g{color:#6aa5f5}}</style><g fill="none" stroke="currentColor" stroke-width="2"><rect x="2.5" y="3.5" width="9" height="7" rx="1.5"/><path d="M7 10.5v3.2a3.3 3.3 0 0 0 3.3 3.3h2.2"/><circle cx="17" cy="17" r="4.4" fill="currentColor" stroke="none"/></g></svg>
`;
