/** A teacher that is not always good, and what a filter keeps of its answers. */
import { percent, short } from '../../display/index.js';
import { diagramEnvironment, renderSvg, type DiagramTask } from '../../envs/index.js';
import { escapeMarkup } from '../../markup.js';
import { nearMisses, play, scoreDiagram } from '../../rewards/index.js';
import {
  collect,
  noisyTeacher,
  scriptedTeacher,
  type Keep,
  type TrajectoryRecord,
} from '../../teachers/index.js';
import { drawingInWords } from './canvas.js';
import { defineDemo, type Demo } from './demo.js';
import { exampleTask, requestOf } from './example-task.js';

/** Requests that the teacher is asked; the first is shown. */
const TASKS = 4;

export const filter: Demo = defineDemo({
  name: 'filter',
  title: 'Keep the good answers',
  question: 'A teacher draws well, placed badly, or wrong. What does a threshold on the reward keep?',
  hint: 'raise the threshold until only clean drawings are left. How many answers did that cost?',
  controls: {
    threshold: { type: 'range', label: 'Keep from this reward on', min: 0, max: 1, step: 0.01, start: 0.9 },
    mediocre: {
      type: 'range',
      label: 'Badly placed answers',
      min: 0,
      max: 100,
      step: 5,
      start: 50,
      unit: '%',
    },
    mistakes: {
      type: 'range',
      label: 'Answers with a mistake',
      min: 0,
      max: 60,
      step: 5,
      start: 20,
      unit: '%',
    },
    samples: { type: 'range', label: 'Answers to each request', min: 1, max: 6, step: 1, start: 4 },
    first: { type: 'range', label: 'First request, number', min: 1, max: 17, step: 1, start: 1 },
  },
  auto: true,
  seconds: 30,
  needs: [],
  async run({ threshold, mediocre, mistakes, samples, first }, { show, progress, signal }) {
    const tasks = Array.from({ length: TASKS }, (_, i) => exampleTask(first + i));
    const records: TrajectoryRecord[] = [];
    const options = {
      mediocre: mediocre / 100,
      mistakes: mistakes / 100,
      samples,
      keep: { reward: threshold },
    };
    for await (const record of answersOf(tasks, options, signal)) {
      records.push(record);
      const total = TASKS * samples;
      progress(records.length / total, `${records.length} of ${total} answers`);
    }
    const kept = records.filter(({ rejection }) => rejection === null);
    show('request', { text: `Request: ${requestOf(tasks[0]!)}` });
    show('drawings', {
      html: drawings(
        tasks[0]!,
        records.filter(({ taskId }) => taskId === tasks[0]!.id),
      ),
    });
    const good = (some: readonly TrajectoryRecord[]): string =>
      some.length === 0 ? 'none' : percent(some.filter(({ success }) => success).length / some.length, 0);
    return `Of ${records.length} answers to ${TASKS} requests ${kept.length} are kept. Flawless before the filter: ${good(records)}; after it: ${good(kept)}.`;
  },
});

export interface CollectingOptions {
  /** Shares, from 0 to 1. */
  readonly mediocre: number;
  readonly mistakes: number;
  readonly samples: number;
  readonly keep: Keep;
}

/** The teacher's answers, each judged. */
export function answersOf(
  tasks: readonly DiagramTask[],
  { mediocre, mistakes, samples, keep }: CollectingOptions,
  signal: AbortSignal,
): AsyncGenerator<TrajectoryRecord> {
  const teachers = (['good', 'mediocre'] as const).map((quality) => ({
    teacher: noisyTeacher(scriptedTeacher({ quality, numLayouts: samples, seed: 7 }), {
      rate: mistakes,
      mistakes: nearMisses,
      seed: 7,
    }),
    share: quality === 'mediocre' ? mediocre : 1 - mediocre,
    keep,
  }));
  const asked = teachers.filter(({ share }) => share > 0);
  const env = diagramEnvironment({ scorer: scoreDiagram });
  return collect({ env, teachers: asked, tasks, numGenerations: samples, seed: 7, signal });
}

function drawings(task: DiagramTask, records: readonly TrajectoryRecord[]): string {
  const figures = records.map(({ turns, reward, rejection, success }) => {
    const { canvas } = play(task, turns[0]?.completion ?? '');
    const [mark, verdict] = rejection === null ? ['✓', 'kept'] : ['✗', 'rejected'];
    const told = escapeMarkup(`${drawingInWords(canvas)} Reward ${short(reward)}, ${verdict}.`);
    const flaw = success ? '' : ', flawed';
    return `<figure class="demo-${verdict}"><div role="img" aria-label="${told}">${renderSvg(canvas)}</div><figcaption><b class="${rejection === null ? 'good' : 'bad'}">${mark} ${verdict}</b> reward ${short(reward)}${flaw}</figcaption></figure>`;
  });
  return `<div class="demo-gallery">${figures.join('')}</div>`;
}
