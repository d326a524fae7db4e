/**
 * What a command does and pays. The reward table is the published game's, its fault
 * included: a pick-up pays every time, so that dropping the red key and taking it again earns 4 in two moves, for ever.
 */
import type { RandomStream } from '../../tensor/random.js';
import type { Transition } from '../decision-process.js';
import { readCommand } from './commands.js';
import { guardIsHere, isLocked, itemsAt, type TreasureState } from './state.js';
import {
  goal,
  guard,
  itemDescriptions,
  items,
  lockedDoor,
  recipe,
  roomDescriptions,
  type Item,
  type Place,
} from './world.js';

export interface TreasureRules {
  /** Pays the pick-up of each item the first time only. Default `false`, as published. */
  readonly payOnce: boolean;
  /** Moves in an episode; the last is carried out. Default 50. */
  readonly maxMoves: number;
  /** Commands may fail and rewards vary. Default `false`. */
  readonly stochastic: boolean;
}

export interface TreasureOutcome extends Transition<TreasureState> {
  /** What the player is told. */
  readonly event: string;
}

/** What a command earns, before the cost of the move. */
type Effect = Omit<TreasureOutcome, 'done' | 'success'>;

export const treasureRewards = {
  /** Every move, whatever it does. */
  move: -0.5,
  walk: 1,
  unlock: 5,
  locked: -0.5,
  /** No exit there, or a guard before it. */
  blocked: -1,
  take: { key: 5, weapon: 3, tool: 2, treasure: 100 },
  takeNothing: -0.5,
  useInVain: -0.5,
  beatGuard: 20,
  wrongWeapon: -2,
  attackNothing: -1,
  craft: 10,
  craftNothing: -0.5,
  unknownCommand: -1,
  victory: 100,
  timeout: -10,
  /** Of `stochastic`. */
  fumble: -0.2,
  criticalHit: 30,
  miss: -0.5,
  fizzle: -0.2,
} as const;

/** Of `stochastic`: how often things happen, and by how much the cost of a move varies either way. */
const CHANCE = { fumble: 0.03, criticalHit: 0.1, miss: 0.05, fizzle: 0.1 } as const;
const NOISE = 0.1;
/** Neither a critical hit nor a miss. */
const ORDINARY_LUCK = 0.5;

/** Carries out one command. Draws random numbers only when the rules are stochastic. */
export function treasureStep(
  state: TreasureState,
  text: string,
  rules: TreasureRules,
  random: RandomStream,
): TreasureOutcome {
  const { next, reward, event } = effectOf(state, text, rules, random);
  const noise = rules.stochastic ? NOISE * (2 * random.uniform() - 1) : 0;
  const success = next.places[goal] === 'bag';
  return {
    next,
    reward: treasureRewards.move + noise + reward + (success ? treasureRewards.victory : 0),
    done: success,
    success,
    event: success ? `${event} You have won!` : event,
  };
}

function effectOf(state: TreasureState, text: string, rules: TreasureRules, random: RandomStream): Effect {
  if (rules.stochastic && random.uniform() < CHANCE.fumble)
    return nothing(state, treasureRewards.fumble, 'You fumble; nothing happens.');
  const command = readCommand(text);
  switch (command?.verb) {
    case 'go':
      return go(state, command.object);
    case 'take':
      return take(state, command.object, rules);
    case 'use':
      return use(state, command.object);
    case 'drop':
      return drop(state, command.object);
    case 'attack with':
      return attack(state, command.object, rules, random);
    case 'try crafting':
      return craft(state, rules, random);
    case 'look around':
      return nothing(state, 0, 'You look around.');
    case 'check inventory':
      return nothing(state, 0, 'You check your bag.');
    case undefined:
      return nothing(state, treasureRewards.unknownCommand, 'You do not know how to do that.');
  }
}

function nothing(next: TreasureState, reward: number, event: string): Effect {
  return { next, reward, event };
}

