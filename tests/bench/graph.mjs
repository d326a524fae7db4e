// npm run bench -- graph: forward and backward of `nano` on 16 × 128 tokens on TensorFlow, operation by operation as the back end runs them,
// and as a graph of the very same operations, in turn. The graph is recorded at the binding, written as a SavedModel, and run by
// tfjs-node with the inputs of that record: what the back end could gain at most, for it would still have to find its inputs. Writes data/results/bench-graph.json. Needs posttrain native.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tf from '@tensorflow/tfjs-core';
import { microStep } from '../../lib/dist/engine/micro-step.js';
import { createModel } from '../../lib/dist/model/index.js';
import { initBackend } from '../../lib/dist/tensor/index.js';
import { describeNative } from '../../lib/dist/tensor/native/load.node.js';
import { findNativePackages } from '../../lib/dist/tensor/native/place.node.js';
import { trainingData } from './our-model.mjs';
import { inTurn, median, report, table } from './report.mjs';
import { makeWork, VOCABULARY } from './work.mjs';

const ROUNDS = 7;
const TURN = { wakeUps: 1, inARow: 5 };
const BATCH = 16;
const LENGTH = 128;
/** Operations of this version of TensorFlow's graphs are understood. */
const PRODUCER = 1800;
/** Numbers that come from JavaScript are constants of the graph up to so many: shapes, axes, scalars. */
const LARGEST_CONSTANT = 8;

await initBackend({ backend: 'tensorflow' });
const { binding } = tf.backend();
const messages = createRequire(import.meta.url)(`${findNativePackages()[0]}/dist/proto/api_pb.js`);
const work = makeWork({ batch: BATCH, length: LENGTH });
const model = createModel(work.config, 1);
const data = trainingData(work);

/** Tensors of one step: what it reports, then the gradients. */
function step() {
  const { report: told, gradients } = microStep(model, data, { name: 'cross_entropy' }, 1);
  return [told, ...gradients.values()];
}

const handle = ({ dataId }) => tf.backend().tensorMap.get(dataId).id;

/** What one step asks the binding for. Nothing is freed meanwhile, so that no handle comes twice. */
function record() {
  const operations = [];
  const uploads = new Map();
  const recorder = {
    executeOp(name, attributes, inputs, count) {
      const outputs = binding.executeOp(name, attributes, inputs, count);
      operations.push({ name, attributes, inputs: [...inputs], outputs });
      return outputs;
    },
    createTensor(shape, dtype, values) {
      const id = binding.createTensor(shape, dtype, values);
      uploads.set(id, { shape, dtype, values: values.slice() });
      return id;
    },
    deleteTensor() {},
  };
  tf.backend().binding = new Proxy(recorder, {
    get: (own, key) =>
      own[key] ?? (typeof binding[key] === 'function' ? binding[key].bind(binding) : binding[key]),
  });
  try {
    return { results: step().map(handle), operations, uploads };
  } finally {
    tf.backend().binding = binding;
  }
}

function shapeMessage(shape) {
  const message = new messages.TensorShape();
  for (const size of shape) message.addDim(new messages.TensorShape.Dim([size]));
  return message;
}

function attribute(set) {
  const message = new messages.AttrValue();
  set(message);
  return message;
}

const typeAttribute = (dtype) => attribute((message) => message.setType(dtype));

function attributeMessage({ name, type, value }) {
  return attribute((message) => {
    if (type === binding.TF_ATTR_TYPE) message.setType(value);
    else if (type === binding.TF_ATTR_BOOL) message.setB(value);
    else if (type === binding.TF_ATTR_INT) message.setI(value);
    else throw new Error(`attribute ${name} is of type ${type}; teach this script how to write it`);
  });
}

function node(name, op, inputs, attributes) {
  const message = new messages.NodeDef();
  message.setName(name);
  message.setOp(op);
  message.setInputList(inputs);
  for (const [key, value] of Object.entries(attributes)) message.getAttrMap().set(key, value);
  return message;
}

function constantNode(name, { shape, dtype, values }) {
  const tensor = new messages.Tensor();
  tensor.setDtype(dtype);
  tensor.setTensorShape(shapeMessage(shape));
  if (dtype === binding.TF_INT32) tensor.setIntValList([...values]);
  else tensor.setFloatValList([...values]);
  return node(name, 'Const', [], {
    dtype: typeAttribute(dtype),
    value: attribute((message) => message.setTensor(tensor)),
  });
}

function inputNode(name, { shape, dtype }) {
  return node(name, 'Placeholder', [], {
    dtype: typeAttribute(dtype),
    shape: attribute((message) => message.setShape(shapeMessage(shape))),
  });
}

