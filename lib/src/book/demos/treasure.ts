/** The treasure hunt, played by the reader. */
import { short, tableToHtml } from '../../display/index.js';
import {
  treasureActions,
  treasureObservation,
  treasureProcess,
  treasureRewards,
  treasureRoomDescriptions,
  treasureStart,
  treasureStep,
  type TreasureRoom,
  type TreasureState,
} from '../../envs/index.js';
import { escapeMarkup } from '../../markup.js';
import { randomStream } from '../../tensor/index.js';
import { buttonRow, type SettingButton } from './buttons.js';
import { defineDemo, type Demo } from './demo.js';
import { treasureSketch } from './treasure-sketch.js';
import { scrollBox } from './view-html.js';

const MOVES = 50;
/** Between the moves of a trail. */
const THEN = '; ';
/** The newest moves are shown. */
const SHOWN_MOVES = 8;

const arrows: Readonly<Record<string, { readonly key: string; readonly sign: string }>> = {
  'go north': { key: 'ArrowUp', sign: '↑' },
  'go east': { key: 'ArrowRight', sign: '→' },
  'go south': { key: 'ArrowDown', sign: '↓' },
  'go west': { key: 'ArrowLeft', sign: '←' },
};

export const treasure: Demo = defineDemo({
  name: 'treasure',
  title: 'Hunt the treasure yourself',
  question: 'You see one room at a time and are paid for each move. What do the rules reward?',
  hint: 'bring the treasure home in as few moves as you can. Then look for two moves that pay for ever. Once a button is in focus, the arrow keys walk.',
  controls: {
    moves: { type: 'trail', maxLength: 2000, start: '' },
    payOnce: { type: 'switch', label: 'Pay each pick-up only once', start: false },
  },
  auto: true,
  seconds: 5,
  needs: [],
  async run({ moves, payOnce }, { show }) {
    const commands = moves.split(THEN).filter((command) => command !== '');
    const hunt = play(commands, payOnce);
    show('map', {
      half: true,
      svg: treasureSketch(hunt.state, hunt.visited),
      alt: `You are in the ${titleOf(hunt.state.room)}. Rooms that you have seen: ${[...hunt.visited].map(titleOf).join(', ')}.`,
    });
    const seen = treasureObservation(hunt.state, MOVES - hunt.turns.length);
    show('seen', {
      half: true,
      html: `<p class="demo-quote">${escapeMarkup(hunt.over ? 'The hunt is over.' : seen)}</p>${padOf(hunt)}`,
    });
    if (hunt.turns.length > 0)
      show('paid', { html: scrollBox('What was paid', tableToHtml(payTable(hunt.turns))) });
    return inWords(hunt);
  },
});

export interface HuntTurn {
  readonly command: string;
  readonly event: string;
  readonly paid: number;
  /** With all before it. */
  readonly sum: number;
}

export interface Hunt {
  readonly state: TreasureState;
  readonly turns: readonly HuntTurn[];
  readonly visited: ReadonlySet<TreasureRoom>;
  readonly success: boolean;
  readonly over: boolean;
}

/** Carries out the commands, as long as the hunt goes. */
export function play(commands: readonly string[], payOnce: boolean): Hunt {
  const random = randomStream(0, 'demo/treasure');
  const rules = { payOnce, maxMoves: MOVES, stochastic: false };
  const { horizon } = treasureProcess(rules);
  let state = treasureStart;
  let [success, sum] = [false, 0];
  const turns: HuntTurn[] = [];
  const visited = new Set([state.room]);
  for (const command of commands) {
    if (success || turns.length >= MOVES) break;
    const outcome = treasureStep(state, command, rules, random);
    const late = !outcome.done && turns.length + 1 === horizon.moves;
    const paid = outcome.reward + (late ? treasureRewards.timeout : 0);
    [state, success, sum] = [outcome.next, outcome.success, sum + paid];
    visited.add(state.room);
    turns.push({
      command,
      event: late ? `${outcome.event} Too late: time is up.` : outcome.event,
      paid,
      sum,
    });
  }
  return { state, turns, visited, success, over: success || turns.length >= MOVES };
}

function padOf({ state, turns, over }: Hunt): string {
  const trail = turns.map(({ command }) => command);
  const moves = over ? [] : treasureActions(state);
  const buttons = moves.map((move): SettingButton => {
    const arrow = arrows[move];
    return {
      words: arrow === undefined ? move : `${move} ${arrow.sign}`,
      sets: 'moves',
      value: [...trail, move].join(THEN),
      ...(arrow !== undefined && { key: arrow.key }),
    };
  });
  const back = { words: 'Take back', sets: 'moves', value: trail.slice(0, -1).join(THEN), key: 'Backspace' };
  return buttonRow('Your move', trail.length > 0 ? [...buttons, back] : buttons);
}

function payTable(turns: readonly HuntTurn[]): Parameters<typeof tableToHtml>[0] {
  const first = Math.max(0, turns.length - SHOWN_MOVES);
  return {
    ...(first > 0 && { caption: `The last ${SHOWN_MOVES} of ${turns.length} moves` }),
    columns: [
      { header: 'move' },
      { header: 'what happened' },
      { header: 'paid', align: 'right' },
      { header: 'sum', align: 'right' },
    ],
    rows: turns
      .slice(first)
      .map(({ command, event, paid, sum }, i) => [
        `${first + i + 1}. ${command}`,
        event,
        signed(paid),
        short(sum),
      ]),
  };
}

function inWords({ turns, success, over }: Hunt): string {
  const last = turns.at(-1);
  if (last === undefined) return 'You have made no move yet.';
  const sum = short(last.sum);
  if (success) return `You have won in ${turns.length} moves and earned ${sum}. The shortest way takes 11.`;
  if (over) return `Time is up after ${MOVES} moves; you have earned ${sum}.`;
  return `Move ${turns.length} of ${MOVES}: ${last.event} It paid ${signed(last.paid)}; so far you have earned ${sum}.`;
}

const titleOf = (room: TreasureRoom): string => treasureRoomDescriptions[room].title;

function signed(value: number): string {
  return value > 0 ? `+${short(value)}` : short(value).replace('-', '−');
}
