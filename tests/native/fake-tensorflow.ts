// TensorFlow's binding and tfjs-node's back end over it, as far as operations that wait have to do with them: a few operations on flat
// arrays, graphs that are run by interpretation, and a log of what was asked for.
import type { Tensor, TypedArray } from '@tensorflow/tfjs-core';
import type { DeferrableBackend } from '../../lib/src/tensor/native/deferred.js';
import type { Graph, OpAttribute } from '../../lib/src/tensor/native/graph.js';

interface Held {
  readonly shape: readonly number[];
  readonly values: readonly number[];
}
type Compute = (...inputs: Held[]) => Held[];

const FLOAT = 1;
const INT = 3;

const operations: Record<string, Compute> = {
  Add: (a, b) => [{ ...a, values: a.values.map((value, i) => value + (b.values[i] ?? b.values[0]!)) }],
  Square: (x) => [{ ...x, values: x.values.map((value) => value ** 2) }],
  Reshape: (x, shape) => [{ ...x, shape: shape!.values }],
  // no rule tells its output beforehand
  Reverse: (x) => [{ ...x, values: x.values.toReversed() }],
  Unpack: ({ values }) => values.map((value) => ({ shape: [], values: [value] })),
  SplitV: ({ values }, { values: sizes }) => {
    let end = 0;
    return sizes.map((size) => ({ shape: [size], values: values.slice(end, (end += size)) }));
  },
};

interface Data {
  shape: readonly number[];
  dtype: number;
  id: number;
  values: TypedArray | null;
}

/** What was asked of the binding so far. */
export interface Asked {
  readonly operations: string[];
  graphs: number;
  readonly loaded: Graph[];
  readonly dropped: number[];
}

export class FakeTensorFlow implements DeferrableBackend {
  readonly #data = new Map<object, Data>();
  readonly tensorMap = {
    get: (dataId: object): Data => this.#data.get(dataId) as Data,
    has: (dataId: object): boolean => this.#data.has(dataId),
  };
  readonly held = new Map<number, Held>();
  asked: Asked = { operations: [], graphs: 0, loaded: [], dropped: [] };
  readonly #graphs: Graph[] = [];
  #lastId = 0;

  load = (graph: Graph): number => {
    this.asked.loaded.push(graph);
    return this.#graphs.push(graph) - 1;
  };

  binding = {
    TF_ATTR_INT: 1,
    TF_ATTR_TYPE: 4,
    TF_FLOAT: FLOAT,
    TF_INT32: INT,
    // it does not copy what it is given
    createTensor: (shape: readonly number[], _dtype: number, values: TypedArray): number =>
      this.#hold({ shape, values: values as unknown as number[] }),
    executeOp: (name: string, ids: readonly number[]): { id: number; shape: readonly number[] } => {
      this.asked.operations.push(name);
      const [result] = this.#compute(
        name,
        ids.map((id) => this.#get(id)),
      ) as [Held];
      return { id: this.#hold(result), shape: result.shape };
    },
    tensorDataSync: (id: number): TypedArray => Float32Array.from(this.#get(id).values),
    deleteTensor: (id: number): void => {
      if (!this.held.delete(id)) throw new Error(`there is no tensor ${id} to delete`);
    },
    runSavedModel: (
      session: number,
      ids: readonly number[],
      places: string,
      results: string,
    ): { id: number }[] => {
      this.asked.graphs += 1;
      const { operations } = this.#graphs[session] as Graph;
      const found = new Map(places.split(',').map((place, i) => [place, this.#get(ids[i] as number)]));
      const find = (place: string): Held => {
        const [name, output] = place.split(':') as [string, string];
        const { name: operation, inputs } = operations.get(name)!;
        if (!found.has(place))
          this.#compute(
            operation,
            inputs.map((input) => found.get(input) ?? find(input)),
          ).forEach((result, i) => found.set(`${name}:${i}`, result));
        return found.get(`${name}:${output}`) as Held;
      };
      return results.split(',').map((place) => ({ id: this.#hold(find(place)) }));
    },
    deleteSavedModel: (session: number): void => void this.asked.dropped.push(session),
  };

  createOutputTensor({ shape, dtype, id }: { shape: readonly number[]; dtype: number; id: number }): Tensor {
    const dataId = {};
    this.#data.set(dataId, { shape, dtype, id, values: null });
    return { dataId, shape } as unknown as Tensor;
  }

  executeSingleOutput(name: string, _attributes: OpAttribute[], inputs: Tensor[]): Tensor {
    return this.executeMultipleOutputs(name, [], inputs)[0] as Tensor;
  }

  executeMultipleOutputs(name: string, _attributes: OpAttribute[], inputs: Tensor[]): Tensor[] {
    const result = this.binding.executeOp(name, this.getInputTensorIds(inputs));
    return [this.createOutputTensor({ ...result, dtype: FLOAT })];
  }

  getInputTensorIds(inputs: Tensor[]): number[] {
    return inputs.map(({ dataId }) => {
      const data = this.tensorMap.get(dataId);
      if (data.values !== null) data.id = this.binding.createTensor(data.shape, data.dtype, data.values);
      data.values = null;
      return data.id;
    });
  }

  readSync(dataId: object): TypedArray {
    const { values, id } = this.tensorMap.get(dataId);
    return values ?? this.binding.tensorDataSync(id);
  }

  /** What tfjs does when a program makes a tensor. */
  #make(shape: number[], dtype: number, values: TypedArray): Tensor {
    const dataId = {};
    this.#data.set(dataId, { shape, dtype, id: -1, values });
    return { dataId, shape } as unknown as Tensor;
  }

  scalar(value: number): Tensor {
    return this.#make([], FLOAT, Float32Array.of(value));
  }

  tensor(...values: number[]): Tensor {
    return this.#make([values.length], FLOAT, Float32Array.from(values));
  }

  integers(...values: number[]): Tensor {
    return this.#make([values.length], INT, Int32Array.from(values));
  }

  run(name: string, ...inputs: Tensor[]): Tensor {
    return this.executeSingleOutput(name, [], inputs);
  }

  read({ dataId }: Tensor): number[] {
    return [...this.readSync(dataId)];
  }

  dispose({ dataId }: Tensor): void {
    const { id } = this.tensorMap.get(dataId);
    if (id >= 0) this.binding.deleteTensor(id);
    this.#data.delete(dataId);
  }

  #compute(name: string, inputs: readonly Held[]): Held[] {
    const compute = operations[name];
    if (compute === undefined) throw new Error(`no operation ${name}`);
    return compute(...inputs);
  }

  #hold(tensor: Held): number {
    this.held.set(++this.#lastId, tensor);
    return this.#lastId;
  }

  #get(id: number): Held {
    const tensor = this.held.get(id);
    if (tensor === undefined) throw new Error(`there is no tensor ${id}`);
    return { ...tensor, values: [...tensor.values] };
  }
}
