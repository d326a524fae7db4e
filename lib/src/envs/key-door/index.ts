export {
  keyDoorColours,
  keyDoorEnvironment,
  keyDoorPieces,
  keyDoorTasks,
  keyDoorTurns,
  type KeyDoorColour,
  type KeyDoorPlace,
  type KeyDoorReward,
  type KeyDoorTask,
} from './environment.js';
export { withHouseRules } from './house-rules.js';
