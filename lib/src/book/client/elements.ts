/** Makes an element with properties, attributes and children. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

export function all<E extends HTMLElement = HTMLElement>(
  selector: string,
  within: ParentNode = document,
): E[] {
  return Array.from(within.querySelectorAll<E>(selector));
}
