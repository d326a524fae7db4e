import type { MetricEntry } from './glossary-entry.js';

/** What Q-learning and SARSA report of each episode; their trends show over windows of hundreds. */
export const tabular: readonly MetricEntry[] = [
  {
    key: 'episodic_return',
    meaning: 'Sum of the rewards of the episode, without discount and without shaping.',
    healthy: 'Rises, and so does success.',
    broken:
      'Rises while success stands still: something on the way pays more than the goal; look at what the policy repeats.',
  },
  {
    key: 'episodic_length',
    meaning: 'Moves in the episode.',
    healthy: 'Falls towards the shortest way there is.',
    broken: 'Stays at the horizon: nothing is ever finished.',
  },
  {
    key: 'success',
    meaning: '1 when the episode reached its goal.',
    healthy: 'More and more 1, up to what the random moves allow.',
    broken: 'Only 0: the goal was never met by chance (more exploration), or it does not pay (the reward).',
  },
  {
    key: 'epsilon',
    meaning: 'Share of moves played at random.',
    healthy: 'Falls from epsilonStart to epsilonEnd in the first half of the run.',
    broken: 'At its floor while success is still 0: the agent stopped looking too early.',
  },
  {
    key: 'num_states',
    meaning: 'Rows of the table: different observations the agent has been in front of.',
    healthy: 'Grows fast, then levels off.',
    broken: 'Grows without end: the table is too fine to see a state twice.',
  },
];
