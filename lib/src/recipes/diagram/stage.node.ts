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
  /** Aborted when the run should stop after its current step. */
  readonly signal: AbortSignal;
  readonly emit: (event: RunEvent) => void;
}

/** What came of a reply: the episode is played again, as environments hold no clock and no chance. */
export function drawingOf(task: DiagramTask, reply: string): Drawing {
  const episode = diagramEnvironment({ scorer: scoreDiagram }).start(task);
  const { reward, metrics } = episode.step(reply);
  return {
    request: task.requests.join(' / '),
    ...(metrics['parsed'] === 1 ? { canvas: episode.canvas } : {}),
    reward,
    success: metrics['success'] === 1,
  };
}
