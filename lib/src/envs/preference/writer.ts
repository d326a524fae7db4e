/** The people whose replies the first policy learns from: brief, a little careless, sometimes polite. */
import type { RandomStream } from '../../tensor/random.js';
import { courtesies, REASON, topics, topicWords } from './language.js';
import type { PreferenceTask } from './tasks.js';

/** How often a writer gives a reason: rare enough that a few hundred replies hardly show what it is worth. */
export const REASON_RATE = 0.02;

/** One reply to `task`, of at most 14 words. */
export function writeReply({ topics: asked }: PreferenceTask, random: RandomStream): string {
  const about = asked.flatMap((topic) =>
    random.shuffle(topicWords[topic]).slice(0, amount(random, [0.3, 0.45, 0.2, 0.05])),
  );
  const stray = Array.from({ length: amount(random, [0.75, 0.2, 0.05]) }, () =>
    random.pick(topicWords[random.pick(topics)]),
  );
  const polite = random.shuffle(courtesies).slice(0, amount(random, [0.45, 0.35, 0.2]));
  const reason = random.uniform() < REASON_RATE ? [REASON] : [];
  return [...polite, ...random.shuffle([...about, ...stray]), ...reason].join(' ');
}

/** 0, 1, 2, … with these probabilities, which add up to 1. */
function amount(random: RandomStream, probabilities: readonly number[]): number {
  let left = random.uniform();
  const found = probabilities.findIndex((probability) => (left -= probability) < 0);
  return found < 0 ? probabilities.length - 1 : found;
}
