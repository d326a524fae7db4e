/** Ops that change tensors in place: the key-value cache and the optimizer. */
import * as tf from '@tensorflow/tfjs-core';
import type { Tensor, Variable } from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import {
  adamWUpdate,
  causalAttention,
  createKVCache,
  decodeAttention,
  disposeKVCache,
  globalNorm,
  initBackend,
  layerNorm,
  prefillKVCache,
  rotary,
  sampleTokens,
  selectKVCacheRows,
} from 'posttrain/tensor';
import { scratch } from 'posttrain/tensor/wasm/heap';
import { allValuesOf } from '../values.js';
import { onEachBackend, testedBackends } from './backends.js';
import { largestError, normalInput, toTensor } from './reference.js';

onEachBackend('state', (backend) => {
  describe('decodeAttention', () => {
    /** Position `t` of row `b` as `[B, H, Dh]`, a different position each row. */
    const rowsAt = (x: Tensor, positions: number[]): Tensor =>
      tf.stack(
        positions.map((t, b) => tf.reshape(tf.slice(x, [b, t, 0, 0], [1, 1, -1, -1]), x.shape.slice(2))),
      );

    it.each([
      { heads: 1, kvHeads: 1, size: 1 },
      { heads: 4, kvHeads: 2, size: 8 },
      { heads: 3, kvHeads: 1, size: 5 },
      { heads: 2, kvHeads: 2, size: 32 },
      { heads: 2, kvHeads: 1, size: 19 },
    ])(
      'equals causal attention, ragged rows, $heads heads of $size over $kvHeads',
      async ({ heads, kvHeads, size }) => {
        const length = 11;
        const inputs = [heads, kvHeads, kvHeads].map((h, i) => normalInput(i + 1, 2, length, h, size));
        const prompt = [3, 6];
        const compared = await allValuesOf(() => {
          const [q, k, v] = inputs.map(toTensor) as [Tensor, Tensor, Tensor];
          const whole = causalAttention(q, k, v);
          const cache = createKVCache(2, kvHeads, length, size);
          // Positions 3 to 5 of row 0 belong to row 1's longer prompt: garbage that decoding must overwrite.
          const padding = tf.reshape(tf.range(0, 12), [2, 6, 1, 1]);
          const real = tf.less(padding, tf.tensor([3, 12], [2, 1, 1, 1]));
          const start = (x: Tensor): Tensor => {
            const head = tf.slice(x, [0, 0, 0, 0], [2, 6, -1, -1]);
            return tf.where(tf.broadcastTo(real, head.shape), head, tf.fill(head.shape, NaN));
          };
          prefillKVCache(cache, start(k), start(v));
          const pairs = Array.from({ length: 5 }, (_, step) => {
            const at = prompt.map((n) => n + step);
            const out = decodeAttention(
              rowsAt(q, at),
              rowsAt(k, at),
              rowsAt(v, at),
              cache,
              Int32Array.from(at),
            );
            return [out, rowsAt(whole, at)];
          });
          disposeKVCache(cache);
          return pairs.flat();
        });
        for (let i = 0; i < compared.length; i += 2)
          expect(largestError(compared[i]!, compared[i + 1]!)).toBeLessThan(1e-5);
      },
    );

    // Groups of one, of some, and of more than read a prefix together; prefixes beside and beyond a block of it.
    it.each([
      { heads: 1, kvHeads: 1, size: 1, lengths: [3, 5] },
      { heads: 4, kvHeads: 2, size: 8, lengths: [64, 1, 7] },
      { heads: 3, kvHeads: 1, size: 21, lengths: [130, 67] },
      { heads: 2, kvHeads: 2, size: 32, lengths: [0, 65, 128] },
    ])(
      'reads the same from a shared prefix as from a copy of it, $heads heads of $size over $kvHeads, prefixes of $lengths',
      async ({ heads, kvHeads, size, lengths }) => {
        const groups = [18, 1, 5]
          .slice(0, lengths.length)
          .flatMap((n, prompt) => Array<number>(n).fill(prompt));
        // some rows begin like one that is no neighbour
        const rows = Int32Array.from([...groups, 0, ...groups.slice(-2)]);
        // and some do not take all of it
        const prefixLengths = rows.map((prompt, row) =>
          Math.max(0, lengths[prompt]! - (row % 4 === 3 ? 2 : 0)),
        );
        const [room, longest] = [4, Math.max(...lengths)];
        const compared = await allValuesOf(() => {
          const prompts = createKVCache(lengths.length, kvHeads, longest, size);
          const [k, v] = [1, 2].map((seed) =>
            toTensor(normalInput(seed, lengths.length, longest, kvHeads, size)),
          ) as [Tensor, Tensor];
          prefillKVCache(prompts, k, v);
          const own = createKVCache(rows.length, kvHeads, room, size);
          const all = createKVCache(lengths.length, kvHeads, longest + room, size);
          prefillKVCache(all, k, v);
          const whole = selectKVCacheRows(all, rows);
          const pairs = Array.from({ length: room }, (_, step) => {
            const [q, newK, newV] = [heads, kvHeads, kvHeads].map((h, i) =>
              toTensor(normalInput(10 * step + i, rows.length, h, size)),
            ) as [Tensor, Tensor, Tensor];
            // ragged: the second row is a position behind and writes its first twice
            const at = rows.map((_, row) => step - (row === 1 && step > 0 ? 1 : 0));
            const prefix = { cache: prompts, rows, lengths: prefixLengths };
            return [
              decodeAttention(q, newK, newV, own, at, prefix),
              decodeAttention(
                q,
                newK,
                newV,
                whole,
                at.map((length, row) => length + prefixLengths[row]!),
              ),
            ];
          });
          [prompts, own, all, whole].forEach(disposeKVCache);
          return pairs.flat();
        });
        for (let i = 0; i < compared.length; i += 2)
          if (backend === 'wasm') expect(compared[i]).toEqual(compared[i + 1]);
          else expect(largestError(compared[i]!, compared[i + 1]!)).toBeLessThan(1e-5);
      },
    );

    it('repeats and drops rows of a cache', async () => {
      const [before, rows, after] = await allValuesOf(() => {
        const cache = createKVCache(3, 1, 4, 2);
        prefillKVCache(cache, toTensor(normalInput(1, 3, 2, 1, 2)), toTensor(normalInput(2, 3, 2, 1, 2)));
        const chosen = selectKVCacheRows(cache, Int32Array.of(2, 0, 2));
        const now = (x: Variable): Tensor => tf.mul(x as Tensor, 1);
        const read = [now(cache.keys), now(chosen.keys)];
        // The copy is on its own: writing to it leaves the source alone.
        const one = tf.ones([3, 1, 2]);
        decodeAttention(one, one, one, chosen, Int32Array.of(2, 2, 2));
        read.push(now(cache.keys));
        disposeKVCache(cache);
        disposeKVCache(chosen);
        return read;
      });
      const row = (i: number): Float32Array => before!.subarray(8 * i, 8 * i + 8);
      expect([...rows!]).toEqual([2, 0, 2].flatMap((i) => [...row(i)]));
      expect(after).toEqual(before);
    });

    it('says what does not fit', () => {
      tf.tidy(() => {
        const cache = createKVCache(1, 1, 4, 2);
        const x = tf.zeros([1, 1, 2]);
        expect(() => decodeAttention(x, x, x, cache, Int32Array.of(4))).toThrow(
          /lengths must lie in \[0, 3\], got 4/,
        );
        expect(() => decodeAttention(x, tf.zeros([1, 2, 2]), x, cache, Int32Array.of(0))).toThrow(
          /k must have shape/,
        );
        const long = tf.zeros([1, 5, 1, 2]);
        expect(() => prefillKVCache(cache, long, long)).toThrow(/5 positions does not fit a cache of 4/);
        const prefix = { cache, rows: Int32Array.of(1), lengths: Int32Array.of(2) };
        const decode = (changes: object): Tensor =>
          decodeAttention(x, x, x, cache, Int32Array.of(0), { ...prefix, ...changes });
        expect(() => decode({})).toThrow(/prefix rows must lie in \[0, 0\], got 1 in row 0/);
        expect(() => decode({ rows: Int32Array.of(0), lengths: Int32Array.of(5) })).toThrow(
          /prefix lengths must lie in \[0, 4\], got 5 in row 0/,
        );
        disposeKVCache(cache);
      });
    });
  });

  describe('adamWUpdate', () => {
    const options = { lr: 0.01, beta1: 0.9, beta2: 0.95, eps: 1e-6, weightDecay: 0.1 };

    it.each([1, 3, 4, 17])('follows the equations in double precision, %i weights', async (size) => {
      const start = normalInput(1, size);
      const [param, m, v] = [toTensor(start), tf.zeros([size]), tf.zeros([size])].map((x) => {
        const variable = tf.variable(x);
        x.dispose();
        return variable;
      }) as [Variable, Variable, Variable];
      const expected = { param: start.values.slice(), m: new Float64Array(size), v: new Float64Array(size) };
      for (let step = 1; step <= 5; step++) {
        const gradient = normalInput(10 + step, size);
        tf.tidy(() => adamWUpdate(param, toTensor(gradient), m, v, { ...options, step, gradScale: 0.5 }));
        for (let i = 0; i < size; i++) {
          const g = 0.5 * gradient.values[i]!;
          expected.m[i] = 0.9 * expected.m[i]! + 0.1 * g;
          expected.v[i] = 0.95 * expected.v[i]! + 0.05 * g * g;
          const update =
            expected.m[i]! / (1 - 0.9 ** step) / (Math.sqrt(expected.v[i]! / (1 - 0.95 ** step)) + 1e-6);
          expected.param[i] = expected.param[i]! * (1 - 0.01 * 0.1) - 0.01 * update;
        }
      }
      expect(largestError(await param.data(), expected.param)).toBeLessThan(1e-6);
      expect(largestError(await m.data(), expected.m)).toBeLessThan(1e-6);
      expect(largestError(await v.data(), expected.v)).toBeLessThan(1e-6);
      tf.dispose([param, m, v]);
    });

    it('leaves clones of the weights and the gradient as they were', async () => {
      const state = tf.tidy(() => [1, 2, 3].map((x) => tf.variable(tf.fill([5], x)))) as [
        Variable,
        Variable,
        Variable,
      ];
      const before = state.map((x) => tf.clone(x as Tensor));
      const gradient = tf.fill([5], 4);
      adamWUpdate(state[0], gradient, state[1], state[2], { ...options, step: 1 });
      const first = async (x: Tensor): Promise<number> => (await x.data())[0]!;
      expect(await Promise.all(before.map(first))).toEqual([1, 2, 3]);
      expect(await first(gradient)).toBe(4);
      const after = await Promise.all(state.map((x) => first(x as Tensor)));
      expect(after.every((x, i) => x !== i + 1)).toBe(true);
      tf.dispose([...state, ...before, gradient]);
    });

    it('is seen by whoever reads the weights again, also when a read was under way', async () => {
      const [param, m, v] = tf.tidy(() => [1, 0, 0].map((x) => tf.variable(tf.fill([3], x)))) as [
        Variable,
        Variable,
        Variable,
      ];
      const gradient = tf.ones([3]);
      const update = (step: number): void =>
        adamWUpdate(param, gradient, m, v, { ...options, weightDecay: 0, step });
      const reading = param.data();
      update(1);
      expect((await reading)[0]).toBe(1);
      expect((await param.data())[0]).toBeCloseTo(0.99, 5);
      update(2);
      expect((await param.data())[0]).toBeCloseTo(0.98, 5);
      tf.dispose([param, m, v, gradient]);
    });

    it('counts steps from 1', () => {
      tf.tidy(() => {
        const x = tf.variable(tf.zeros([1]));
        expect(() => adamWUpdate(x, tf.zeros([1]), x, x, { ...options, step: 0 })).toThrow(/from 1, got 0/);
        expect(() => adamWUpdate(x, tf.zeros([2]), x, x, { ...options, step: 1 })).toThrow(
          /grad must have shape \[1\]/,
        );
        x.dispose();
      });
    });
  });

  it('globalNorm is the length of all gradients together', async () => {
    const gradients = [tf.tensor2d([1, 2, 3, 4, 5], [5, 1]), tf.scalar(3), tf.tensor1d([0, -6])];
    expect(await globalNorm(gradients)).toBeCloseTo(10, 5);
    const bad = tf.tensor1d([1, NaN]);
    expect(await globalNorm([...gradients, bad])).toBeNaN();
    tf.dispose([...gradients, bad]);
  });
});

