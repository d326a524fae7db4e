/** Engines of a fake server, with a clock on which waiting takes no time. */
import { createTinkerEngine, type Engine, type TinkerEngineOptions } from 'posttrain/engine';
import { stillClock } from '../teachers/still-clock.js';
import { type FakeTinker, fakeTinker } from './fake-tinker.js';
import { tinyModel } from './tiny.js';

export const KEY = 'tml-test';

/** A server and an engine of its model for as long as `use` takes. */
export async function withServer<R>(
  use: (engine: Engine, server: FakeTinker) => Promise<R>,
  options: Partial<TinkerEngineOptions> = {},
): Promise<R> {
  const server = await fakeTinker(tinyModel);
  try {
    const engine = await createTinkerEngine({
      baseUrl: server.url,
      apiKey: KEY,
      baseModel: 'tiny',
      maxLength: 64,
      clock: stillClock(),
      ...options,
    });
    try {
      return await use(engine, server);
    } finally {
      engine.dispose();
    }
  } finally {
    await server.close();
  }
}
