import { describe, expect, it } from 'vitest';
import { COMMANDS, createProgram } from '../../lib/src/cli/program.node.js';

const names = async (called: string | undefined): Promise<string[]> =>
  (await createProgram(called, () => {})).commands.map((command) => command.name());

describe('the command line', () => {
  it('loads the command that is called and no other', async () => {
    for (const name of COMMANDS.keys()) expect(await names(name)).toEqual([name]);
  });

  it.each([undefined, '--help', 'drwa', 'constructor'])(
    'knows all of them when it is called with %s',
    async (called) => {
      expect(await names(called)).toEqual([...COMMANDS.keys()]);
    },
  );
});
