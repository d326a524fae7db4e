/** What needs a file system: checkpoints, collected trajectories, whole runs. Published as `posttrain/node`. */
export { createPooledEngine, createPooledScalarEngine } from './engine/create.node.js';
export type { PooledEngineOptions } from './engine/pooled.js';
export { readCheckpoint, writeCheckpoint } from './engine/checkpoint.node.js';
export { fromPng, toPng, type Png, type PngOptions } from './formats/png.node.js';
export { loadAdapter, saveAdapter } from './model/adapter-checkpoint.node.js';
export { loadModel, saveModel, type Checkpoint } from './model/checkpoint.node.js';
export type { DownloadOptions, DownloadProgress } from './pretrained/download.node.js';
export { loadPretrained, type Pretrained } from './pretrained/load.node.js';
export { pretrain, type CurvePoint, type PretrainOptions } from './recipes/base/pretrain.node.js';
export { loadPolicy, type Policy } from './recipes/diagram/policy.node.js';
export { fileLedger, type BatchLedger, type BatchNote } from './remote/batch-ledger.node.js';
export { geminiBatchModel, type GeminiBatchOptions } from './remote/gemini-batch.node.js';
export { geminiModel, type GeminiOptions } from './remote/gemini.node.js';
export { judgeLog } from './rewards/judge-log.node.js';
export { collectToFile, readTrajectories } from './teachers/collect.node.js';
export { serveWorld, type EnvironmentServer, type ServeOptions } from './serve/server.node.js';
export { openWorld, type ServedTask, type World, type WorldName, type WorldOptions } from './serve/worlds.js';
