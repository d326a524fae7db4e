/**
 * TensorFlow's operations put off and run together. One by one each costs a call from JavaScript, ten to twenty microseconds on top of
 * its work; a graph of the same operations is one call, and independent ones run side by side. While `compute` runs, the back end
 * writes down what it is asked for and hands out tensors of the right shape that have no values yet; they get them when the first of
 * them is read, when an operation comes up whose result cannot be told beforehand, or at the end. A graph does not depend on sizes, so a
 * model and a loss need few of them, whatever the lengths of the sequences are.
 */
import type { DataId, Tensor, TypedArray } from '@tensorflow/tfjs-core';
import { Graph, type OpAttribute, type Place } from './graph.js';
import { type NumbersBinding, PackedNumbers } from './packed-numbers.js';
import { outputRules, type Operand, type Spec } from './output-rules.js';

/** What the back end knows of a tensor; `values` until TensorFlow has them. */
interface TensorData extends Spec {
  id: number;
  values: TypedArray | null;
}

interface Binding extends NumbersBinding {
  tensorDataSync(id: number): TypedArray;
  deleteTensor(id: number): void;
  runSavedModel(session: number, ids: readonly number[], places: string, results: string): { id: number }[];
  deleteSavedModel(session: number): void;
}

/** The parts of tfjs-node's back end that every operation goes through. */
export interface DeferrableBackend {
  binding: Binding;
  readonly tensorMap: { get(dataId: DataId): TensorData; has(dataId: DataId): boolean };
  createOutputTensor(spec: Spec & { readonly id: number }): Tensor;
  executeSingleOutput(name: string, attributes: OpAttribute[], inputs: Tensor[]): Tensor;
  executeMultipleOutputs(
    name: string,
    attributes: OpAttribute[],
    inputs: Tensor[],
    outputs: number,
  ): Tensor[];
  getInputTensorIds(inputs: Tensor[]): number[];
  readSync(dataId: DataId): TypedArray;
}

/** Sessions kept, the one used longest ago going first: a model in training needs a few for each of its losses. */
const SESSIONS = 32;

/** Ids of tensors without values go down from here; tfjs itself takes -1 for those whose values JavaScript holds. */
const FIRST_AWAITED = -2;

/** A tensor that has no values yet. */
interface Awaited {
  readonly dataId: DataId;
  readonly data: TensorData;
  readonly place: Place;
}

/** Operations that were asked for and have not run. */
class Pending {
  readonly graph = new Graph();
  readonly numbers: PackedNumbers;
  readonly inputIds: number[] = [];
  readonly awaited: Awaited[] = [];
  /** Inputs that the program has let go of meanwhile. */
  readonly released: number[] = [];
  /** Of inputs and awaited tensors, by id. */
  readonly #places = new Map<number, Place>();

  constructor(binding: Binding) {
    this.numbers = new PackedNumbers(this.graph, binding);
  }

  /** Where the graph finds a tensor that TensorFlow has, or will have. */
  placeOf({ id, dtype }: TensorData): Place {
    const known = this.#places.get(id);
    if (known !== undefined) return known;
    const place = this.graph.addInput(dtype);
    this.#places.set(id, place);
    this.inputIds.push(id);
    return place;
  }

  await(tensor: Awaited): void {
    this.#places.set(tensor.data.id, tensor.place);
    this.awaited.push(tensor);
  }

  reads(id: number): boolean {
    return this.#places.has(id);
  }
}

/** Graphs that TensorFlow has ready. */
class Sessions {
  readonly #bySignature = new Map<string, number>();

  constructor(
    private readonly binding: Binding,
    private readonly load: (graph: Graph) => number,
  ) {}

  of(graph: Graph): number {
    const session = this.#bySignature.get(graph.signature) ?? this.load(graph);
    // The last of the map is the one used last.
    this.#bySignature.delete(graph.signature);
    this.#bySignature.set(graph.signature, session);
    if (this.#bySignature.size > SESSIONS) this.#dropOldest();
    return session;
  }

  #dropOldest(): void {
    const [signature, session] = this.#bySignature.entries().next().value as [string, number];
    this.#bySignature.delete(signature);
    this.binding.deleteSavedModel(session);
  }
}

type Stock = Pick<DeferrableBackend, 'executeMultipleOutputs' | 'getInputTensorIds' | 'readSync'>;

/** Lets operations of a back end wait and run together. */
export class DeferredOperations {
  readonly #stock: Stock;
  readonly #binding: Binding;
  readonly #sessions: Sessions;
  #nextId = FIRST_AWAITED;
  /** Only while `run` is at work. */
  #pending: Pending | undefined;

