import { existsSync } from 'node:fs';
import { repositoryData } from '../../repository-data.node.js';
import { loadPolicy, type Policy } from './policy.node.js';

/** What the agent that comes with the repository had learned: to imitate the teacher, or after that from its own drawings. */
export type AgentStage = 'sft' | 'grpo';

/** Folder of the diagram agent that comes with the repository; `undefined` where its files are missing, as in the published package. */
export function agentCheckpoint(stage: AgentStage = 'grpo'): string | undefined {
  const folder = repositoryData('diagram', 'agent', stage);
  return existsSync(folder) ? folder : undefined;
}

/**
 * Loads the diagram agent that comes with the repository, so that nobody has to train one first.
 * @param stage `sft`: after imitation; `grpo` (the default): after reinforcement learning too
 * @throws Error when the files of `data/diagram/agent` are missing or damaged
 */
export async function loadAgent(stage: AgentStage = 'grpo'): Promise<Policy> {
  const folder = agentCheckpoint(stage);
  if (folder !== undefined) return loadPolicy(folder);
  throw new Error(
    `the agent data/diagram/agent/${stage} comes with the repository, not with the package; train one with "posttrain run diagram" and load it with loadPolicy`,
  );
}
