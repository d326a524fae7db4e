export * from './types.js';
export {
  FONT_SIZE,
  LABEL_PADDING,
  LINE_HEIGHT,
  innerArea,
  isVisible,
  labelFits,
  labelLines,
  lineWidth,
  textSize,
  wrapLabel,
  type Size,
} from './text-metrics.js';
export {
  CONTAINMENT_MARGIN,
  area,
  borderPoint,
  boxAround,
  center,
  chord,
  contains,
  diagonal,
  gap,
  overlapArea,
  passesThrough,
  pointAt,
  segmentLength,
  segmentsCross,
  type Box,
  type Point,
  type Segment,
} from './geometry.js';
export { readCanvas, type ReadShape, type Role } from './hierarchy.js';
export { arrowsCross, drawEdges, runsThrough, type DrawnEdge, type Route } from './routes.js';
export {
  MAX_ACTIONS,
  MIN_SIZE,
  applyAction,
  applyActions,
  defaultRules,
  edgeName,
  emptyCanvas,
  emptyLog,
  recordParseError,
  type Applied,
  type Outcome,
} from './canvas.js';
export { actionTypes, drawActionTypes, replySchema, replySchemaOf, type ActionType } from './actions.js';
export { MAX_DEPTH, MAX_REPLY_BYTES, parseActions, type ParsedReply } from './parse.js';
export { actionPieces, serializeActions } from './codec.js';
export { isLabelClear, lint } from './lint.js';
export { describeProblem, observationPieces, observe, type ObservationParts } from './observation.js';
export { DiagramEpisode, stepLimit } from './episode.js';
export {
  diagramEnvironment,
  type DiagramEnvironment,
  type DiagramEnvironmentOptions,
} from './environment.js';
export { renderSvg } from './svg.js';
