/** The canvases that every format is tried on. */
import { applyActions, emptyCanvas } from 'posttrain/envs/diagram/canvas';
import { realTasks } from 'posttrain/envs/diagram/tasks/index';
import { scriptedActions } from 'posttrain/teachers';
import type { Canvas } from 'posttrain/envs/diagram/types';
import { arrow, box, canvasOf, note } from '../envs/build.js';

/** Two boxes, an arrow with a label, a text: what the golden files hold. */
export const small: Canvas = canvasOf(
  box('a', [100, 100, 160, 60], 'Start'),
  box('d', [400, 80, 200, 100], '有货', 'diamond'),
  note('t', 100, 300, 'see wiki'),
  arrow('a>d', 'yes'),
);

/** Groups in groups, a title of its own, parallel arrows, loops, hidden arrows, an arrow to a group. */
export const busy: Canvas = canvasOf(
  box('g', [20, 20, 800, 600], '外层'),
  box('h', [40, 60, 700, 300]),
  note('title', 60, 70, 'Inner'),
  box('a', [60, 120, 160, 60], 'A'),
  box('b', [400, 120, 160, 60], 'B', 'ellipse'),
  box('c', [900, 400, 160, 100], 'C?', 'diamond'),
  box('over', [100, 130, 160, 60], 'over A'),
  note('t', 60, 560, 'two\nlines'),
  arrow('a>b', 'there'),
  arrow('b>a', 'back'),
  arrow('a>b'),
  arrow('a>a', 'again'),
  arrow('a>a'),
  arrow('a>over', 'hidden'),
  arrow('c>h'),
);

/** Labels that broke one format or another, or look as if they could. */
export const awkwardLabels: readonly string[] = [
  'f(x)',
  'arr[mid]',
  'inlet()',
  ':8443',
  'a{b}|c',
  '“高位：有货？”',
  '（审核）',
  '开始',
  'ひらがな',
  '한국어',
  'é👍👩‍💻',
  'A & B <c> "d" \'e\'',
  '#quot; end',
  '&amp; &#39; &lt;b&gt;',
  '#35; #nope;',
  'C:\\dir\\n',
  'two words\nnext line',
  '\nblank first',
  'blank last\n',
  'a\n\nb',
  ' spaces around ',
  '"',
  "'",
  '`code`',
  '"`markdown`"',
  '**bold** _it_ ~~no~~',
  '# heading',
  '- item',
  '1. first',
  '2) second',
  '> quote',
  '---',
  '===',
  '[link](https://example.org)',
  '![[embed]] [[wiki]]',
  '$$x^2$$ %% comment',
  'https://example.org/?a=1&b=2',
  'me@example.org',
  'snake_case_name',
  'style a:#b;c;',
  '<!-- --> ]]> --></metadata>',
  '</script><script>alert(1)</script>',
  'end',
  'subgraph',
  'a --> b',
  ';',
  '%%',
  '|',
  '\\',
  '\\*',
  'a:::annotation',
  '{{x}}',
];

/** A box and an arrow that bear the same label. */
export function labelled(label: string): Canvas {
  return canvasOf(
    box('a', [0, 0, 400, 80], label),
    box('b', [700, 0, 400, 200], label, 'diamond'),
    note('t', 0, 300, label),
    arrow('a>b', label),
  );
}

/** The public prompts, drawn by the scripted teacher. */
export const realDrawings: readonly { readonly id: string; readonly canvas: Canvas }[] = realTasks().map(
  (task) => ({
    id: task.id,
    canvas: applyActions(task.initial ?? emptyCanvas(), scriptedActions(task, [], 0)).canvas,
  }),
);
