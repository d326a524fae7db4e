import type { DecisionProcess } from 'posttrain/envs';

/** Rooms 0 … last in a row; the last one is the goal and pays 1. */
export function corridor(last: number, moves = 100): DecisionProcess<number, 'left' | 'right'> {
  return {
    start: 0,
    horizon: { moves, reward: 0 },
    actions: () => ['left', 'right'],
    step: (state, action) => {
      const next = Math.max(0, state + (action === 'right' ? 1 : -1));
      const success = next === last;
      return { next, reward: Number(success), done: success, success };
    },
    key: String,
    observe: String,
  };
}

/**
 * A cliff, in small: on the short way every random move down falls (−10). `short` steps along the edge, `long` goes round.
 * With random moves the way round is better, without them the edge is.
 */
export const cliff: DecisionProcess<'start' | 'edge' | 'round' | 'end', 'short' | 'long' | 'on' | 'down'> = {
  start: 'start',
  horizon: { moves: 10, reward: 0 },
  actions: (state) => (state === 'start' ? ['short', 'long'] : state === 'edge' ? ['on', 'down'] : ['on']),
  step: (state, action) => {
    if (state === 'start')
      return { next: action === 'short' ? 'edge' : 'round', reward: -1, done: false, success: false };
    const reward = state === 'round' ? -2 : action === 'down' ? -10 : -1;
    return { next: 'end', reward, done: true, success: true };
  },
  key: (state) => state,
  observe: (state) => state,
};
