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
