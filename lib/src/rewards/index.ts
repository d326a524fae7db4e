export { formulas, type RewardPreset } from './presets.js';
export { valueOf, type Formula } from './formula.js';
export { rewardPresets, scoreDiagram, scorerOf, scoreTerms } from './score.js';
export { similarity } from './similarity.js';
export { feedbackArrows } from './layout.js';
export { verifyDiagram, type Verdict } from './verifier.js';
export { drawAttacks, formatAttacks, nearMisses, type Attack } from './attacks.js';
export { editAttacks } from './edit-attacks.js';
export { faults, variations, type Perturbation } from './perturbations.js';
export {
  attackTrials,
  perturbationTrials,
  play,
  type AnsweredTask,
  type AttackKind,
  type AttackTrial,
  type Judgement,
  type Rewards,
} from './trials.js';
export {
  auditReward,
  mostShare,
  objections,
  type Agreement,
  type AttackSummary,
  type Earnings,
  type RewardAudit,
} from './audit.js';
export { softOverlongPunishment } from './overlong.js';
export { repetitionPenalty } from './repetition.js';
export {
  modelJudge,
  type BinaryJudge,
  type JudgeQuestion,
  type JudgeRecord,
  type ModelJudgeOptions,
} from './judge.js';
