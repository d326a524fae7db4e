/** One answer, two rewards, term by term. */
import { short, tableToHtml } from '../../display/index.js';
import { renderSvg, serializeActions, type Action, type DiagramTask, type Score } from '../../envs/index.js';
import {
  drawAttacks,
  nearMisses,
  play,
  rewardPresets,
  valueOf,
  type Attack,
  type Formula,
} from '../../rewards/index.js';
import { scriptedActions } from '../../teachers/index.js';
import { drawingInWords } from './canvas.js';
import { defineDemo, type Demo } from './demo.js';
import { exampleTask, requestOf } from './example-task.js';
import { shareTable } from './share-table.js';
import { scrollBox } from './view-html.js';

const answers = {
  right: 'the right answer',
  mediocre: 'right, but badly placed',
  drop_last_edge: 'one arrow forgotten',
  drop_last_node: 'one box forgotten',
  shuffled_labels: 'labels in the wrong boxes',
  reversed_edges: 'all arrows the wrong way round',
  complete_graph: 'an arrow from everything to everything',
  duplicates: 'every box drawn twice',
  stacked: 'all boxes in one place',
  nodes_only: 'no arrows',
  keyword_box: 'one box with the request in it',
  keyword_text: 'the request as a line of text',
  empty_actions: 'nothing at all',
} as const;
type Answer = keyof typeof answers;

export const reward: Demo = defineDemo({
  name: 'reward',
  title: 'Cheat a reward',
  question: 'Two rewards judge the same drawing. Which of them pays a cheat?',
  hint: 'choose “one box with the request in it”, then look for weights with which the textbook reward refuses it and still pays the right answer.',
  controls: {
    task: { type: 'range', label: 'Request, number', min: 1, max: 20, step: 1, start: 4 },
    answer: { type: 'choice', label: 'Answer', options: answers, start: 'complete_graph' },
    words: {
      type: 'range',
      label: 'Textbook: weight of words found',
      min: 0,
      max: 1,
      step: 0.05,
      start: 0.4,
    },
    arrows: {
      type: 'range',
      label: 'Textbook: weight of arrows drawn',
      min: 0,
      max: 1,
      step: 0.05,
      start: 0.2,
    },
    overlap: { type: 'range', label: 'Textbook: cost of overlaps', min: 0, max: 4, step: 0.25, start: 1 },
  },
  auto: true,
  seconds: 10,
  needs: [],
  async run({ task: number, answer, ...weights }, { show }) {
    const task = exampleTask(number);
    const formula = textbookFormula(weights);
    const [right, chosen] = [judge(task, 'right', formula), judge(task, answer, formula)];
    show('request', { text: `Request: ${requestOf(task)}` });
    show('drawing', { half: true, svg: renderSvg(chosen.canvas), alt: drawingInWords(chosen.canvas) });
    show('pay', {
      half: true,
      html: shareTable({
        caption: 'What each reward pays, from 0 to 1',
        columns: ['answer', 'textbook', 'gated'],
        rows: [
          { name: 'the right one', shares: [right.textbook, right.gated] },
          { name: 'this one', shares: [chosen.textbook, chosen.gated] },
        ],
        format: short,
      }),
    });
    show('terms', { html: termTable(chosen, weights) });
    const verdict = chosen.success ? 'It is what was asked for' : 'It is not what was asked for';
    const share =
      right.textbook > 0
        ? `, ${Math.round((100 * chosen.textbook) / right.textbook)} % of a right answer`
        : '';
    return `${verdict}. The textbook reward pays ${short(chosen.textbook)}${share}; the gated one ${short(chosen.gated)}.`;
  },
});

export interface Weights {
  readonly words: number;
  readonly arrows: number;
  readonly overlap: number;
}

/** The naive preset with other weights; the same with 0.4, 0.2 and 1. */
export function textbookFormula({ words, arrows, overlap }: Weights): Formula {
  const sum: readonly Formula[] = [
    { product: [0.2, 'parse'] },
    { product: [0.2, 'valid'] },
    { product: [words, 'words'] },
    { product: [arrows, 'arrows'] },
    { product: [-overlap, 'overlaps'] },
  ];
  return { within: { sum } };
}

export type Judged = ReturnType<typeof play> & {
  readonly textbook: number;
  readonly gated: number;
  readonly success: boolean;
  readonly terms: Score['terms'];
};

/** An answer to a task, and what it earns. */
export function judge(task: DiagramTask, answer: Answer, textbook: Formula): Judged {
  const { canvas, log } = play(task, replyOf(task, answer));
  const { reward: gated, success, terms } = rewardPresets.gated(task, canvas, log);
  const values = Object.fromEntries(Object.entries(terms).map(([name, { value }]) => [name, value]));
  return { canvas, log, terms, gated, success, textbook: valueOf(textbook, values) };
}

function replyOf(task: DiagramTask, answer: Answer): string {
  const quality = answer === 'mediocre' ? answer : 'good';
  const actions: Action[] = scriptedActions(task, [], 0, { quality });
  const attacks: Readonly<Record<string, Attack>> = { ...drawAttacks, ...nearMisses };
  return attacks[answer]?.(task, actions) ?? serializeActions(actions);
}

/** Terms of the two rewards, what each measures, and how it counts. */
function termTable({ terms }: Judged, { words, arrows, overlap }: Weights): string {
  const value = (name: string): number => terms[name]!.value;
  const row = (name: string, measures: string, counts: string): string[] => [
    name,
    short(value(name)),
    counts,
    evidence(terms[name]!.evidence) || measures,
  ];
  const adds = (weight: number, name: string): string => `adds ${short(weight * value(name))}`;
  const rows = [
    row('parse', 'the reply could be read', `adds 0.2; gate`),
    row('valid', 'share of actions that ran', `${adds(0.2, 'valid')}; factor`),
    row('words', 'words of the request that appear', adds(words, 'words')),
    row('arrows', 'arrows drawn; five are enough', adds(arrows, 'arrows')),
    row('overlaps', 'pairs of shapes that overlap', adds(-overlap, 'overlaps')),
    row('nodes', 'the boxes that were asked for', 'in structure'),
    row('edges', 'the arrows that were asked for', 'in structure'),
    row('structure', 'boxes and arrows together', 'gated: factor'),
    row('layout', 'nothing overlaps, all can be read', 'gated: pays with structure'),
  ];
  const columns = [
    { header: 'term' },
    { header: 'value', align: 'right' as const },
    { header: 'counts' },
    { header: 'what it saw' },
  ];
  return scrollBox('Terms', tableToHtml({ columns, rows }));
}

/** The first few findings. */
function evidence(found: readonly string[]): string {
  const shown = found.slice(0, 2).join('; ');
  return found.length > 2 ? `${shown}; and ${found.length - 2} more` : shown;
}
