export type { Exchange, Teacher, TeacherContext } from './teacher.js';
export { scriptedActions, scriptedTeacher, type ScriptedTeacherOptions } from './scripted.js';
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
  type ParsedRecords,
  type TrajectoryRecord,
} from './records.js';
export { layeredLayout, type LayoutGraph, type LayoutNode, type LayoutStyle } from './layout.js';
export type { LayoutGroup } from './groups.js';
