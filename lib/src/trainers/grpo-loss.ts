import type { PolicyLossSpec } from '../losses/index.js';
import type { GRPOConfig } from './grpo-config.js';

/** The loss a config asks for. */
export function grpoLoss(config: GRPOConfig): PolicyLossSpec {
  const { lossType, importanceSamplingLevel, epsilon, delta, beta } = config;
  const epsilonHigh = config.epsilonHigh ?? epsilon;
  if (lossType === 'cispo') return { name: 'cispo', maxRatio: epsilonHigh, beta };
  const name = importanceSamplingLevel === 'sequence' ? 'sequence_ratio' : 'policy_gradient';
  return { name, epsilon, epsilonHigh, delta, beta };
}
