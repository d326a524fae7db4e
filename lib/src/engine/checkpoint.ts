/**
 * A run that can go on: engine and trainer state in one safetensors file, so that one rename makes it appear whole.
 * The arrays are named `weights/…`, `adam.m/…` and `adam.v/…`, a critic's the same after `critic/`; the plain state is JSON in the
 * file's metadata. Of a remote engine it holds the path alone: the arrays stay on the server.
 */
import { parseSafetensors, serializeSafetensors } from '../model/index.js';
import type { EngineState, NamedArray } from './types.js';

/** What a checkpoint holds: the engine's state, and whatever plain data the trainer needs to go on. */
export interface RunCheckpoint<S> {
  readonly engine: EngineState;
  /** Of a run with a critic, which would be worth nothing without the policy it belongs to: so both are in one file. */
  readonly critic?: EngineState;
  readonly trainer: S;
}

/** `adam.m/` holds Muon's momentum too: under another name, checkpoints that exist could not be read. */
const sections = { weights: 'weights/', firstMoments: 'adam.m/', secondMoments: 'adam.v/' } as const;
const CRITIC = 'critic/';

/** The bytes of a checkpoint; every bit of the arrays is kept. */
export function encodeCheckpoint<S>({ engine, critic, trainer }: RunCheckpoint<S>): Uint8Array {
  const arrays = new Map([...arraysOf(engine, ''), ...(critic ? arraysOf(critic, CRITIC) : [])]);
  const metadata = {
    policyVersion: String(engine.policyVersion),
    ...(engine.path !== undefined && { path: engine.path }),
    ...(critic && { criticVersion: String(critic.policyVersion) }),
    trainer: JSON.stringify(trainer),
  };
  return serializeSafetensors(arrays, { metadata });
}

/** Inverse of `encodeCheckpoint`. Throws when the bytes are cut short or are something else. */
export function decodeCheckpoint<S>(bytes: Uint8Array): RunCheckpoint<S> {
  const { tensors, metadata } = parseSafetensors(bytes);
  const { policyVersion, path, criticVersion, trainer } = metadata;
  if (policyVersion === undefined || trainer === undefined) {
    throw new Error('This safetensors file holds a model, not a run that can be resumed.');
  }
  return {
    engine: { ...stateOf(tensors, '', policyVersion), ...(path !== undefined && { path }) },
    ...(criticVersion !== undefined && { critic: stateOf(tensors, CRITIC, criticVersion) }),
    trainer: JSON.parse(trainer) as S,
  };
}

function arraysOf(state: EngineState, owner: string): Map<string, NamedArray> {
  const arrays = new Map<string, NamedArray>();
  for (const [section, prefix] of Object.entries(sections) as [keyof typeof sections, string][]) {
    for (const [name, array] of state[section]) arrays.set(owner + prefix + name, array);
  }
  return arrays;
}

function stateOf(arrays: ReadonlyMap<string, NamedArray>, owner: string, version: string): EngineState {
  const section = (name: string): Map<string, NamedArray> => {
    const prefix = owner + name;
    const own = [...arrays].filter(([key]) => key.startsWith(prefix));
    return new Map(own.map(([key, array]) => [key.slice(prefix.length), array]));
  };
  return {
    policyVersion: Number(version),
    weights: section(sections.weights),
    firstMoments: section(sections.firstMoments),
    secondMoments: section(sections.secondMoments),
  };
}