  /**
   * Takes the place of the methods that every operation, read and disposal goes through.
   * @param load makes a session of a graph
   */
  constructor(
    private readonly backend: DeferrableBackend,
    load: (graph: Graph) => number,
  ) {
    this.#stock = {
      executeMultipleOutputs: backend.executeMultipleOutputs.bind(backend),
      getInputTensorIds: backend.getInputTensorIds.bind(backend),
      readSync: backend.readSync.bind(backend),
    };
    this.#binding = backend.binding;
    this.#sessions = new Sessions(backend.binding, load);
    Object.assign(backend, this.#replacements());
  }

  /** Runs `compute` with its operations put off; all tensors have values in the end. */
  run<T>(compute: () => T): T {
    if (this.#pending !== undefined) return compute();
    this.#pending = new Pending(this.#binding);
    try {
      return compute();
    } finally {
      try {
        this.#runPending();
      } finally {
        this.#pending = undefined;
      }
    }
  }

  #replacements(): Partial<DeferrableBackend> {
    const { backend } = this;
    return {
      executeMultipleOutputs: (name, attributes, inputs, outputs) =>
        this.#defer(name, attributes, inputs) ??
        this.#stock.executeMultipleOutputs(name, attributes, inputs, outputs),
      executeSingleOutput: (name, attributes, inputs) =>
        backend.executeMultipleOutputs(name, attributes, inputs, 1)[0] as Tensor,
      // Every operation that runs at once asks for these ids; what was asked for before it must have run.
      getInputTensorIds: (inputs) => {
        this.#runPending();
        return this.#stock.getInputTensorIds(inputs);
      },
      readSync: (dataId) => {
        if (backend.tensorMap.get(dataId).id <= FIRST_AWAITED) this.#runPending();
        return this.#stock.readSync(dataId);
      },
      binding: Object.create(this.#binding, {
        deleteTensor: { value: (id: number) => this.#release(id) },
      }) as Binding,
    };
  }

  /** Writes an operation down and returns its outputs; `undefined` where it has to run at once. */
  #defer(name: string, attributes: readonly OpAttribute[], inputs: Tensor[]): Tensor[] | undefined {
    const pending = this.#pending;
    const rule = outputRules.get(name);
    if (pending === undefined || rule === undefined) return undefined;
    const data = inputs.map(({ dataId }) => this.backend.tensorMap.get(dataId));
    const specs = rule(
      data.map((each) => this.#operand(each)),
      (wanted) => attributes.find((attribute) => attribute.name === wanted)?.value,
    );
    if (specs === undefined) return undefined;
    const places = inputs.map((input, i) => this.#placeOf(input, data[i] as TensorData, pending));
    const operation = pending.graph.addOperation({ name, attributes, inputs: places });
    return specs.map((spec, output) => {
      const tensor = this.backend.createOutputTensor({ ...spec, id: this.#nextId-- });
      const { dataId } = tensor;
      pending.await({
        dataId,
        data: this.backend.tensorMap.get(dataId),
        place: `${operation}:${output}`,
      });
      return tensor;
    });
  }

  #placeOf(input: Tensor, data: TensorData, pending: Pending): Place {
    const { values, dtype, shape } = data;
    if (values === null) return pending.placeOf(data);
    const packed = pending.numbers.add(values, dtype, shape.length);
    if (packed !== undefined) return packed;
    // The binding does not copy the arrays that tensors are made of, which the program may change before they are read.
    data.values = values.slice();
    this.#stock.getInputTensorIds([input]);
    return pending.placeOf(data);
  }

  #operand({ shape, dtype, values, id }: TensorData): Operand {
    const computed = (): TypedArray | undefined =>
      id <= FIRST_AWAITED ? undefined : this.#binding.tensorDataSync(id);
    return { shape, dtype, values: () => values ?? computed() };
  }

  #release(id: number): void {
    if (this.#pending?.reads(id)) this.#pending.released.push(id);
    else this.#binding.deleteTensor(id);
  }

  /** Gives the awaited tensors that somebody still holds their values. */
  #runPending(): void {
    if (this.#pending === undefined) return;
    const { graph, numbers, inputIds, awaited, released } = this.#pending;
    this.#pending = new Pending(this.#binding);
    try {
      const wanted = awaited.filter(({ dataId }) => this.backend.tensorMap.has(dataId));
      if (wanted.length === 0) return;
      const packed = numbers.finish();
      released.push(...packed);
      const ids = [...inputIds, ...packed];
      const inputs = ids.map((_, i) => `i${i}:0`);
      const outputs = wanted.map(({ place }) => place);
      const session = this.#sessions.of(graph);
      const results = this.#binding.runSavedModel(session, ids, inputs.join(), outputs.join());
      wanted.forEach(({ data }, i) => (data.id = (results[i] as { id: number }).id));
    } finally {
      for (const id of released) this.#binding.deleteTensor(id);
    }
  }
}
