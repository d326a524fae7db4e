export { formulas, type RewardPreset } from './presets.js';
export { valueOf, type Formula } from './formula.js';
export { rewardPresets, scoreDiagram, scorerOf, scoreTerms } from './score.js';
export { similarity } from './similarity.js';
export { feedbackArrows } from './layout.js';
export { verifyDiagram, type Verdict } from './verifier.js';
