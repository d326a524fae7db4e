import { expect, it, vi } from 'vitest';
import { printed, startKernel } from './client.js';

// on a busy machine a compiler may take its time
vi.setConfig({ testTimeout: 120_000 });

it.each([
  ['control', false],
  ['shell', true],
] as const)('shuts down when it is told to on the %s channel, restart: %s', async (channel, restart) => {
  const kernel = await startKernel();
  try {
    await kernel.execute('setInterval(() => {}, 1000); console.log("busy for ever")');
    const { reply, published } = await kernel.request('shutdown_request', { restart }, channel);
    expect(reply.header.msg_type).toBe('shutdown_reply');
    expect(reply.content).toEqual({ status: 'ok', restart });
    expect(published.map(({ header }) => header.msg_type)).toEqual(['shutdown_reply']);
    expect(await kernel.exited()).toBe(0);
  } finally {
    await kernel.close();
  }
});

it('shuts down while a cell runs', async () => {
  const kernel = await startKernel();
  try {
    const id = await kernel.send('execute_request', {
      code: 'console.log("begun"); await new Promise(() => {})',
    });
    await kernel.until(
      ({ content, parent_header: parent }) => parent.msg_id === id && content.text === 'begun\n',
    );
    await kernel.request('shutdown_request', { restart: false }, 'control');
    expect(await kernel.exited()).toBe(0);
  } finally {
    await kernel.close();
  }
});

it('does everything in little when asked to', async () => {
  const kernel = await startKernel({ env: { POSTTRAIN_FAST: '1' } });
  try {
    const answer = await kernel.execute("import { isFast } from 'posttrain/notebook'; console.log(isFast())");
    expect(printed(answer)).toBe('true\n');
  } finally {
    await kernel.close();
  }
});
