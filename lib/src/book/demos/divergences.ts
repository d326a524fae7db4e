/** A student with one mode and a teacher with two: which divergence settles where. */
import * as tf from '@tensorflow/tfjs-core';
import { percent, type Series } from '../../display/index.js';
import { generalizedJSD } from '../../losses/index.js';
import { softmax } from '../../tabular/index.js';
import { defineDemo, type Demo } from './demo.js';

/** Tokens of the vocabulary; each is its own place on a line. */
const TOKENS = 41;
const MODE_WIDTH = 2;
/** Students are bell curves: every centre with every width. */
const CENTRES: readonly number[] = Array.from({ length: 2 * TOKENS - 1 }, (_, i) => i / 2);
const WIDTHS: readonly number[] = Array.from({ length: 22 }, (_, i) => 1.5 * 1.1 ** i);
/** Of a student before it has learned anything. */
const START_WIDTH = 4;

const kinds = [
  { name: 'forward KL', beta: 0 },
  { name: 'Jensen–Shannon', beta: 0.5 },
  { name: 'reverse KL', beta: 1 },
] as const;

export const divergences: Demo = defineDemo({
  name: 'divergences',
  title: 'One mode for two',
  question: 'The teacher has two habits, the student has room for one. What does each divergence make of it?',
  hint: 'drag the student’s start from the left mode to the right one: which students follow, and which does not care?',
  controls: {
    start: { type: 'range', label: 'Student starts at token', min: 4, max: 36, step: 1, start: 17 },
    left: { type: 'range', label: 'Teacher’s left mode at token', min: 4, max: 18, step: 1, start: 10 },
    right: { type: 'range', label: 'Teacher’s right mode at token', min: 22, max: 36, step: 1, start: 30 },
    weight: {
      type: 'range',
      label: 'Weight of the left mode',
      ...{ min: 0.1, max: 0.9, step: 0.05, start: 0.55 },
    },
  },
  auto: true,
  seconds: 10,
  needs: ['wasm'],
  async run({ left, right, weight, start }, { show, startBackend }) {
    await startBackend();
    const teacher = teacherOf(left, right, weight);
    const students = kinds.map(({ name, beta }) => {
      const heights = landscape(teacher, beta);
      return { name, heights, student: descend(heights, start) };
    });
    const described = students.map(
      ({ name, student }) => `${name} ${placeInWords(studentOf(student), left, right)}`,
    );
    const words = `Shares near the left mode, near the right one, and elsewhere: ${described.join('; ')}.`;
    const line = (name: string, shares: readonly number[]): Series => ({
      name,
      points: shares.map((y, x) => ({ x, y })),
    });
    show('distributions', {
      figure: {
        type: 'lines',
        title: 'What each student becomes',
        description: `The teacher has modes at tokens ${left} and ${right}. ${words}`,
        xLabel: 'token',
        yLabel: 'probability',
        series: [
          ...students.map(({ name, student }) => line(name, studentOf(student))),
          line('teacher', teacher),
        ],
      },
    });
    show('landscape', {
      figure: {
        type: 'lines',
        title: 'How far each student is from the teacher, at its best width',
        description:
          'Divergence against the student’s centre. Forward KL has one valley, between the modes; reverse KL has one at each mode, and a student rolls into the nearer.',
        xLabel: 'centre of the student, token',
        yLabel: 'divergence, nats',
        yRange: [0, 3],
        series: students.map(({ name, heights }) => ({
          name,
          points: CENTRES.map((x, i) => ({ x, y: Math.min(3, ...heights[i]!) })),
        })),
      },
    });
    return words;
  },
});

/** Two bumps: `[TOKENS]`. */
export function teacherOf(left: number, right: number, weight: number): number[] {
  const bump = (token: number, at: number): number => Math.exp(-((token - at) ** 2) / (2 * MODE_WIDTH ** 2));
  const heights = Array.from(
    { length: TOKENS },
    (_, token) => weight * bump(token, left) + (1 - weight) * bump(token, right),
  );
  // as in a language model, no token is impossible
  return softmax(heights.map((height) => Math.log(height + 1e-9)));
}

