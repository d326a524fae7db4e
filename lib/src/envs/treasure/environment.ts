/** The treasure hunt in words: a game whose rules the player is not told. */
import { randomStream } from '../../tensor/random.js';
import type { Environment, Episode, StepResult, Task } from '../types.js';
import { readCommand } from './commands.js';
import { treasureObservation } from './observation.js';
import { treasureRules } from './process.js';
import { treasureRewards, treasureStep, type TreasureRules } from './rules.js';
import { treasureStart, type TreasureState } from './state.js';

export interface TreasureTask extends Task {
  /** Of fumbles, hits and noise: the same seed and the same replies give the same episode. Without effect unless the rules are stochastic. */
  readonly seed: number;
}

/** An environment whose episodes also let a program look at the state. */
export interface TreasureEnvironment extends Environment<TreasureTask> {
  start(task: TreasureTask): TreasureEpisode;
}

/** Makes the hunt. A reply is one command. Throws when `maxMoves` is not a positive integer. */
export function treasureEnvironment(options: Partial<TreasureRules> = {}): TreasureEnvironment {
  const rules = treasureRules(options);
  return { name: 'treasure', start: (task) => new TreasureEpisode(task, rules) };
}

/** Ends with the treasure in the bag, or after `maxMoves` with a penalty. `metrics` count moves, drops, and `success` (0 or 1). */
export class TreasureEpisode implements Episode {
  #state: TreasureState = treasureStart;
  #moves = 0;
  #drops = 0;
  #done = false;

  constructor(
    private readonly task: TreasureTask,
    private readonly rules: TreasureRules,
  ) {}

  get state(): TreasureState {
    return this.#state;
  }

  initialObservation(): string {
    return treasureObservation(this.#state, this.rules.maxMoves);
  }

  step(action: string): StepResult {
    if (this.#done)
      throw new Error(`Episode of task ${this.task.id} is over; start a new one with env.start(task).`);
    const random = randomStream(this.task.seed, 'treasure', this.#moves);
    const { next, reward, success, event } = treasureStep(this.#state, action, this.rules, random);
    this.#moves += 1;
    this.#drops += Number(readCommand(action)?.verb === 'drop' && next !== this.#state);
    this.#state = next;
    const metrics = { steps: this.#moves, drops: this.#drops, success: Number(success) };
    const movesLeft = this.rules.maxMoves - this.#moves;
    this.#done = success || movesLeft === 0;
    if (!this.#done) {
      const nextObservation = `${event}\n\n${treasureObservation(next, movesLeft)}`;
      return { reward, episodeDone: false, nextObservation, metrics };
    }
    return {
      reward: success ? reward : reward + treasureRewards.timeout,
      episodeDone: true,
      nextObservation: null,
      stopReason: success ? 'completed' : 'max_turns',
      metrics,
    };
  }
}
