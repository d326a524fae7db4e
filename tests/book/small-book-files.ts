/** The files of a book of two chapters and an appendix that has one of everything, and what was recorded. */

const first = `---
id: first
title: First
summary: What comes first.
lang: en
level: 1
minutes: 5
updated: 2026-11-30
---

An [[advantage]] is named here [@ada1843; @bell1957].

## A *section*, 一

A second [[Advantages|one]], $5 \\cdot x$ and \\$5, with a footnote[^a]. In [chapter 1](01-second.md#the-rule) there is [](01-second.md#eq-square).
It cost {{runs:seconds|seconds}}.

[^a]: Which says $y$.

\`\`\`references
ada1843: the first program.
bell1957: where the equation comes from.
\`\`\`
`;

const second = `---
id: second
title: Second
summary: What comes second.
lang: en
level: 2
minutes: 20
needs: [first]
notebooks: [01-hunt]
lib: [losses]
updated: 2026-11-30
---

\`\`\`facts
Data: "{{runs:arms[Dr. GRPO].success|percent}} of all, $n$ times"
Cost: little
\`\`\`

\`\`\`symbols
'$n$': a number, as in [[advantage]]
\`\`\`

## The rule

$$
\\square{n} = n^2
$$ {#eq-square code=lib/src/losses/square.ts#square}

As [](#eq-square) says. [](#fig-00-curve) shows it, and [](#fig-drawing) too.

$$
n + 1
$$

### In code

\`\`\`ts src=lib/src/losses/square.ts#square
\`\`\`

\`\`\`ts src=lib/src/losses/square.ts#region:inner nodoc
\`\`\`

\`\`\`ts run=sum
const a: number = 1;
console.log(a);
\`\`\`

\`\`\`output
1
\`\`\`

\`\`\`ts run=sum
console.log(a + 1);
\`\`\`

\`\`\`output
2
\`\`\`

\`\`\`sh
npm start
\`\`\`

::::: predict
What comes next?

::: answer
Four. <b>
:::
:::::

::: proof By hand
It is so.
:::

![The curve rises from 1 to 9](figures/00-curve.yaml "Squares of $n$, over {{runs:seeds}} seeds.")

![A circle](../data/results/drawing.svg "A drawing.")

Table: What the runs $n$ gave.

| | mean |
| --- | ---: |
| \`GRPO\` | {{runs:arms[Dr. GRPO].success|percentInterval}} |

\`\`\`demo slider
start: 0.2
\`\`\`

See [the code](../lib/src/losses/square.ts#square), [its second line](../lib/src/losses/square.ts#L2), [the notebook](../notebooks/01-hunt.ipynb),
[the first heading](../README.md#read-me) and [elsewhere](https://example.org/?a=1&b=2).

## Quiz

\`\`\`quiz
- sum
\`\`\`

\`\`\`quiz
\`\`\`

## Exercises

\`\`\`exercises
\`\`\`
`;

const appendix = `---
id: extra
title: Extra
summary: What comes last.
lang: en
level: 3
minutes: 1
updated: 2026-11-30
---

Nothing.
`;

const question = (id: string): string => `- id: ${id}
  question: What is $n$ of ${id}?
  options:
    - { text: one, correct: true, why: 'because of {{runs:seconds}}' }
    - { text: two, why: no }
    - { text: three, why: no }
`;

const exercise = (id: string, level: number): string => `- id: ${id}
  title: Exercise ${id}
  level: ${level}
  kind: derive
  statement: Show [](#eq-square).
  hint: think
  solution: $n^2$
`;

const code = `- id: code
  title: Program
  level: 3
  kind: code
  statement: Write it.
  hint: type it
  solution: As follows.
  starter: |
    const a = 1;
  program: |
    const a = 2;
  check: |
    console.log(a === 2 ? 'ok' : 'no');
`;

export const files: Readonly<Record<string, string>> = {
  'chapters/00-first.md': first,
  'chapters/01-second.md': second,
  'chapters/extra.md': appendix,
  'chapters/quizzes/01.yaml': ['sum', 'two', 'three'].map(question).join(''),
  'chapters/exercises/01.yaml': [1, 1, 2, 2, 3].map((level, i) => exercise(`e${i}`, level)).join('') + code,
  'chapters/glossary/00.yaml': `- term: advantage
  zh: 优势
  also: [advantages]
  definition: How much *better* than [[baseline]].
  chapter: first
- { term: baseline, zh: 基线, definition: 'What an [[advantage]] is better than.', chapter: second }
`,
  'chapters/references/00.yaml': `ada1843: { authors: Lovelace, year: 1843, title: Notes, venue: Taylor, url: 'https://example.org/ada' }
bell1957:
  authors: Bellman, Ford, Dreyfus
  year: 1957
  title: Programming & more
  venue: Princeton
  url: https://example.org/bell
`,
  'chapters/macros/01.yaml': `'\\square': '\\operatorname{sq}(#1)'\n`,
  'chapters/figures/00-curve.yaml': `type: lines
title: Squares
xLabel: n
yLabel: its square
results: runs
each: curves
`,
  'data/results/drawing.svg':
    '<svg class="chart" width="9" height="9"><style>.chart{color:red}</style><desc>old</desc><marker id="m"/><path marker-end="url(#m)"/></svg>',
  'lib/src/losses/square.ts': `/** The square of a number. */
export function square(n: number): number {
  // #region inner
  const double = n;
  // #endregion
  return double * n;
}
`,
  'tests/book/formulas/01.test.ts': `it('eq-square', () => {});`,
  'notebooks/01-hunt.ipynb': '{}',
  'README.md': '# Title\n\n## Read me\n',
};

export const results: Readonly<Record<string, unknown>> = {
  runs: {
    seconds: 75,
    seeds: 3,
    arms: { 'Dr. GRPO': { success: { mean: 0.5, min: 0.25, max: 0.75, values: [0.25, 0.5, 0.75] } } },
    curves: { squares: [1, 2, 3].map((x) => ({ x, y: x * x, low: x, high: 10, values: [] })) },
  },
};
