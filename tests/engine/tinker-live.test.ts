/**
 * Against a real server, where `TINKER_BASE_URL` names one (and `TINKER_API_KEY`, `TINKER_BASE_MODEL`), e.g. SkyRL:
 * `uv run --extra tinker --extra jax -m skyrl.tinker.api --base-model trl-internal-testing/tiny-Qwen3ForCausalLM --backend jax`.
 */
import { describe, expect, it } from 'vitest';
import { createTinkerEngine, type Datum, type Engine } from 'posttrain/engine';
import { sampleKeys } from 'posttrain/model';
import { initBackend } from 'posttrain/tensor';

const { TINKER_BASE_URL, TINKER_API_KEY = 'tml-any', TINKER_BASE_MODEL = 'Qwen/Qwen3-0.6B' } = process.env;

async function live(use: (engine: Engine) => Promise<void>): Promise<void> {
  await initBackend({ backend: 'cpu' });
  const engine = await createTinkerEngine({
    baseUrl: TINKER_BASE_URL as string,
    apiKey: TINKER_API_KEY,
    baseModel: TINKER_BASE_MODEL,
    maxLength: 256,
  });
  await use(engine).finally(() => engine.dispose());
}

const batch = [1, 2, 3, 4].map((first): Datum => ({
  tokens: Int32Array.of(first, 40, 41, 42, 43),
  weights: Float32Array.of(0, 0.25, 0.25, 0.25, 0.25),
}));
const sequences = batch.map(({ tokens, weights }) => ({ tokens, mask: weights }));

describe.skipIf(TINKER_BASE_URL === undefined)('a real server', () => {
  it('learns four sequences, and goes on from what it saved', { timeout: 600_000 }, () =>
    live(async (engine) => {
      const step = async (): Promise<number> => {
        const learnt = engine.forwardBackward(batch, { name: 'cross_entropy' });
        await engine.optimStep({ learningRate: 1e-3 });
        return (await learnt).loss;
      };
      const losses = [await step(), await step(), await step()];
      expect(losses[2]).toBeLessThan(losses[0] as number);
      const state = await engine.save();
      const fourth = await step();
      await engine.load(state);
      expect(Math.abs((await step()) - fourth)).toBeLessThan(1e-2);
    }),
  );

  it('leaves the weights alone without advantages, and samples what it trains', { timeout: 600_000 }, () =>
    live(async (engine) => {
      const before = await engine.logprobs(sequences);
      const advantages = new Float32Array(5);
      const neutral = batch.map((datum, row) => ({
        ...datum,
        advantages,
        oldLogprobs: before[row] as Float32Array,
      }));
      const clipped = {
        name: 'policy_gradient',
        epsilon: 0.2,
        epsilonHigh: 0.2,
        delta: null,
        beta: 0,
      } as const;
      await engine.forwardBackward(neutral, clipped);
      await engine.optimStep({ learningRate: 1e-2 });
      (await engine.logprobs(sequences)).forEach((stream, row) =>
        stream.forEach((value, t) =>
          expect(Math.abs(value - (before[row]?.[t] as number))).toBeLessThan(1e-4),
        ),
      );
      const prompt = Int32Array.of(1, 40, 41);
      const params = { maxNewTokens: 8, stopTokens: [], temperature: 1 };
      const [reply] = await engine.sample([prompt], params, sampleKeys(1, 5, 'live'));
      const tokens = Int32Array.of(...prompt, ...(reply?.tokens ?? []));
      const [scored] = await engine.logprobs([{ tokens, mask: tokens.map((_, t) => (t < 3 ? 0 : 1)) }]);
      reply?.logprobs.forEach((value, t) =>
        expect(Math.abs(value - (scored?.[3 + t] as number))).toBeLessThan(0.1),
      );
    }),
  );
});
