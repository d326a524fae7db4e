import type { TrajectoryRecord } from '../teachers/index.js';
import type { ChatMessage } from '../text/index.js';

/** A reply in its conversation: a conversational prompt-completion example. */
export interface TurnExample {
  readonly prompt: readonly ChatMessage[];
  readonly completion: readonly [ChatMessage];
}

/**
 * What a teacher did, as prompt-completion examples: one a turn, of which everything said before is the prompt.
 * ```ts
 * const kept = records.filter(({ rejection }) => rejection === null);
 * writeDataset('teacher.jsonl', kept.flatMap(turnExamples));
 * ```
 */
export function turnExamples({ turns }: Pick<TrajectoryRecord, 'turns'>): TurnExample[] {
  const said = turns.flatMap(({ observation, completion }): ChatMessage[] => [
    { role: 'user', content: observation },
    { role: 'assistant', content: completion },
  ]);
  return turns.map(({ completion }, turn) => ({
    prompt: said.slice(0, 2 * turn + 1),
    completion: [{ role: 'assistant', content: completion }],
  }));
}
