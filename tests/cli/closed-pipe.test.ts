/** `posttrain … | head`: the reader of a pipe may leave before everything is said. It runs the built command (npm run build). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

it('a pipe that nobody reads any more is no error', async () => {
  const child = spawn(process.execPath, ['lib/bin/posttrain.js', 'experiment', '--help'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (chunk) => (said += String(chunk)));
  child.stdout.destroy();
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(said).toBe('');
});
