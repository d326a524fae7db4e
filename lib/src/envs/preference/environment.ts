/** The preference world: a request, one short reply, and a reward that is known. */
import type { Environment, Episode, StepResult } from '../types.js';
import { goldReward } from './gold.js';
import type { PreferenceTask } from './tasks.js';

/** What the policy is asked: the topics, by name. */
export function requestOf({ topics }: PreferenceTask): string {
  return topics.join(' ');
}

/** Makes the preference environment: an episode is one reply, and its reward the gold one. `metrics` has `gold` and its terms. */
export function preferenceEnvironment(): Environment<PreferenceTask> {
  return { name: 'preference', start: startEpisode };
}

function startEpisode(task: PreferenceTask): Episode {
  let done = false;
  return {
    initialObservation: () => requestOf(task),
    step(reply): StepResult {
      if (done) throw new Error(`Episode of task ${task.id} is over; start a new one with env.start(task).`);
      done = true;
      const { reward, terms } = goldReward(task.topics, reply);
      const named = Object.entries(terms).map(([name, value]) => [`terms/${name}`, value] as const);
      return {
        reward,
        episodeDone: true,
        nextObservation: null,
        stopReason: 'completed',
        metrics: { gold: reward, ...Object.fromEntries(named) },
      };
    },
  };
}
