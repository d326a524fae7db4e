// A process of its own for stock TensorFlow.js: once our kernels are registered, nothing in a process is stock.
import { stockStep } from './stock-model.mjs';

let step;
process.on('message', async (message) => {
  if (message.config) {
    step = await stockStep(message.config, message.ids, message.targets);
    process.send({ ready: true });
    return;
  }
  const start = performance.now();
  const cpu = process.cpuUsage();
  const loss = step();
  const { user, system } = process.cpuUsage(cpu);
  process.send({ milliseconds: performance.now() - start, cpuMilliseconds: (user + system) / 1000, loss });
});