/** The record as a graph: weights and large uploads are inputs. */
function graphOf({ operations, uploads }) {
  const weights = new Map(
    [...model.weights.values()].map((weight) => [
      handle(weight),
      { shape: weight.shape, dtype: binding.TF_FLOAT },
    ]),
  );
  const graph = new messages.GraphDef();
  graph.setVersions(new messages.VersionDef([PRODUCER]));
  const names = new Map();
  const inputs = [];
  const bring = (id) => {
    const upload = uploads.get(id);
    const isConstant = upload && upload.values.length <= LARGEST_CONSTANT;
    const name = `${isConstant ? 'constant' : 'input'}${names.size}`;
    graph.addNode(isConstant ? constantNode(name, upload) : inputNode(name, upload ?? weights.get(id)));
    if (!isConstant) inputs.push(id);
    names.set(id, name);
  };
  for (const { name: op, attributes, inputs: taken, outputs } of operations) {
    for (const id of taken) if (!names.has(id)) bring(id);
    const name = `op${names.size}`;
    const given = Object.fromEntries(attributes.map((each) => [each.name, attributeMessage(each)]));
    // one by one, TensorFlow finds out for itself
    const inferred = op === 'ExpandDims' ? { T: typeAttribute(outputs[0].dtype) } : {};
    graph.addNode(node(name, op, taken.map((id) => names.get(id)), { ...inferred, ...given })); // prettier-ignore
    outputs.forEach(({ id }, index) => names.set(id, index === 0 ? name : `${name}:${index}`));
  }
  return { graph, names, inputs };
}

async function load(graph) {
  const about = new messages.MetaGraphDef.MetaInfoDef();
  about.addTags('serve');
  const metaGraph = new messages.MetaGraphDef();
  metaGraph.setMetaInfoDef(about);
  metaGraph.setGraphDef(graph);
  const savedModel = new messages.SavedModel();
  savedModel.setSavedModelSchemaVersion(1);
  savedModel.addMetaGraphs(metaGraph);
  const folder = await mkdtemp(join(tmpdir(), 'posttrain-bench-'));
  try {
    await writeFile(join(folder, 'saved_model.pb'), savedModel.serializeBinary());
    return binding.loadSavedModel(folder, 'serve');
  } finally {
    await rm(folder, { recursive: true });
  }
}

for (let i = 0; i < 3; i += 1) tf.dispose(step());
const recorded = record();
const { graph, names, inputs } = graphOf(recorded);
const session = await load(graph);
const place = (id) => (names.get(id).includes(':') ? names.get(id) : `${names.get(id)}:0`);
const inputPlaces = inputs.map(place).join();
const resultPlaces = recorded.results.map(place).join();

/** Values of the report and all gradients. */
function runGraph() {
  const results = binding.runSavedModel(session, inputs, inputPlaces, resultPlaces).map(({ id }) => id);
  const values = results.map((id) => binding.tensorDataSync(id));
  results.forEach((id) => binding.deleteTensor(id));
  return values;
}

function runOperations() {
  const tensors = step();
  const values = tensors.map((tensor) => tensor.dataSync());
  tf.dispose(tensors);
  return values;
}

const [byGraph, byOperations] = [runGraph(), runOperations()];
const largest = (values) => values.reduce((most, value) => Math.max(most, value), 0);
const difference = largest(
  byGraph.map((values, i) => largest(values.map((value, j) => Math.abs(value - byOperations[i][j])))),
);
if (!(difference < 1e-5)) throw new Error(`the graph computes something else: it is ${difference} away`);

const timed = (run) => () => {
  const start = performance.now();
  run();
  return performance.now() - start;
};
const times = await inTurn(
  { 'one by one': timed(runOperations), 'as a graph': timed(runGraph) },
  ROUNDS,
  TURN,
);
const rows = Object.entries(times).map(([name, taken]) => ({
  name,
  milliseconds: median(taken),
  fastestMilliseconds: Math.min(...taken),
}));
const [separate, whole] = rows;
await report(
  'graph',
  {
    what: `forward and backward of nano (vocabulary ${VOCABULARY}) on ${BATCH} × ${LENGTH} tokens: ${recorded.operations.length} operations of TensorFlow`,
    native: describeNative(),
    operations: recorded.operations.length,
    reshapes: recorded.operations.filter(({ name }) => name === 'Reshape').length,
    inputs: inputs.length,
    constants: graph.getNodeList().filter((each) => each.getOp() === 'Const').length,
    largestDifference: difference,
    timesFaster: separate.milliseconds / whole.milliseconds,
    rows,
  },
  `${table(
    ['', 'median', 'fastest'],
    rows.map(({ name, milliseconds, fastestMilliseconds }) => [
      name,
      `${milliseconds.toFixed(0)} ms`,
      `${fastestMilliseconds.toFixed(0)} ms`,
    ]),
  )}\n\nno value differs by more than ${difference.toExponential(1)}`,
);
