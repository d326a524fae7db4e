// A process of its own for one back end: told what to start, then asked for a step and for tokens a second.
import { parameterCount } from '../../lib/dist/model/index.js';
import { initBackend } from '../../lib/dist/tensor/index.js';
import { ourPeer } from './our-model.mjs';
import { makeWork } from './work.mjs';

const sampling = { sequences: 64, promptLength: 32, newTokens: 32 };
let peer;
process.on('message', async ({ backend, workers, config }) => {
  if (backend) {
    await initBackend({ backend });
    peer = ourPeer(backend, workers, makeWork({ config, batch: 16, length: 128, sampling }));
    process.send({ parameters: parameterCount(config) });
    return;
  }
  // the first follows a pause in which the others ran
  await peer.step();
  const steps = [await peer.step(), await peer.step()];
  const milliseconds = Math.min(...steps.map((step) => step.milliseconds));
  process.send({ milliseconds, tokensPerSecond: await peer.tokensPerSecond() });
});
process.on('disconnect', () => process.exit());
