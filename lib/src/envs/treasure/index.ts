export {
  itemDescriptions as treasureItemDescriptions,
  items as treasureItems,
  roomDescriptions as treasureRoomDescriptions,
  rooms as treasureRooms,
  type Item as TreasureItem,
  type Place as TreasurePlace,
  type Room as TreasureRoom,
} from './world.js';
export {
  itemsAt as treasureItemsAt,
  treasureAgentKey,
  treasureStart,
  treasureStateKey,
  type TreasureState,
} from './state.js';
export { treasureActions } from './commands.js';
export { treasureRewards, treasureStep, type TreasureOutcome, type TreasureRules } from './rules.js';
export { treasureProcess } from './process.js';
export { treasureBagWorth, withoutPickUpPay } from './pick-ups.js';
export { treasureObservation } from './observation.js';
export {
  treasureEnvironment,
  TreasureEpisode,
  type TreasureEnvironment,
  type TreasureTask,
} from './environment.js';
