/** Operations of TensorFlow that run together. */

/** As the binding takes it. */
export interface OpAttribute {
  readonly name: string;
  readonly type: number;
  readonly value: boolean | number;
}

/** Names a value: `i3:0` is the input 3 of the graph, `o7:1` the second output of operation 7. */
export type Place = string;

export interface GraphOperation {
  readonly name: string;
  readonly attributes: readonly OpAttribute[];
  readonly inputs: readonly Place[];
}

/** Operations in an order in which they can run, and the element types of what they start from; sizes are open. */
export class Graph {
  readonly inputTypes: number[] = [];
  readonly operations: GraphOperation[] = [];
  #signature = '';

  /** What two graphs have in common that compute the same from the same inputs. */
  get signature(): string {
    return this.#signature;
  }

  addInput(dtype: number): Place {
    this.#signature += `${dtype};`;
    return `i${this.inputTypes.push(dtype) - 1}:0`;
  }

  /** @returns where its outputs are found */
  addOperation(operation: GraphOperation, outputs: number): Place[] {
    const given = operation.attributes.map(({ name, value }) => `${name}=${value}`).join();
    this.#signature += `${operation.name} ${given} ${operation.inputs.join()};`;
    const position = this.operations.push(operation) - 1;
    return Array.from({ length: outputs }, (_, output) => `o${position}:${output}`);
  }
}
