import { existsSync } from 'node:fs';
import { repositoryData } from '../repository-data.node.js';

/** Folder of the base checkpoint: the one asked for, else the one that lies beside this package. */
export function baseCheckpoint(option: string | undefined): string {
  const folder = option ?? repositoryData('base');
  if (existsSync(folder)) return folder;
  throw new Error(
    option === undefined
      ? 'the base checkpoint data/base is missing; train it with "posttrain pretrain", or name one with --base'
      : `there is no folder ${folder}; check --base`,
  );
}
