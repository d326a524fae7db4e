/** The loop that the book is about, as a diagram of the kind that its agent draws. */

interface Box {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly round?: true;
}

const WIDTH = 118;
const HEIGHT = 44;

const BOXES: readonly Box[] = [
  { text: 'Request', x: 4, y: 20, round: true },
  { text: 'Policy', x: 161, y: 20 },
  { text: 'Action', x: 318, y: 20, round: true },
  { text: 'Environment', x: 318, y: 132 },
  { text: 'Reward', x: 161, y: 132, round: true },
];

const ARROWS: readonly string[] = ['M122 42h35', 'M279 42h35', 'M377 64v64', 'M318 154h-35', 'M220 132V68'];

/** An `<svg>` that takes its colours from the page. */
export function loopPicture(): string {
  return `<svg class="loop" viewBox="0 0 440 196" role="img" aria-label="A request goes to the policy, the policy acts, the environment answers with a reward, and the reward changes the policy.">
<defs><marker id="loop-arrow" viewBox="0 0 10 10" refX="8" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 1 8.5 5 0 9z"/></marker></defs>
${ARROWS.map((path) => `<path class="arrow" d="${path}" marker-end="url(#loop-arrow)"/>`).join('')}
${BOXES.map(box).join('')}
<text class="note" x="230" y="104">gradient</text>
</svg>`;
}

function box({ text, x, y, round }: Box): string {
  const label = `<text x="${x + WIDTH / 2}" y="${y + HEIGHT / 2 + 5}">${text}</text>`;
  return `<g class="${round ? 'thing' : 'part'}"><rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="${round ? HEIGHT / 2 : 5}"/>${label}</g>`;
}
