/** A kernel for the tests of a file, and how they talk to it. */
import { afterAll, beforeAll, vi } from 'vitest';
import { type Answer, type Client, startKernel } from './client.js';

// on a busy machine a compiler may take its time
vi.setConfig({ testTimeout: 120_000 });

/** Started before the first test of the file that imports it. */
export let kernel: Client;
beforeAll(async () => {
  kernel = await startKernel();
}, 120_000);
afterAll(() => kernel.close());

export const types = ({ published }: Answer): string[] => published.map(({ header }) => header.msg_type);
export const shown = ({ published }: Answer): string | undefined =>
  published.find(({ header }) => header.msg_type === 'execute_result')?.content.data['text/plain'];
export const wait = (ms: number): Promise<void> => new Promise((resume) => setTimeout(resume, ms));
/** The cell runs: everything it does from now on happens while it does. */
export const running = (id: string): Promise<unknown> =>
  kernel.until(
    ({ header, parent_header: parent }) => parent.msg_id === id && header.msg_type === 'execute_input',
  );
export const answerTo = async (id: string): Promise<Answer> => {
  await kernel.until(
    ({ content, parent_header: parent }) => parent.msg_id === id && content.execution_state === 'idle',
  );
  const all = kernel.published.filter(({ parent_header: parent }) => parent.msg_id === id);
  return { reply: all.at(-1)!, all, published: all };
};
