import { EventEmitter, once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Episodes } from '../../lib/src/serve/episodes.js';
import { converse } from '../../lib/src/serve/socket.node.js';
import { serveWorld, type EnvironmentServer, type ServeOptions } from '../../lib/src/serve/server.node.js';
import { openWorld, type WorldName } from '../../lib/src/serve/worlds.js';

const open: EnvironmentServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function serve(name: WorldName, options: ServeOptions = {}): Promise<EnvironmentServer> {
  const server = await serveWorld(openWorld(name, { profile: 'curriculum' }), { port: 0, ...options });
  open.push(server);
  return server;
}

/** A client that waits for each answer, as OpenEnv's does. */
async function join(server: EnvironmentServer, query = '') {
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws${query}`);
  await once(socket, 'open');
  const ask = async (message: unknown) => {
    socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    const [data] = await once(socket, 'message');
    return JSON.parse(String(data));
  };
  return {
    socket,
    ask,
    reset: (data = {}) => ask({ type: 'reset', data }),
    step: (text: string) => ask({ type: 'step', data: { text } }),
    state: () => ask({ type: 'state' }),
  };
}

const until = async (done: () => boolean): Promise<void> => {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe('OpenEnv over a WebSocket', () => {
  it('plays one episode after the other, and forgets them with a goodbye', async () => {
    const server = await serve('key-door');
    const client = await join(server);
    const first = await client.reset({ task_id: 'door-red' });
    expect(first).toMatchObject({
      type: 'observation',
      data: { observation: { text: 'hall' }, reward: null, done: false },
    });
    expect((await client.step('red')).data.observation.text).toBe('keys');
    expect((await client.state()).data.step_count).toBe(1);
    await client.reset({});
    expect((await client.state()).data.step_count).toBe(0);
    expect(server.episodes).toBe(1);
    client.socket.send(JSON.stringify({ type: 'close' }));
    const [code] = await once(client.socket, 'close');
    expect([code, server.episodes]).toEqual([1000, 0]);
  });

  it('answers what is wrong with its code and goes on', async () => {
    const client = await join(await serve('key-door'));
    const codes = [];
    for (const message of [
      '{',
      { type: 'dance' },
      { type: 'step', data: { text: 'red' } },
      { type: 'step' },
      '[]',
    ])
      codes.push((await client.ask(message)).data.code);
    expect(codes).toEqual([
      'INVALID_JSON',
      'UNKNOWN_TYPE',
      'SESSION_ERROR',
      'VALIDATION_ERROR',
      'UNKNOWN_TYPE',
    ]);
    await client.reset({});
    expect((await client.ask({ type: 'step', data: { word: 'red' } })).data.code).toBe('VALIDATION_ERROR');
    expect((await client.step('red')).data.observation.text).toBe('keys');
  });

  it('lets a client that was cut off go on where it was', async () => {
    const server = await serve('key-door');
    const client = await join(server);
    await client.reset({ episode_id: 'mine', task_id: 'door-gold' });
    await client.step('red');
    client.socket.terminate();
    await once(client.socket, 'close');
    const again = await join(server, '?episode_id=mine');
    expect((await again.state()).data).toMatchObject({ task_id: 'door-gold', step_count: 1 });
    const nobody = new WebSocket(`${server.url.replace('http', 'ws')}/ws?episode_id=nobody`);
    const [error] = await once(nobody, 'error');
    expect(String(error)).toMatch(/404/);
  });

  it('cuts off a message that is too long, and nobody else', async () => {
    const server = await serve('key-door');
    const [calm, loud] = [await join(server), await join(server)];
    await calm.reset({});
    loud.socket.send('x'.repeat(5 * 2 ** 20));
    const [code] = await once(loud.socket, 'close');
    expect(code).toBe(1009);
    expect((await calm.step('red')).data.observation.text).toBe('keys');
  });

  it('cuts off who sends a request drop by drop', async () => {
    const server = await serve('key-door', { requestTimeout: 0.4 });
    const { hostname, port } = new URL(server.url);
    const slow = connect(Number(port), hostname);
    slow.on('error', () => {});
    slow.write('POST /reset HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{');
    const dripping = setInterval(() => slow.write(' '), 50);
    await new Promise((resolve) => slow.on('close', resolve));
    clearInterval(dripping);
    expect((await fetch(`${server.url}/health`)).status).toBe(200);
  });

  it('cuts off who sends and never reads', () => {
    const episodes = new Episodes(
      openWorld('key-door'),
      () => 0,
      () => 'mine',
    );
    const unread = Object.assign(new EventEmitter(), {
      bufferedAmount: 0,
      send(text: string) {
        this.bufferedAmount += text.length;
      },
      terminate: () => unread.emit('close', 1006),
    });
    let cutOff = false;
    unread.on('close', () => (cutOff = true));
    converse(unread as unknown as WebSocket, episodes, undefined);
    let sent = 0;
    for (; !cutOff && sent < 100_000; sent++) unread.emit('message', '{"type":"reset"}', false);
    expect(unread.bufferedAmount).toBeGreaterThan(2 ** 20);
    expect(unread.bufferedAmount).toBeLessThan(2 ** 20 + 1000);
    expect(episodes.has('mine')).toBe(true);
  });

  it('plays a thousand episodes at once, each its own', async () => {
    const server = await serve('key-door');
    const colours = ['red', 'blue', 'green', 'gold'];
    const play = async (n: number): Promise<number> => {
      const client = await join(server);
      await client.reset({ task_id: `door-${colours[n % 4]}` });
      await until(() => server.episodes === 1000);
      let reward = 0;
      for (let turn = 0; turn < 6; turn++) reward = (await client.step(colours[(n >> 2) % 4]!)).data.reward;
      return reward;
    };
    const rewards = await Promise.all(Array.from({ length: 1000 }, (_, n) => play(n)));
    expect(rewards).toEqual(Array.from({ length: 1000 }, (_, n) => Number(n % 4 === (n >> 2) % 4)));
  });

  it('keeps nothing of the episodes that came and went', async () => {
    const server = await serve('preference', { maxConcurrentEnvs: 50 });
    const client = await join(server);
    for (let n = 0; n < 2000; n++) {
      await client.reset({ seed: n });
      await client.step('fine');
    }
    expect(server.episodes).toBe(1);
    for (let n = 0; n < 200; n++)
      await fetch(`${server.url}/reset`, {
        method: 'POST',
        body: JSON.stringify({ episode_id: `e${n % 60}` }),
      });
    expect(server.episodes).toBeLessThanOrEqual(50);
  });
});
