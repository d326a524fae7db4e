export {
  exactAssessment,
  learnedAssessment,
  situations as treasureSituations,
  treasureMap,
  treasureValueMap,
  type Assessment as TreasureAssessment,
  type Situation as TreasureSituation,
  type TreasureMap,
} from './treasure-map.js';
