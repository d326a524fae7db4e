import { scoreDiagram } from '../../rewards/index.js';
import { diagramEnvironment, type DiagramTask } from '../../envs/diagram/index.js';
import type { Drawing, RunEvent } from './events.js';
import type { RunConfig, RunFolder } from './run-folder.node.js';

/** What every stage is given. */
export interface StageContext {
  readonly folder: RunFolder;
  readonly config: RunConfig;
  /** Folder of the base checkpoint. */
  readonly base: string;
  /** Threads to compute with; they change no result. */
  readonly workers: number;
  /** Aborted when the run should stop after its current step. */
  readonly signal: AbortSignal;
  readonly emit: (event: RunEvent) => void;
}

/** What came of a policy's replies: the episode is played again, as environments hold no clock and no chance. */
export function drawingOf(task: DiagramTask, replies: readonly string[]): Drawing {
  const episode = diagramEnvironment({ scorer: scoreDiagram }).start(task);
  const results = replies.map((reply) => episode.step(reply));
  return {
    request: task.requests.join(' / '),
    ...(episode.log.parsed ? { canvas: episode.canvas } : {}),
    reward: results.reduce((sum, { reward }) => sum + reward, 0),
    success: results.at(-1)?.metrics['success'] === 1,
  };
}
