/**
 * A run that can go on: engine and trainer state in one safetensors file, so that one rename makes it appear whole.
 * The arrays are named `weights/…`, `adam.m/…` and `adam.v/…`; the plain state is JSON in the file's metadata.
 */
import { parseSafetensors, serializeSafetensors } from '../model/index.js';
import type { EngineState, NamedArray } from './types.js';

/** What a checkpoint holds: the engine's state, and whatever plain data the trainer needs to go on. */
export interface RunCheckpoint<S> {
  readonly engine: EngineState;
  readonly trainer: S;
}

/** `adam.m/` holds Muon's momentum too: under another name, checkpoints that exist could not be read. */
const sections = { weights: 'weights/', firstMoments: 'adam.m/', secondMoments: 'adam.v/' } as const;

/** The bytes of a checkpoint; every bit of the arrays is kept. */
export function encodeCheckpoint<S>({ engine, trainer }: RunCheckpoint<S>): Uint8Array {
  const arrays = new Map<string, NamedArray>();
  for (const [section, prefix] of Object.entries(sections) as [keyof typeof sections, string][]) {
    for (const [name, array] of engine[section]) arrays.set(prefix + name, array);
  }
  const metadata = { policyVersion: String(engine.policyVersion), trainer: JSON.stringify(trainer) };
  return serializeSafetensors(arrays, { metadata });
}

/** Inverse of `encodeCheckpoint`. Throws when the bytes are cut short or are something else. */
export function decodeCheckpoint<S>(bytes: Uint8Array): RunCheckpoint<S> {
  const { tensors, metadata } = parseSafetensors(bytes);
  const { policyVersion, trainer } = metadata;
  if (policyVersion === undefined || trainer === undefined) {
    throw new Error('This safetensors file holds a model, not a run that can be resumed.');
  }
  const section = (prefix: string): Map<string, NamedArray> =>
    new Map(
      [...tensors].flatMap(([name, array]) =>
        name.startsWith(prefix) ? [[name.slice(prefix.length), array]] : [],
      ),
    );
  return {
    engine: {
      policyVersion: Number(policyVersion),
      weights: section(sections.weights),
      firstMoments: section(sections.firstMoments),
      secondMoments: section(sections.secondMoments),
    },
    trainer: JSON.parse(trainer) as S,
  };
}