/** A student, by its place among centres and widths. */
export interface StudentPlace {
  readonly centre: number;
  readonly width: number;
}

/** What it says: `[TOKENS]`. */
export function studentOf({ centre, width }: StudentPlace): number[] {
  return softmax(logitsOf(CENTRES[centre] as number, WIDTHS[width] as number));
}

function logitsOf(centre: number, width: number): number[] {
  return Array.from({ length: TOKENS }, (_, token) => -0.5 * ((token - centre) / width) ** 2);
}

/** Divergence of every student from the teacher, `[centres][widths]` in nats. Needs a back end. */
export function landscape(teacher: readonly number[], beta: number): number[][] {
  const all = CENTRES.flatMap((centre) => WIDTHS.map((width) => logitsOf(centre, width)));
  const values = tf.tidy(() => {
    const studentLogits = tf.tensor2d(all);
    const teacherLogits = tf.tile(tf.log(tf.tensor2d([[...teacher]])), [all.length, 1]);
    const weights = tf.ones([all.length]);
    return generalizedJSD({ studentLogits, teacherLogits, weights }, beta).dataSync<'float32'>();
  });
  return CENTRES.map((_, i) => [...values.subarray(i * WIDTHS.length, (i + 1) * WIDTHS.length)]);
}

/** Downhill, always the steepest way, until there is none; as gradient descent would go. */
export function descend(heights: readonly (readonly number[])[], start: number): StudentPlace {
  const height = ({ centre, width }: StudentPlace): number => heights[centre]?.[width] ?? Infinity;
  let here: StudentPlace = { centre: CENTRES.indexOf(start), width: nearestWidth(START_WIDTH) };
  for (;;) {
    const slope = ({ across, along }: (typeof DIRECTIONS)[number]): number => {
      const there = { centre: here.centre + across, width: here.width + along };
      return (height(there) - height(here)) / Math.hypot(across * CENTRE_STEP, along * WIDTH_STEP);
    };
    const steepest = DIRECTIONS.reduce((a, b) => (slope(b) < slope(a) ? b : a));
    if (!(slope(steepest) < 0)) return here;
    here = { centre: here.centre + steepest.across, width: here.width + steepest.along };
  }
}

const DIRECTIONS = [-1, 0, 1]
  .flatMap((across) => [-1, 0, 1].map((along) => ({ across, along })))
  .filter(({ across, along }) => across !== 0 || along !== 0);
/** From one centre to the next, in halves of the vocabulary; from one width to the next, in its logarithm: about as far for a learner. */
const CENTRE_STEP = 1 / TOKENS;
const WIDTH_STEP = Math.log(1.1);

function nearestWidth(wanted: number): number {
  const distances = WIDTHS.map((width) => Math.abs(width - wanted));
  return distances.indexOf(Math.min(...distances));
}

/** The share of a student near each mode, the nearer of the two, and elsewhere. */
export function massOf(
  student: readonly number[],
  left: number,
  right: number,
): Readonly<Record<'left' | 'right' | 'elsewhere', number>> {
  const mass = { left: 0, right: 0, elsewhere: 0 };
  student.forEach((share, token) => {
    const [toLeft, toRight] = [Math.abs(token - left), Math.abs(token - right)];
    const near = Math.min(toLeft, toRight) <= 2 * MODE_WIDTH;
    mass[!near ? 'elsewhere' : toLeft <= toRight ? 'left' : 'right'] += share;
  });
  return mass;
}

function placeInWords(student: readonly number[], left: number, right: number): string {
  const mass = massOf(student, left, right);
  const [l, r, elsewhere] = [mass.left, mass.right, mass.elsewhere].map((share) => percent(share, 0));
  return `${l}, ${r} and ${elsewhere}`;
}
