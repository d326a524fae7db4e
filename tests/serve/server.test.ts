import { afterEach, describe, expect, it } from 'vitest';
import {
  keyDoorColours,
  preferenceEnvironment,
  preferenceTasks,
  requestOf,
  writeReply,
} from '../../lib/src/envs/index.js';
import { randomStream } from '../../lib/src/tensor/random.js';
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

async function ask(server: EnvironmentServer, path: string, body?: unknown, headers = {}) {
  const response = await fetch(`${server.url}${path}`, {
    headers,
    ...(body !== undefined && {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  });
  return { status: response.status, body: await response.json() };
}

describe('OpenEnv over HTTP', () => {
  it('plays six turns to the door and pays the right key', async () => {
    const server = await serve('key-door');
    const start = await ask(server, '/reset', { task_id: 'door-blue', episode_id: 'mine' });
    expect(start.body).toEqual({
      observation: { text: 'hall', metrics: {} },
      reward: null,
      done: false,
      metadata: { episode_id: 'mine', task_id: 'door-blue', split: 'train' },
    });
    const answers = [];
    for (const text of ['red', 'blue', 'red', 'red', 'red', 'gold'])
      answers.push((await ask(server, '/step', { action: { text }, episode_id: 'mine' })).body);
    expect(answers.map(({ observation }) => observation.text)).toEqual([
      'keys',
      'stairs with blue',
      'hall with blue',
      'stairs with blue',
      'door with blue',
      '',
    ]);
    expect(answers.map(({ reward }) => reward)).toEqual([0, 0, 0, 0, 0, 1]);
    expect(answers.at(-1)).toMatchObject({
      done: true,
      observation: { stop_reason: 'completed', metrics: { success: 1 } },
    });
    expect((await ask(server, '/state?episode_id=mine')).body).toEqual({
      episode_id: 'mine',
      step_count: 6,
      task_id: 'door-blue',
      split: 'train',
      done: true,
      total_reward: 1,
    });
    const after = await ask(server, '/step', { action: { text: 'red' }, episode_id: 'mine' });
    expect(after).toEqual({ status: 409, body: { detail: 'episode mine is over; reset it for another' } });
  });

  it('takes the same diagram as text and as actions', async () => {
    const server = await serve('diagram');
    const actions = [
      { type: 'create', shape: 'rectangle', id: 'a', x: 40, y: 40, width: 160, height: 80, text: 'A' },
    ];
    const answers = [];
    for (const action of [{ actions }, { text: JSON.stringify({ actions }) }]) {
      const { body } = await ask(server, '/reset', { seed: 3, split: 'id' });
      const { episode_id } = body.metadata;
      const { observation, reward, done } = (await ask(server, '/step', { action, episode_id })).body;
      answers.push({ observation, reward, done });
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({
      done: true,
      observation: { metrics: { parsed: 1, valid: 1, actions: 1 } },
    });
    expect(answers[0]!.reward).toBeGreaterThan(0);
  });

  it('deals the tasks of a split in turn, and the same task for the same seed', async () => {
    const server = await serve('key-door');
    const ids = [];
    for (let n = 0; n < 5; n++) ids.push((await ask(server, '/reset', {})).body.metadata.task_id);
    expect(ids).toEqual([...keyDoorColours, keyDoorColours[0]].map((colour) => `door-${colour}`));
    const seeded = await ask(server, '/reset', { seed: 6 });
    expect(seeded.body.metadata.task_id).toBe(`door-${keyDoorColours[2]}`);
  });

  it('needs no episode_id while only one episode is under way, and asks for it otherwise', async () => {
    const server = await serve('key-door');
    expect((await ask(server, '/step', { action: { text: 'red' } })).status).toBe(409);
    await ask(server, '/reset', {});
    expect((await ask(server, '/step', { action: { text: 'red' } })).body.observation.text).toBe('keys');
    await ask(server, '/reset', {});
    const { status, body } = await ask(server, '/step', { action: { text: 'red' } });
    expect(status).toBe(409);
    expect(body.detail).toMatch(/several episodes.*episode_id/);
  });

  it('takes a step once that is sent twice under one request_id', async () => {
    const server = await serve('key-door');
    await ask(server, '/reset', { episode_id: 'e' });
    const step = { action: { text: 'red' }, episode_id: 'e', request_id: 'first' };
    const once = await ask(server, '/step', step);
    expect(await ask(server, '/step', step)).toEqual(once);
    expect((await ask(server, '/state?episode_id=e')).body.step_count).toBe(1);
    await ask(server, '/step', { ...step, request_id: 'second' });
    expect((await ask(server, '/state?episode_id=e')).body.step_count).toBe(2);
  });

  it('pays completions by the batch, and nothing where one reply does not end the episode', async () => {
    const server = await serve('preference');
    const { body: task } = await ask(server, '/task?split=train&index=3');
    const local = preferenceTasks('train')[3]!;
    expect(task).toEqual({ task_id: local.id, split: 'train', text: requestOf(local) });
    const completions = [writeReply(local, randomStream(1, 'reply', 0, 0)), task.text, ''];
    const reply = await ask(server, '/reward', { task_ids: completions.map(() => local.id), completions });
    const steps = completions.map((text) => preferenceEnvironment().start(local).step(text));
    const served = {
      rewards: steps.map(({ reward }) => reward),
      metrics: steps.map(({ metrics }) => metrics),
    };
    // JSON has no -0
    expect(reply.body).toEqual(JSON.parse(JSON.stringify(served)));
    expect(new Set(reply.body.rewards).size).toBe(3);
    const door = await serve('key-door');
    const early = await ask(door, '/reward', { task_ids: ['door-red'], completions: ['red'] });
    expect(early.body.rewards).toEqual([null]);
    expect((await ask(door, '/health')).body).toEqual({ status: 'healthy' });
    expect(door.episodes).toBe(0);
  });

  it('publishes schemas from which a client can write an action', async () => {
    const server = await serve('diagram');
    const { body } = await ask(server, '/schema');
    const [text, drawn] = body.action.anyOf;
    expect(text.required).toEqual(['text']);
    expect(drawn.properties.actions.items.anyOf.length).toBeGreaterThan(8);
    expect(Object.keys(body.observation.properties)).toEqual(['text', 'metrics', 'stop_reason']);
    expect(body.state.properties.step_count.minimum).toBe(0);
    expect((await ask(server, '/metadata')).body.splits.real).toBe(20);
  });

  it('says at its root what it answers', async () => {
    const { status, body } = await ask(await serve('key-door'), '/');
    expect(status).toBe(200);
    expect(body.routes).toEqual(
      expect.arrayContaining(['POST /reset', 'POST /step', 'POST /reward', 'GET /ws']),
    );
  });

  it.each([
    ['/reset', '{', 422, /no JSON/],
    ['/reset', { seed: -1 }, 422, /^seed: /],
    ['/reset', { seed: 0.5 }, 422, /^seed: /],
    ['/reset', { split: 'exam' }, 422, /has train, not "exam"/],
    ['/reset', { task_id: 'door-pink' }, 422, /no task "door-pink"/],
    ['/reset', { episode_id: 'x'.repeat(256) }, 422, /^episode_id: /],
    ['/reset', [], 422, /expected object/i],
    ['/step', '', 422, /expected object/i],
    ['/step', { action: 'red' }, 422, /^action: /],
    ['/step', { action: { text: 'red' }, episode_id: 'nobody' }, 404, /no episode "nobody"/],
    ['/step', { action: { word: 'red' }, episode_id: 'e' }, 422, /expected \{ "text"/],
    ['/step', { action: { text: 3 }, episode_id: 'e' }, 422, /expected \{ "text"/],
    ['/reward', { task_ids: ['door-red'], completions: [] }, 422, /1 task_ids, but 0 completions/],
    ['/reward', { task_ids: ['door-pink'], completions: [''] }, 422, /no task "door-pink"/],
    ['/reward', {}, 422, /^task_ids: expected a list of task ids/],
    ['/reward', { task_ids: ['door-red'] }, 422, /^completions: expected a list of texts/],
    ['/health', {}, 405, /takes GET, not POST/],
    ['/nothing', {}, 404, /there are .*\/reset/],
    ['/step', 'x'.repeat(5 * 2 ** 20), 413, /4194304 bytes/],
  ])('refuses %s %j', async (path, body, status, detail) => {
    const server = await serve('key-door');
    await ask(server, '/reset', { episode_id: 'e' });
    const answer = await ask(server, path as string, body);
    expect(answer.status).toBe(status);
    expect(answer.body.detail).toMatch(detail as RegExp);
    expect((await ask(server, '/state?episode_id=e')).body.step_count).toBe(0);
  });

  it('makes room by episodes that are over, and says when there is none', async () => {
    const server = await serve('preference', { maxConcurrentEnvs: 2 });
    await ask(server, '/reset', { episode_id: 'over' });
    await ask(server, '/step', { action: { text: 'fine' }, episode_id: 'over' });
    await ask(server, '/reset', { episode_id: 'a' });
    await ask(server, '/reset', { episode_id: 'b' });
    expect((await ask(server, '/state?episode_id=over')).status).toBe(404);
    const full = await ask(server, '/reset', { episode_id: 'c' });
    expect(full.status).toBe(503);
    expect(full.body.detail).toMatch(/all 2 episodes are under way/);
    expect((await ask(server, '/close', { episode_id: 'a' })).body).toEqual({ closed: true });
    expect((await ask(server, '/reset', { episode_id: 'c' })).status).toBe(200);
  });
});

describe('who may ask', () => {
  it('nobody beyond this machine without a token', async () => {
    await expect(serveWorld(openWorld('key-door'), { host: '0.0.0.0', port: 0 })).rejects.toThrow(
      /give a token/,
    );
  });

  it('only who has the token', async () => {
    const server = await serve('key-door', { token: 'sesame' });
    expect((await ask(server, '/health')).status).toBe(401);
    expect((await ask(server, '/health', undefined, { authorization: 'Bearer nonsense' })).status).toBe(401);
    expect((await ask(server, '/health', undefined, { authorization: 'Bearer sesame' })).status).toBe(200);
    expect((await ask(server, '/health?token=sesame')).status).toBe(200);
  });

  it('no page of another site', async () => {
    const server = await serve('key-door');
    const { status, body } = await ask(server, '/reset', {}, { origin: 'https://example.org' });
    expect([status, body.detail]).toEqual([403, 'pages of https://example.org may not use this server']);
    expect(server.episodes).toBe(0);
  });

  it('says what to do about a port that is taken', async () => {
    const { url } = await serve('key-door');
    const port = Number(new URL(url).port);
    await expect(serveWorld(openWorld('key-door'), { port })).rejects.toThrow(
      /taken; choose another with --port/,
    );
  });
});
