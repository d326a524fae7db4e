/** The demos of the book, chapter by chapter. */
import { baseline } from './baseline.js';
import { canvas } from './canvas.js';
import { clip } from './clip.js';
import type { Demo } from './demo.js';
import { divergences } from './divergences.js';
import { drawDemo } from './draw.js';
import { drift } from './drift.js';
import { filter } from './filter.js';
import { interval } from './interval.js';
import { kl } from './kl.js';
import { lossMask } from './loss-mask.js';
import { passAtKDemo } from './pass-at-k.js';
import { qLearningDemo } from './q-learning.js';
import { reward } from './reward.js';
import { selfCheck } from './self-check.js';
import { temperature } from './temperature.js';
import { trainNano } from './train-nano.js';
import { treasure } from './treasure.js';

const demos: readonly Demo[] = [
  selfCheck,
  temperature,
  treasure,
  qLearningDemo,
  canvas,
  reward,
  filter,
  lossMask,
  trainNano,
  clip,
  baseline,
  kl,
  divergences,
  drift,
  passAtKDemo,
  interval,
  drawDemo,
];

export const demoNames: readonly string[] = demos.map(({ name }) => name);

/** @throws Error for a name that no demo has */
export function demoNamed(name: string): Demo {
  const demo = demos.find((each) => each.name === name);
  if (demo === undefined) throw new Error(`there is no demo "${name}"; there are ${demoNames.join(', ')}`);
  return demo;
}
