/** Operations of TensorFlow that run together. */

/** As the binding takes it. */
export interface OpAttribute {
  readonly name: string;
  readonly type: number;
  readonly value: boolean | number;
}

/** Names a value by its operation or input and the number of the output there: `o7:1` is the second output of `o7`. */
export type Place = string;

export interface GraphOperation {
  readonly name: string;
  readonly attributes: readonly OpAttribute[];
  readonly inputs: readonly Place[];
}

/** Operations, and the element types of what they start from; sizes are open. */
export class Graph {
  readonly inputTypes: number[] = [];
  /** By name. */
  readonly operations: Map<string, GraphOperation> = new Map();
  #signature = '';

  /** What two graphs have in common that compute the same from the same inputs. */
  get signature(): string {
    return this.#signature;
  }

  addInput(dtype: number): Place {
    this.#signature += `${dtype};`;
    return `i${this.inputTypes.push(dtype) - 1}:0`;
  }

  /** @returns its name */
  addOperation(operation: GraphOperation, name = `o${this.operations.size}`): string {
    const given = operation.attributes.map(({ name, value }) => `${name}=${value}`).join();
    this.#signature += `${name} ${operation.name} ${given} ${operation.inputs.join()};`;
    this.operations.set(name, operation);
    return name;
  }
}