function go(state: TreasureState, direction: string): Effect {
  const exits: Readonly<Record<string, (typeof state)['room']>> = roomDescriptions[state.room].exits;
  const room = exits[direction];
  if (room === undefined) return nothing(state, treasureRewards.blocked, `There is no way ${direction}.`);
  if (guardIsHere(state)) return nothing(state, treasureRewards.blocked, 'The guard bars your way.');
  const { title } = roomDescriptions[room];
  if (!isLocked(state, direction))
    return {
      next: { ...state, room },
      reward: treasureRewards.walk,
      event: `You go to the ${title.toLowerCase()}.`,
    };
  if (state.places[lockedDoor.key] !== 'bag')
    return nothing(state, treasureRewards.locked, 'The door is locked.');
  return {
    next: { ...state, room, doorLocked: false },
    reward: treasureRewards.unlock,
    event: `Your ${lockedDoor.key} opens the door. You go to the ${title.toLowerCase()}.`,
  };
}

function take(state: TreasureState, name: string, { payOnce }: TreasureRules): Effect {
  const item = itemsAt(state, state.room).find((here) => here === name);
  if (item === undefined) return nothing(state, treasureRewards.takeNothing, `There is no ${name} here.`);
  const paidBefore = state.paid.includes(item);
  const paid = payOnce && !paidBefore ? [...state.paid, item] : state.paid;
  return {
    next: { ...moved(state, { [item]: 'bag' }), paid },
    reward: paidBefore ? 0 : treasureRewards.take[itemDescriptions[item].kind],
    event: `You take the ${item}.`,
  };
}

function use(state: TreasureState, name: string): Effect {
  const item = carried(state, name);
  if (item === undefined) return nothing(state, treasureRewards.useInVain, `You have no ${name}.`);
  if (itemDescriptions[item].kind === 'key')
    return nothing(state, 0, 'A key is used by walking through its door.');
  return nothing(state, treasureRewards.useInVain, `You do not know what to use the ${item} for.`);
}

function drop(state: TreasureState, name: string): Effect {
  const item = carried(state, name);
  if (item === undefined) return nothing(state, 0, `You have no ${name}.`);
  return { next: moved(state, { [item]: state.room }), reward: 0, event: `You drop the ${item}.` };
}

function attack(
  state: TreasureState,
  name: string,
  { stochastic }: TreasureRules,
  random: RandomStream,
): Effect {
  if (!guardIsHere(state)) return nothing(state, treasureRewards.attackNothing, 'There is nobody to attack.');
  const weapon = carried(state, name);
  if (weapon === undefined || itemDescriptions[weapon].kind !== 'weapon')
    return nothing(state, treasureRewards.attackNothing, `You have no weapon called ${name}.`);
  if (weapon !== guard.beatenBy)
    return nothing(state, treasureRewards.wrongWeapon, `Your ${weapon} does nothing to the guard.`);
  const luck = stochastic ? random.uniform() : ORDINARY_LUCK;
  if (luck >= 1 - CHANCE.miss) return nothing(state, treasureRewards.miss, 'You miss.');
  const reward = luck < CHANCE.criticalHit ? treasureRewards.criticalHit : treasureRewards.beatGuard;
  return { next: { ...state, guardStands: false }, reward, event: `Your ${weapon} beats the guard.` };
}

function craft(state: TreasureState, { stochastic }: TreasureRules, random: RandomStream): Effect {
  if (!recipe.from.every((ingredient) => state.places[ingredient] === 'bag'))
    return nothing(state, treasureRewards.craftNothing, 'Nothing comes of it.');
  if (stochastic && random.uniform() < CHANCE.fizzle)
    return nothing(state, treasureRewards.fizzle, 'It almost works.');
  const usedUp = Object.fromEntries(recipe.from.map((ingredient) => [ingredient, 'nowhere' as const]));
  return {
    next: moved(state, { ...usedUp, [recipe.makes]: 'bag' }),
    reward: treasureRewards.craft,
    event: `You make a ${recipe.makes}.`,
  };
}

function carried({ places }: TreasureState, name: string): Item | undefined {
  return items.find((item) => item === name && places[item] === 'bag');
}

function moved(state: TreasureState, places: Partial<Record<Item, Place>>): TreasureState {
  return { ...state, places: { ...state.places, ...places } };
}
