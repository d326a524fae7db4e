/** What TRL's trainers came to (fixtures/make_trl.py, make_trl_policy.py), and the comparison of gradients. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as tf from '@tensorflow/tfjs-core';
import { expect } from 'vitest';
import type { MicroStep } from 'posttrain/engine/micro-step';
import { type NamedTensor, parseSafetensors } from 'posttrain/model';
import type { Metrics } from 'posttrain/trainers';
import { maxDifference } from '../model/fixture.js';

export interface TRLResult {
  readonly loss: number;
  readonly metrics: Metrics;
  /** Of each sample, in order; only of GRPO. */
  readonly advantages: readonly number[] | null;
}

export interface TRLReference {
  /** Gradients by case and weight. */
  readonly tensors: ReadonlyMap<string, NamedTensor>;
  readonly results: Readonly<Record<string, TRLResult>>;
  /** The inputs, as the script wrote them down. */
  readonly input: <T>(name: string) => T;
}

export function readTRL(file: string): TRLReference {
  const path = fileURLToPath(new URL(`./fixtures/${file}`, import.meta.url));
  const { tensors, metadata } = parseSafetensors(readFileSync(path));
  const input = <T>(name: string): T => JSON.parse(metadata[name] as string) as T;
  return { tensors, results: input('results'), input };
}

/** The gradient of a step is TRL's of that case, within 1e-4 of the largest entry of each weight. Frees the step. */
export function expectGradients(
  { tensors }: TRLReference,
  name: string,
  { gradients, report }: MicroStep,
): void {
  for (const [weight, gradient] of gradients) {
    const expected = tensors.get(`${name}/${weight}`)?.data as Float32Array;
    const scale = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    expect(maxDifference(gradient.dataSync(), expected) / scale, weight).toBeLessThan(1e-4);
  }
  tf.dispose([report, ...gradients.values()]);
}
