/**
 * Shapes, axes and scalars: half of what operations are given are a few numbers from JavaScript. A tensor for each costs more than what
 * is done with them, so they come to a graph in one vector a kind, which it takes apart.
 */
import type { Graph, Place } from './graph.js';

/** What this module needs of the binding. */
export interface NumbersBinding extends Readonly<
  Record<'TF_ATTR_INT' | 'TF_ATTR_TYPE' | 'TF_FLOAT' | 'TF_INT32', number>
> {
  createTensor(shape: readonly number[], dtype: number, values: Float32Array | Int32Array): number;
}

/** Scalars, or short vectors, of one type. */
interface Kind {
  readonly isScalar: boolean;
  readonly dtype: number;
  readonly numbers: number[];
  readonly lengths: number[];
}

/** Longer ones are tensors of their own. */
const LONGEST = 8;

/** The few numbers that a graph is given. */
export class PackedNumbers {
  /** By the name of the operation that takes them apart. */
  readonly #kinds = new Map<string, Kind>();

  constructor(
    private readonly graph: Graph,
    private readonly binding: NumbersBinding,
  ) {}

  /** Where the graph will find these numbers; `undefined` for what had better be a tensor of its own. */
  add(values: ArrayLike<number>, dtype: number, rank: number): Place | undefined {
    const { TF_FLOAT, TF_INT32 } = this.binding;
    if (rank > 1 || values.length > LONGEST || (dtype !== TF_FLOAT && dtype !== TF_INT32)) return undefined;
    const isScalar = rank === 0;
    const name = `${isScalar ? 'scalars' : 'vectors'}${dtype}`;
    const kind = this.#kinds.get(name) ?? { isScalar, dtype, numbers: [], lengths: [] };
    this.#kinds.set(name, kind);
    for (let i = 0; i < values.length; i++) kind.numbers.push(values[i] as number);
    return `${name}:${kind.lengths.push(values.length) - 1}`;
  }

  /** Puts what takes the vectors apart into the graph; returns the tensors that are its last inputs, which the caller deletes. */
  finish(): number[] {
    const kinds = [...this.#kinds].filter(([, { isScalar }]) => !isScalar);
    const ids = kinds.flatMap(([name, kind]) => this.#split(name, kind));
    // Afterwards, for a split brings a scalar of its own.
    const scalars = [...this.#kinds].filter(([, { isScalar }]) => isScalar);
    return [...ids, ...scalars.map(([name, kind]) => this.#unpack(name, kind))];
  }

  #split(name: string, { dtype, numbers, lengths }: Kind): number[] {
    const { TF_INT32, TF_ATTR_INT, TF_ATTR_TYPE } = this.binding;
    const along = this.add([0], TF_INT32, 0) as Place;
    this.graph.addOperation(
      {
        name: 'SplitV',
        attributes: [
          { name: 'num_split', type: TF_ATTR_INT, value: lengths.length },
          { name: 'T', type: TF_ATTR_TYPE, value: dtype },
          { name: 'Tlen', type: TF_ATTR_TYPE, value: TF_INT32 },
        ],
        inputs: [this.graph.addInput(dtype), this.graph.addInput(TF_INT32), along],
      },
      name,
    );
    return [this.#vector(numbers, dtype), this.#vector(lengths, TF_INT32)];
  }

  #unpack(name: string, { dtype, numbers }: Kind): number {
    const { TF_ATTR_INT, TF_ATTR_TYPE } = this.binding;
    this.graph.addOperation(
      {
        name: 'Unpack',
        attributes: [
          { name: 'num', type: TF_ATTR_INT, value: numbers.length },
          { name: 'axis', type: TF_ATTR_INT, value: 0 },
          { name: 'T', type: TF_ATTR_TYPE, value: dtype },
        ],
        inputs: [this.graph.addInput(dtype)],
      },
      name,
    );
    return this.#vector(numbers, dtype);
  }

  #vector(numbers: readonly number[], dtype: number): number {
    const values = dtype === this.binding.TF_INT32 ? Int32Array.from(numbers) : Float32Array.from(numbers);
    return this.binding.createTensor([numbers.length], dtype, values);
  }
}
