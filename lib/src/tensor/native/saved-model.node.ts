/** Writes a graph as one of TensorFlow's SavedModels, the only form in which its binding takes one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Graph, GraphOperation, OpAttribute } from './graph.js';

interface AttrValue {
  setB(value: boolean): void;
  setI(value: number): void;
  setType(dtype: number): void;
}

interface NodeDef {
  setName(name: string): void;
  setOp(operation: string): void;
  setInputList(places: readonly string[]): void;
  getAttrMap(): { set(name: string, value: AttrValue): void };
}

interface GraphDef {
  addNode(node: NodeDef): void;
  setVersions(versions: object): void;
}

interface MetaInfoDef {
  addTags(tag: string): void;
}

interface MetaGraphDef {
  setMetaInfoDef(about: MetaInfoDef): void;
  setGraphDef(graph: GraphDef): void;
}

interface SavedModel {
  setSavedModelSchemaVersion(version: number): void;
  addMetaGraphs(metaGraph: MetaGraphDef): void;
  serializeBinary(): Uint8Array;
}

/** TensorFlow's protocol buffers, which come with the binding, as far as they are used here. */
interface Messages {
  readonly AttrValue: new () => AttrValue;
  readonly NodeDef: new () => NodeDef;
  readonly GraphDef: new () => GraphDef;
  readonly VersionDef: new (fields: [producer: number]) => object;
  readonly MetaGraphDef: (new () => MetaGraphDef) & { readonly MetaInfoDef: new () => MetaInfoDef };
  readonly SavedModel: new () => SavedModel;
}

/** What this module needs of the binding. */
export interface GraphBinding extends Readonly<
  Record<'TF_ATTR_BOOL' | 'TF_ATTR_INT' | 'TF_ATTR_TYPE', number>
> {
  loadSavedModel(folder: string, tags: string): number;
}

/** Operations mean what they meant in graphs of this version, of 2022: TensorFlow 2.9 knows it as well as today's. */
const PRODUCER = 1000;
const TAG = 'serve';

/** Loads graphs into a binding; returns the number of the session that runs them. */
export class GraphLoader {
  readonly #messages: Messages;

  /** @param packageFolder where the binding's package lies */
  constructor(
    packageFolder: string,
    private readonly binding: GraphBinding,
  ) {
    this.#messages = createRequire(import.meta.url)(join(packageFolder, 'dist/proto/api_pb.js')) as Messages;
  }

  load(graph: Graph): number {
    const folder = temporaryFolder();
    try {
      writeFileSync(join(folder, 'saved_model.pb'), this.#savedModel(graph).serializeBinary());
      return this.binding.loadSavedModel(folder, TAG);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }

  #savedModel(graph: Graph): SavedModel {
    const about = new this.#messages.MetaGraphDef.MetaInfoDef();
    about.addTags(TAG);
    const metaGraph = new this.#messages.MetaGraphDef();
    metaGraph.setMetaInfoDef(about);
    metaGraph.setGraphDef(this.#graphDef(graph));
    const savedModel = new this.#messages.SavedModel();
    savedModel.setSavedModelSchemaVersion(1);
    savedModel.addMetaGraphs(metaGraph);
    return savedModel;
  }

  #graphDef({ inputTypes, operations }: Graph): GraphDef {
    const graph = new this.#messages.GraphDef();
    graph.setVersions(new this.#messages.VersionDef([PRODUCER]));
    inputTypes.forEach((value, i) => {
      const dtype = { name: 'dtype', type: this.binding.TF_ATTR_TYPE, value };
      graph.addNode(this.#node(`i${i}`, { name: 'Placeholder', attributes: [dtype], inputs: [] }));
    });
    for (const [name, operation] of operations) graph.addNode(this.#node(name, operation));
    return graph;
  }

  #node(nodeName: string, { name, attributes, inputs }: GraphOperation): NodeDef {
    const node = new this.#messages.NodeDef();
    node.setName(nodeName);
    node.setOp(name);
    node.setInputList(inputs);
    for (const attribute of attributes) node.getAttrMap().set(attribute.name, this.#value(attribute));
    return node;
  }

  #value({ name, type, value }: OpAttribute): AttrValue {
    const { TF_ATTR_BOOL, TF_ATTR_INT, TF_ATTR_TYPE } = this.binding;
    const message = new this.#messages.AttrValue();
    if (type === TF_ATTR_TYPE) message.setType(value as number);
    else if (type === TF_ATTR_BOOL) message.setB(value as boolean);
    else if (type === TF_ATTR_INT) message.setI(value as number);
    else throw new Error(`attribute ${name} is of type ${type}, which graphs are not written with`);
    return message;
  }
}

function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'posttrain-graph-'));
  } catch (error) {
    throw new Error(
      `TensorFlow takes graphs from files alone, and none can be written to ${tmpdir()} (${(error as Error).message}). Point TMPDIR to a folder where they can.`,
      { cause: error },
    );
  }
}
