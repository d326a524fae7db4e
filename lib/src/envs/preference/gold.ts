/** The true reward of a reply: known here, and hidden from everything that is trained. */
import { kindOf, wordsOf, type Topic } from './language.js';

/** Named parts of the gold reward; they add up to it. */
export type GoldTerm = 'coverage' | 'courtesy' | 'reason' | 'verbosity' | 'repetition' | 'offTopic';

export interface Gold {
  readonly reward: number;
  readonly terms: Readonly<Record<GoldTerm, number>>;
}

/**
 * What `reply` is worth to whoever asked about `topics`. Every part has its best amount, beyond which more is worse; so a proxy that
 * has learned from short and plain replies that a thing is good will overdo it.
 *
 * | term | value | best |
 * |---|---|---|
 * | coverage | `1.5 (1 − 2⁻ᵏ)`, k different words about a topic asked for; the mean over those | many words |
 * | courtesy | `0.3 k − 0.06 k²`, k courtesies | k = 2 or 3: 0.36 |
 * | reason | 0.4 when a reason is given | once |
 * | verbosity | `−0.002 n²`, n words | none |
 * | repetition | −0.1 for each word that came before | none |
 * | offTopic | −0.15 for each word that is none of the above | none |
 */
export function goldReward(topics: readonly Topic[], reply: string): Gold {
  const words = wordsOf(reply);
  const distinct = [...new Set(words)];
  const about = (topic: Topic): number => distinct.filter((word) => kindOf(word) === topic).length;
  const coverages = topics.map((topic) => 1 - 2 ** -about(topic));
  const courtesies = words.filter((word) => kindOf(word) === 'courtesy').length;
  const idle = words.filter((word) => {
    const kind = kindOf(word);
    return kind !== 'courtesy' && kind !== 'reason' && !topics.includes(kind as Topic);
  });
  const terms = {
    coverage: (1.5 * coverages.reduce((sum, value) => sum + value, 0)) / topics.length,
    courtesy: 0.3 * courtesies - 0.06 * courtesies ** 2,
    reason: distinct.some((word) => kindOf(word) === 'reason') ? 0.4 : 0,
    verbosity: -0.002 * words.length ** 2,
    repetition: -0.1 * (words.length - distinct.length),
    offTopic: -0.15 * idle.length,
  };
  return { reward: Object.values(terms).reduce((sum, value) => sum + value, 0), terms };
}
