import {
  changesNothing,
  cloneAdapter,
  cloneModel,
  disposeAdapter,
  disposeModel,
  type Model,
} from '../model/index.js';

/** A model that stays as it is, and what frees the part of it that is its own. */
export interface FrozenPolicy {
  readonly model: Model;
  readonly dispose: () => void;
}

/**
 * The policy as it is now. It shares the base weights of an adapter, which no step changes: while the adapter changes nothing
 * it is switched off, which is exact and takes no memory, later it alone is copied.
 */
export async function frozenPolicy(policy: Model): Promise<FrozenPolicy> {
  const { config, weights, adapter } = policy;
  if (!adapter) {
    const model = cloneModel(policy);
    return { model, dispose: () => disposeModel(model) };
  }
  if (await changesNothing(adapter)) return { model: { config, weights }, dispose: () => undefined };
  const own = cloneAdapter(adapter);
  return { model: { config, weights, adapter: own }, dispose: () => disposeAdapter(own) };
}
