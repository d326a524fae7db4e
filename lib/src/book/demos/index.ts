/** The demos of the book. */
import { clip } from './clip.js';
import type { Demo } from './demo.js';
import { temperature } from './temperature.js';

const demos: readonly Demo[] = [temperature, clip];

export const demoNames: readonly string[] = demos.map(({ name }) => name);

/** @throws Error for a name that no demo has */
export function demoNamed(name: string): Demo {
  const demo = demos.find((each) => each.name === name);
  if (demo === undefined) throw new Error(`there is no demo "${name}"; there are ${demoNames.join(', ')}`);
  return demo;
}
