/** A language of 27 words: requests name topics, replies speak about them. */

/** What can be asked for, and the words that speak about it. */
export const topicWords = {
  garden: ['rose', 'soil', 'seed'],
  kitchen: ['bread', 'salt', 'oven'],
  music: ['drum', 'song', 'choir'],
  travel: ['train', 'map', 'hotel'],
  weather: ['rain', 'wind', 'cloud'],
} as const;

export type Topic = keyof typeof topicWords;

export const topics: readonly Topic[] = Object.keys(topicWords) as Topic[];

/** Words that please without saying anything. */
export const courtesies = ['gladly', 'wonderful', 'friend', 'indeed', 'certainly', 'lovely'] as const;

/** Opens a reason; replies of the writers hardly ever give one. */
export const REASON = 'because';

/** Every word, for a `wordTokenizer`. */
export const preferenceWords: readonly string[] = [
  ...topics,
  ...Object.values(topicWords).flat(),
  ...courtesies,
  REASON,
];

export type WordKind = Topic | 'courtesy' | 'reason' | 'other';

const kinds = new Map<string, WordKind>([
  ...topics.flatMap((topic) => topicWords[topic].map((word) => [word, topic] as const)),
  ...courtesies.map((word) => [word, 'courtesy'] as const),
  [REASON, 'reason'],
]);

/** The topic a word speaks about, or what else it does. Names of topics and words of no language are `other`. */
export function kindOf(word: string): WordKind {
  return kinds.get(word) ?? 'other';
}

/** The words of a reply, in order. */
export function wordsOf(reply: string): string[] {
  return reply.split(/\s+/u).filter((word) => word !== '');
}
