/** The teacher that needs no model: it knows the wanted graph, lays it out, and checks itself with the reward. */
import { applyActions, emptyCanvas } from '../envs/diagram/canvas.js';
import { serializeActions } from '../envs/diagram/codec.js';
import { parseActions } from '../envs/diagram/parse.js';
import type { Action, ActionLog, Canvas, DiagramTask, Scorer } from '../envs/diagram/types.js';
import { scoreDiagram } from '../rewards/index.js';
import { hashText, randomStream, type RandomStream } from '../tensor/random.js';
import { correct } from './correct.js';
import { drawingIds, layoutGroups } from './drawing.js';
import { drawActions, editActions } from './edits.js';
import { spoil } from './flaws.js';
import { climb, firstGood, type Freedom, type Judge, type Judged } from './search.js';
import { stageOf } from './stages.js';
import { plainStyles, variedStyles } from './styles.js';
import type { Exchange, Teacher } from './teacher.js';

export interface ScriptedTeacherOptions {
  /** `mediocre` draws the right graph with flawed placement, so that learning by reward has something to improve. Default `good`. */
  readonly quality?: 'good' | 'mediocre';
  /** How many different good drawings of a task it knows; samples go through them in turn. Default 1: always the plainest. */
  readonly numLayouts?: number;
  /** Default 0. */
  readonly seed?: number;
  /** What "good" means; default the structure-gated reward. */
  readonly scorer?: Scorer;
}

const version = '1';
const variedCandidates = 40;
const climbingSteps = 3000;
/** Share of `draw-review` episodes in which even a good teacher starts with a flawed draft, to show how it is mended. */
const flawedDrafts = 0.5;

/**
 * A deterministic teacher for every kind of diagram task: the same task, history and sample always get the same answer.
 * Costs a few milliseconds; seconds when hill-climbing is needed.
 */
export function scriptedTeacher(options: ScriptedTeacherOptions = {}): Teacher<DiagramTask> {
  const { quality = 'good', numLayouts = 1, seed = 0 } = options;
  if (!Number.isSafeInteger(numLayouts) || numLayouts < 1) {
    throw new RangeError(`numLayouts must be a positive integer, got ${numLayouts}`);
  }
  return {
    name: `scripted-${quality}`,
    version: `${version} layouts=${numLayouts} seed=${seed}`,
    answer: (task, _observation, { history, sample, signal }) => {
      signal?.throwIfAborted();
      return Promise.resolve(serializeActions(scriptedActions(task, history, sample, options)));
    },
  };
}

/** The next reply of an episode as actions. */
export function scriptedActions(
  task: DiagramTask,
  history: readonly Exchange[],
  sample: number,
  options: ScriptedTeacherOptions = {},
): Action[] {
  const { quality = 'good', numLayouts = 1, seed = 0, scorer = scoreDiagram } = options;
  const address = hashText(task.id);
  const stream = (purpose: string, index: number): RandomStream =>
    randomStream(seed, `scripted ${purpose}`, address, index);
  const judge: Judge = (canvas) => scorer(task, canvas, cleanLog);
  const current = replay(task, history);
  const flawed = (good: Judged, freedom: Freedom): Canvas =>
    spoil(good, freedom, task.rules.grid, judge, stream('flaw', sample)).canvas;

  if (task.initial !== undefined) {
    const { result, freedom } = correct(task, current, judge, climbingSteps, stream('correction', 0));
    const target = quality === 'good' ? result.canvas : flawed(result, freedom);
    return [...editActions(current, target), { type: 'finish' }];
  }
  const variant = numLayouts === 1 ? 0 : (stream('variant', 0).int(numLayouts) + sample) % numLayouts;
  const good = bestDrawing(task, variant, judge, stream('layout', variant));
  const target = quality === 'good' ? good.canvas : flawed(good, freedomOf(task));
  switch (task.kind) {
    case 'build-up':
      return editActions(current, stageOf(task, target, history.length));
    case 'draw-review': {
      const drafts =
        quality === 'good' && history.length === 0 && stream('draft', sample).uniform() < flawedDrafts;
      if (drafts) return drawActions(flawed(good, freedomOf(task)));
      return [...editActions(current, target), { type: 'finish' }];
    }
    default:
      return drawActions(target);
  }
}

/** A drawing of the task's graph: variant 0 is the plainest that succeeds, every other one is different. */
function bestDrawing(task: DiagramTask, variant: number, judge: Judge, random: RandomStream): Judged {
  const varied = variant === 0 ? null : firstGood(task, variedStyles(task, random), judge, variedCandidates);
  const found = varied?.score.success ? varied : firstGood(task, plainStyles(task), judge);
  if (found === null) {
    throw new Error(
      `task "${task.id}": its graph fits on no ${task.rules.canvasWidth}×${task.rules.canvasHeight} canvas`,
    );
  }
  return climb(found, { ...freedomOf(task), limit: climbingSteps }, task.rules.grid, judge, random);
}

/** In a drawing of one's own everything may move; groups follow their members. */
function freedomOf({ graph }: DiagramTask): Freedom {
  const ids = drawingIds(graph);
  return {
    movable: graph.nodes.map(({ id }) => ids.get(id)!),
    groups: layoutGroups(graph).map((group) => ({
      ...group,
      id: ids.get(group.id)!,
      members: group.members.map((id) => ids.get(id)!),
    })),
    limit: climbingSteps,
  };
}

/** The log of a flawless episode: what the teacher's own actions will leave. */
const cleanLog: ActionLog = { parsed: true, actions: 1, valid: 1, errors: [] };

/** The canvas after the earlier turns of an episode. */
function replay(task: DiagramTask, history: readonly Exchange[]): Canvas {
  return history.reduce<Canvas>(
    (canvas, { completion }) => {
      const reply = parseActions(completion);
      return reply.ok ? applyActions(canvas, reply.actions).canvas : canvas;
    },
    task.initial ?? emptyCanvas(task.rules),
  );
}
