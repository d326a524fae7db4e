import { existsSync } from 'node:fs';
import type { Command } from 'commander';

/**
 * For a default command that takes files: a plain word that names none is a command misspelt.
 * @throws CommanderError with the command that was meant, where one is near.
 */
export function rejectUnknownCommand(command: Command, first: string): void {
  if (!/^[\w-]+$/.test(first) || existsSync(first)) return;
  // what commander itself does where there is no default command; its types leave it out
  (command as Command & { unknownCommand(): never }).unknownCommand();
}
