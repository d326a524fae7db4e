export type { Exchange, ModelCall, Teacher, TeacherAnswer, TeacherContext } from './teacher.js';
export { diagramTeacher, modelTeacher, type ModelTeacherOptions } from './model-teacher.js';
export { diagramReplies, type ReplyFormat } from './reply-format.js';
export { scriptedActions, scriptedTeacher, type ScriptedTeacherOptions } from './scripted.js';
export { noisyTeacher, type NoisyTeacherOptions } from './noisy.js';
export {
  collect,
  type CollectOptions,
  type CollectProgress,
  type Keep,
  type TeacherShare,
} from './collect.js';
export {
  parseRecords,
  recordKey,
  serializeRecord,
  usageOf,
  type ParsedRecords,
  type TrajectoryRecord,
} from './records.js';
export { layeredLayout, type LayoutGraph, type LayoutNode, type LayoutStyle } from './layout.js';
export type { LayoutGroup } from './groups.js';
