import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { addressOf, readConnection } from 'posttrain/notebook/connection.node';
import { connectionFile } from './client.js';

const folder = mkdtempSync(join(tmpdir(), 'posttrain-connection-'));
const written = (changes: object): Promise<string> => connectionFile(folder, changes);

it.each(['127.0.0.1', '127.3.2.1', 'localhost', '::1'])('listens on %s', async (ip) => {
  expect(readConnection(await written({ ip })).ip).toBe(ip);
});

it.each(['0.0.0.0', '192.168.1.5', '::', '*', 'example.org'])(
  'does not listen on %s, unless it is told to',
  async (ip) => {
    const path = await written({ ip });
    expect(() => readConnection(path)).toThrow(/other machines can reach/);
    expect(readConnection(path, true).ip).toBe(ip);
  },
);

it.each([
  [{ key: '' }, /has no key/],
  [{ signature_scheme: 'hmac-md5' }, /only hmac-sha256/],
  [{ shell_port: 70_000 }, /shell_port/],
  [{ transport: 'udp' }, /transport/],
])('refuses %j', async (changes, reason) => {
  const path = await written(changes);
  expect(() => readConnection(path)).toThrow(reason);
});

it('writes addresses as ZeroMQ reads them', async () => {
  const at = async (changes: object): Promise<string> =>
    addressOf(readConnection(await written({ shell_port: 5555, ...changes })), 'shell');
  expect(await at({})).toBe('tcp://127.0.0.1:5555');
  expect(await at({ ip: '::1' })).toBe('tcp://[::1]:5555');
  expect(await at({ transport: 'ipc', ip: 'kernel' })).toBe('ipc://kernel-5555');
});
