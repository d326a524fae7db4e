/**
 * Six turns to a locked door. On each the policy picks one of four colours: a torch, a key, a rope. Only the key matters: one of
 * them, nobody says which, opens the door at the end. Which turn was to blame? A world to study credit in.
 */
import type { Environment, Episode, StepResult, Task } from '../types.js';

export const keyDoorColours = ['red', 'blue', 'green', 'gold'] as const;
export type KeyDoorColour = (typeof keyDoorColours)[number];

/** Where the policy is on each turn. */
export const keyDoorTurns = ['hall', 'keys', 'stairs', 'hall', 'stairs', 'door'] as const;
export type KeyDoorPlace = (typeof keyDoorTurns)[number];

/** When a right key is paid: as it is taken (a process reward), or when the door opens (an outcome reward). 1 in all, either way. */
export type KeyDoorReward = 'process' | 'outcome';

export interface KeyDoorTask extends Task {
  /** The key that fits. */
  readonly door: KeyDoorColour;
}

/** Strings that should be one token each. */
export const keyDoorPieces: readonly string[] = [...new Set(keyDoorTurns), ...keyDoorColours, ' with '];

/** One task a key. */
export const keyDoorTasks: readonly KeyDoorTask[] = keyDoorColours.map((door) => ({
  id: `door-${door}`,
  split: 'train',
  door,
}));

/**
 * Makes the environment. Observations say where one is and which key one carries: `stairs with gold`. An answer that is no
 * colour leads on too. No clock and no random source: the same replies give the same episode.
 */
export function keyDoorEnvironment(reward: KeyDoorReward): Environment<KeyDoorTask> {
  return { name: 'key-door', start: ({ door }) => new KeyDoorEpisode(door, reward) };
}

class KeyDoorEpisode implements Episode {
  #turn = 0;
  #key: string | undefined;

  constructor(
    private readonly door: KeyDoorColour,
    private readonly reward: KeyDoorReward,
  ) {}

  initialObservation(): string {
    return keyDoorTurns[0];
  }

  step(action: string): StepResult {
    const place = keyDoorTurns[this.#turn];
    if (place === undefined) throw new Error('The episode is over; start a new one for another attempt.');
    if (place === 'keys') this.#key = keyDoorColours.find((colour) => colour === action.trim());
    const keyFits = this.#key === this.door;
    this.#turn += 1;
    const episodeDone = this.#turn === keyDoorTurns.length;
    const paid = this.reward === 'process' ? place === 'keys' : episodeDone;
    return {
      reward: paid && keyFits ? 1 : 0,
      episodeDone,
      nextObservation: episodeDone ? null : this.#observation(),
      ...(episodeDone && { stopReason: 'completed' }),
      metrics: { success: keyFits ? 1 : 0 },
    };
  }

  #observation(): string {
    const place = keyDoorTurns[this.#turn] as KeyDoorPlace;
    return this.#key === undefined ? place : `${place} with ${this.#key}`;
  }
}
