/** The diagram world by hand: a reply, and what the world makes of it. */
import { tableToHtml } from '../../display/index.js';
import {
  applyActions,
  defaultRules,
  describeProblem,
  drawActionTypes,
  emptyCanvas,
  emptyLog,
  lint,
  observe,
  parseActions,
  recordParseError,
  renderSvg,
  type ActionLog,
  type Canvas,
  type Problem,
} from '../../envs/index.js';
import { escapeMarkup } from '../../markup.js';
import { buttonRow } from './buttons.js';
import { codeWords } from './canvas-codes.js';
import { defineDemo, type Demo } from './demo.js';
import { scrollBox } from './view-html.js';

const box = (id: string, x: number, y: number, text: string): string =>
  `{"type":"create","shape":"rectangle","id":"${id}","x":${x},"y":${y},"width":160,"height":80,"text":"${text}"}`;
const arrow = (from: string, to: string): string => `{"type":"connect","from":"${from}","to":"${to}"}`;
const reply = (...actions: readonly string[]): string => `{"actions":[\n${actions.join(',\n')}\n]}`;

const BOXES = [
  box('n1', 40, 40, 'Browser'),
  box('n2', 280, 40, 'API'),
  box('n3', 520, 40, 'Database'),
] as const;
const GOOD = reply(...BOXES, arrow('n1', 'n2'), arrow('n2', 'n3'));

/** Replies to begin with. */
const examples: Readonly<Record<string, string>> = {
  'A good drawing': GOOD,
  'An arrow too early': reply(BOXES[0], arrow('n1', 'n2'), BOXES[1], BOXES[2]),
  'Boxes that overlap': reply(BOXES[0], box('n2', 140, 60, 'API'), arrow('n1', 'n2')),
  'Cut short': GOOD.slice(0, -12),
  'With a friendly word': `Here you are: ${GOOD}`,
};

export const canvas: Demo = defineDemo({
  name: 'canvas',
  title: 'Draw by writing actions',
  question: 'An agent writes JSON. What does the world accept, refuse, or frown at?',
  hint: 'move a box by changing its x, or send an arrow to a box that is not there. One bad action is skipped; one bad bracket loses everything.',
  controls: {
    reply: {
      type: 'text',
      label: 'The reply, as an agent would write it',
      lines: 8,
      maxLength: 4000,
      start: GOOD,
    },
  },
  auto: true,
  seconds: 5,
  needs: [],
  async run({ reply }, { show }) {
    const { canvas, log, problems } = perform(reply);
    const buttons = Object.entries(examples).map(([words, value]) => ({ words, sets: 'reply', value }));
    show('examples', { html: buttonRow('Begin with', buttons) });
    show('drawing', { svg: renderSvg(canvas), alt: drawingInWords(canvas) });
    show('problems', problems.length > 0 ? { html: problemTable(problems) } : { text: 'No problems.' });
    const observation = observe({
      rules: defaultRules,
      canvas,
      problems,
      request: 'Three tiers: Browser, API, Database',
    });
    show('observation', {
      html: `<details class="demo-data"><summary>What an agent that may look again is shown</summary>${scrollBox('Observation', `<pre>${escapeMarkup(observation)}</pre>`)}</details>`,
    });
    return resultInWords(log, problems);
  },
});

export interface Performance {
  readonly canvas: Canvas;
  readonly log: ActionLog;
  /** Errors of the reply, then what a reader would frown at. */
  readonly problems: readonly Problem[];
}

/** What a reply leaves on an empty canvas. */
export function perform(reply: string): Performance {
  const empty = emptyCanvas();
  const parsed = parseActions(reply, drawActionTypes);
  if (!parsed.ok)
    return { canvas: empty, log: recordParseError(emptyLog, parsed.problem), problems: [parsed.problem] };
  const { canvas, log } = applyActions(empty, parsed.actions);
  return { canvas, log, problems: [...log.errors, ...lint(canvas)] };
}

/** For those who cannot see it. */
export function drawingInWords({ shapes, edges }: Canvas): string {
  const nameOf = (id: string): string => shapes.find((shape) => shape.id === id)?.text || id;
  if (shapes.length === 0) return 'An empty canvas.';
  const arrows = edges.map(({ from, to }) => `${nameOf(from)} to ${nameOf(to)}`);
  return `A drawing of ${shapes.map(({ text, id }) => text || id).join(', ')}${arrows.length > 0 ? `, with arrows from ${arrows.join(', ')}` : ', without arrows'}.`;
}

function problemTable(problems: readonly Problem[]): string {
  const columns = [{ header: 'code and subject' }, { header: 'meaning' }];
  const rows = problems.map((problem) => [describeProblem(problem), codeWords[problem.code]]);
  return scrollBox('Problems', tableToHtml({ columns, rows }));
}

function resultInWords({ parsed, actions, valid }: ActionLog, problems: readonly Problem[]): string {
  if (!parsed) return `Nothing ran: ${codeWords[problems[0]!.code].replace(/; nothing ran$/, '')}.`;
  const frowned = problems.filter(({ code }) => code.startsWith('W_')).length;
  const ran = `${valid} of ${actions} actions ran`;
  return frowned === 0
    ? `${ran}.`
    : `${ran}; ${frowned} ${frowned === 1 ? 'thing' : 'things'} a reader would frown at.`;
}
