/** Environment tokens have no gradient, however their streams are filled, and turns that are merged train as turns apart. */
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { createLocalEngine, type Datum } from 'posttrain/engine';
import { microStep } from 'posttrain/engine/micro-step';
import type { Environment, StepResult } from 'posttrain/envs/types';
import { type LossSpec, mean } from 'posttrain/losses';
import { disposeModel, type Model } from 'posttrain/model';
import { rollout, type Trajectory } from 'posttrain/rollout';
import { initBackend } from 'posttrain/tensor';

import { scriptedSampler } from '../engine/scripted.js';
import { letterTask, type LetterTask, letterTokenizer, tinyModel } from '../engine/tiny.js';
import { maxDifference } from '../model/fixture.js';

/** Three turns, whatever is said. */
const threeTurns: Environment<LetterTask> = {
  name: 'three turns',
  start: (task) => {
    let turn = 0;
    return {
      initialObservation: () => task.request,
      step: (reply): StepResult => {
        turn += 1;
        const rest = { reward: reply.length, metrics: {} };
        return turn < 3
          ? { ...rest, episodeDone: false, nextObservation: 'fed' }
          : { ...rest, episodeDone: true, nextObservation: null, stopReason: 'completed' };
      },
    };
  },
};

const clip = { epsilon: 0.2, epsilonHigh: 0.28, delta: null, beta: 0.1 };
const losses: readonly LossSpec[] = [
  { name: 'cross_entropy' },
  { name: 'policy_gradient', ...clip },
  { name: 'sequence_ratio', ...clip },
  { name: 'cispo', maxRatio: 1.2, beta: 0.1 },
  { name: 'generalized_jsd', beta: 0.3 },
];

describe('a conversation in a batch', () => {
  let model: Model;
  let trajectories: readonly Trajectory[];
  let teacher: readonly Float32Array[];
  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
    model = tinyModel();
    const engine = createLocalEngine(model);
    const tasks = ['a', 'bc'].map((request) => letterTask(request, request));
    const common = {
      seed: 1,
      step: 0,
      numGenerations: 2,
      maxCompletionLength: 6,
      tokenizer: letterTokenizer,
    };
    const replies = ['ab', 'g', 'cade', 'f'];
    const { sample, maxLength } = scriptedSampler((heard, { index }) => ({
      text: replies[(heard.length + index) % replies.length] as string,
    }));
    const script = { sample, maxLength, policyVersion: 0 };
    const groups = await rollout({ ...common, engine: script, env: threeTurns, tasks });
    const said = groups.flatMap(({ episodes }) => episodes).flatMap((episode) => episode.trajectories);
    const logprobs = await engine.logprobs(said.map(({ tokens, actionMask: mask }) => ({ tokens, mask })));
    trajectories = said.map((trajectory, row) => ({
      ...trajectory,
      logprobs: logprobs[row] as Float32Array,
    }));
    const other = tinyModel(8);
    const scorer = createLocalEngine(other);
    teacher = await scorer.distributions(
      trajectories.map(({ tokens, actionMask: mask }) => ({ tokens, mask })),
    );
    [engine, scorer].forEach((each) => each.dispose());
    disposeModel(other);
    return () => disposeModel(model);
  });

  /** All that a loss may read, `filler` where the environment spoke. */
  function batchWith(filler: number): Datum[] {
    return trajectories.map(({ tokens, actionMask, logprobs }, row): Datum => {
      const stream = (at: (t: number) => number): Float32Array =>
        Float32Array.from(actionMask, (on, t) => (on === 1 ? at(t) : filler));
      return {
        tokens,
        weights: Float32Array.from(actionMask, (on) => on / 50),
        advantages: stream((t) => Math.cos(3 * t + row)),
        oldLogprobs: stream((t) => (logprobs[t] as number) + 0.3 * Math.sin(t)),
        refLogprobs: stream((t) => (logprobs[t] as number) + 0.5 * Math.sin(2 * t)),
        teacherLogprobs: teacher[row] as Float32Array,
      };
    });
  }

  function gradientOf(data: readonly Datum[], loss: LossSpec): Float32Array[] {
    const { gradients, report } = microStep(model, data, loss, 1);
    const values = [...gradients.values()].map((gradient) => Float32Array.from(gradient.dataSync()));
    tf.dispose([report, ...gradients.values()]);
    return values;
  }

  it('has conversations of several turns to look at', () => {
    expect(trajectories.map(({ turns }) => turns.length)).toEqual([3, 3, 3, 3]);
    const isHeard = ({ actionMask, turns: [first] }: Trajectory): boolean =>
      actionMask.subarray(first?.end).includes(0);
    expect(trajectories.every(isHeard)).toBe(true);
  });

  it.each(losses)(
    'environment tokens change no bit of the gradient, whatever stands at them: $name',
    (loss) => {
      const plain = gradientOf(batchWith(0), loss);
      expect(mean(plain.flatMap((values) => [...values.map(Math.abs)]))).toBeGreaterThan(0);
      for (const filler of [-1e3, NaN, Infinity]) expect(gradientOf(batchWith(filler), loss)).toEqual(plain);
    },
  );

  it('what the environment says last, which no reply has seen, changes no bit either', () => {
    const heard = (...said: number[]): Datum[] =>
      batchWith(0).map(({ tokens, weights, advantages, oldLogprobs, refLogprobs }) => {
        const padded = (stream: Float32Array | undefined): Float32Array => Float32Array.of(...stream!, 0, 0);
        return {
          tokens: Int32Array.of(...tokens, ...said),
          weights: padded(weights),
          advantages: padded(advantages),
          oldLogprobs: padded(oldLogprobs),
          refLogprobs: padded(refLogprobs),
        };
      });
    const loss: LossSpec = { name: 'policy_gradient', ...clip };
    expect(gradientOf(heard(7, 8), loss)).toEqual(gradientOf(heard(11, 5), loss));
  });

  it('a conversation in one sequence trains as its turns in sequences of their own', () => {
    const loss: LossSpec = { name: 'policy_gradient', ...clip };
    const apart = batchWith(0).flatMap((datum, row) =>
      (trajectories[row] as Trajectory).turns.map(({ start, end }): Datum => ({
        tokens: datum.tokens.subarray(0, end),
        weights: datum.weights.slice(0, end).fill(0, 0, start),
        advantages: datum.advantages!.subarray(0, end),
        oldLogprobs: datum.oldLogprobs!.subarray(0, end),
        refLogprobs: datum.refLogprobs!.subarray(0, end),
      })),
    );
    const [together, turnByTurn] = [gradientOf(batchWith(0), loss), gradientOf(apart, loss)];
    together.forEach((values, n) => {
      const scale = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
      expect(maxDifference(values, turnByTurn[n] as Float32Array) / scale).toBeLessThan(1e-4);
    });
  });
});