describe.runIf(testedBackends.includes('wasm'))('the wasm heap', () => {
  it('grows between calls without a kernel losing its tensors or its scratch memory', async () => {
    await initBackend({ backend: 'wasm' });
    const [a, b] = [normalInput(1, 40, 60), normalInput(2, 60, 30)].map(toTensor) as [Tensor, Tensor];
    const q = toTensor(normalInput(3, 2, 20, 2, 8));
    const [ones, positions] = [tf.ones([60]), tf.tensor2d([...Array(40).keys()], [2, 20], 'int32')];
    const rows = Int32Array.from({ length: 40 }, (_, i) => i);
    const run = async (): Promise<unknown[]> => {
      const outputs = tf.tidy(() =>
        [
          tf.matMul(a, b),
          causalAttention(q, q, q),
          rotary(q, positions, 100),
          layerNorm(a, ones, ones, 1e-5),
        ].map((x) => x.dataSync()),
      );
      const uniforms = Array.from(rows, (row) => row / 40);
      return [...outputs, await sampleTokens(a, rows, uniforms, { temperature: 1, topP: 0.9 })];
    };
    const before = await run();
    const memory = (tf.backend() as unknown as { wasm: { asm: { memory: WebAssembly.Memory } } }).wasm.asm
      .memory;
    const bytes = memory.buffer.byteLength;
    const ballast = Array.from({ length: 8 }, () => tf.zeros([bytes / 32]));
    expect(memory.buffer.byteLength).toBeGreaterThan(bytes);
    expect(await run()).toEqual(before);
    tf.dispose(ballast);
    expect(await run()).toEqual(before);
    tf.dispose([a, b, q, ones, positions]);
  });

  it('says that it is full, and goes on with what fits', async () => {
    await initBackend({ backend: 'wasm' });
    const before = tf.memory().numTensors;
    for (const bytes of [2e9, 3.43e9, 5e9]) {
      expect(() => scratch(bytes)).toThrow(/out of memory/);
      expect(scratch(64)).toBeGreaterThan(0);
    }
    expect(() => tf.tidy(() => tf.matMul(tf.zeros([2 ** 15, 1]), tf.zeros([1, 2 ** 15 - 1])))).toThrow(
      /no room for a tensor of shape \[32768, 32767\]/,
    );
    expect(tf.memory().numTensors).toBe(before);
  });
});
