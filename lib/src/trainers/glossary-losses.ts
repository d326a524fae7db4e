/** What trainers report of learning itself: from rows, from pairs, and with a critic. */
import type { MetricEntry } from './glossary-entry.js';

/** What every trainer reports. */
export const learning: readonly MetricEntry[] = [
  {
    key: 'loss',
    meaning: 'Value of the loss that was differentiated, over the whole batch.',
    healthy:
      'SFT: falls, fast at first. Policy gradients: near 0 throughout, exactly 0 on-policy with lossType grpo; only its gradient means something.',
    broken: 'SFT: flat (learning rate too low, or the mask trains nothing useful) or rising (too high).',
  },
  {
    key: 'grad_norm',
    meaning: 'Global norm of the gradient before it was clipped to maxGradNorm.',
    healthy: 'Steady, a little above or below maxGradNorm, with single spikes.',
    broken:
      'Exactly 0: no group carries signal. Ever larger: the run is about to diverge; lower learningRate.',
  },
  {
    key: 'learning_rate',
    meaning: 'Learning rate of the last update.',
    healthy: 'Rises over warmupSteps, then follows lrSchedulerType.',
    broken: '0 from the middle on: the schedule was made for fewer steps than are taken.',
  },
  {
    key: 'entropy',
    meaning:
      'Mean entropy in nats of the distributions that the trained tokens were predicted from, before the update.',
    healthy: 'SFT: falls. RL: falls slowly and levels off well above 0.',
    broken:
      'RL: near 0 within a few steps: the policy has collapsed, samples of a group are equal and nothing is left to compare. Rising without end: it is drifting into noise.',
  },
  {
    key: 'num_tokens',
    meaning:
      'Tokens read and sampled since the start of the run (TRL leaves out what an environment says between replies).',
    healthy: 'Grows steadily.',
    broken: 'Grows ever faster while rewards stand still: replies get longer for nothing.',
  },
  {
    key: 'epoch',
    meaning: 'Passes over the rows or tasks so far.',
    healthy: 'SFT: one to three. RL: any.',
    broken: 'SFT: many, with a loss near 0 here and a rising one on held-out rows: learned by heart.',
  },
  {
    key: 'step_skipped',
    meaning: '1 when the step changed no weight: loss or gradient was not finite, or no token was trained.',
    healthy: '0.',
    broken: '1 in a row: after three steps that are not finite the run stops with NonFiniteError.',
  },
  {
    key: 'nonfinite/<key>',
    meaning: '1 when the metric of that name was NaN or infinite in this step; its own key is then absent.',
    healthy: 'Absent.',
    broken: 'Present: look at step_skipped and grad_norm of the steps before.',
  },
];

/** What the trainers of rows report. */
export const imitation: readonly MetricEntry[] = [
  {
    key: 'mean_token_accuracy',
    meaning: 'Share of trained tokens that were the most probable one before the update.',
    healthy: 'Rises fast and levels off below 1: some tokens are free choices.',
    broken: '1 after few steps: the answer leaks into the prompt, or the rows repeat.',
  },
  {
    key: 'truncated_rows',
    meaning: 'Rows of the batch that were cut to maxLength.',
    healthy: '0.',
    broken: 'More: those rows teach never to stop; raise maxLength.',
  },
];

/** What the trainers of preferences report. */
export const preferences: readonly MetricEntry[] = [
  {
    key: 'rewards/chosen',
    meaning: 'beta times what the log-probability of preferred replies has gained on the reference, mean.',
    healthy: 'Above rewards/rejected. It may fall, too: only the difference is trained.',
    broken: 'Falling fast: replies that are in no pair gain what both lose; raise beta or add SFT.',
  },
  {
    key: 'rewards/rejected',
    meaning: 'The same of the other replies.',
    healthy: 'Falls.',
    broken: 'Rises with rewards/chosen: the pairs differ in too little.',
  },
  {
    key: 'rewards/margins',
    meaning: 'rewards/chosen − rewards/rejected.',
    healthy: 'Grows from 0 and levels off.',
    broken: 'Grows without end while held-out accuracy stands still: learned by heart; stop earlier.',
  },
  {
    key: 'rewards/accuracies',
    meaning: 'Share of pairs whose preferred reply has gained more than the other; ties count as wrong.',
    healthy: 'Exactly 0 in the first step, then well above a half.',
    broken:
      'Around a half: labels are noise, or learningRate is too low. 1 at once: the pairs give themselves away.',
  },
  {
    key: 'logps/chosen',
    meaning: 'Log-probability of a whole preferred reply, mean; in nats.',
    healthy: 'Steady or slowly falling.',
    broken: 'Plunging: the policy forgets how to write what is preferred.',
  },
  {
    key: 'logps/rejected',
    meaning: 'The same of the other replies.',
    healthy: 'Falls faster than logps/chosen.',
    broken: 'As high as before: nothing is learned.',
  },
];

/** What the trainer of reward models reports. */
export const rewardModelling: readonly MetricEntry[] = [
  {
    key: 'accuracy',
    meaning: 'Share of pairs whose preferred reply scores higher than the other; ties count as wrong.',
    healthy: 'Exactly 0 in the first step of a new head, then up to the share of labels that are right.',
    broken:
      'Around a half: labels are noise, or learningRate is too low. 1 with noisy labels: learned by heart.',
  },
  {
    key: 'margin',
    meaning: 'Mean difference between the scores of the preferred and the other reply.',
    healthy: 'Grows from 0 and levels off.',
    broken: 'Grows without end while held-out accuracy stands still: learned by heart; stop earlier.',
  },
  {
    key: 'min_reward',
    meaning: 'Lowest score in the batch.',
    healthy: 'A few units below mean_reward.',
    broken: 'Far below all others: the policy will find replies that the model has no idea of.',
  },
  {
    key: 'mean_reward',
    meaning: 'Mean score of all replies of the batch.',
    healthy: 'Near 0 with centerRewardsCoefficient; without, anywhere: only differences are learned.',
    broken: 'Drifting ever further: set centerRewardsCoefficient to 0.01.',
  },
  {
    key: 'max_reward',
    meaning: 'Highest score in the batch.',
    healthy: 'A few units above mean_reward.',
    broken: 'Far above all others: see min_reward.',
  },
];

/** What PPO reports: TRL's names, and verl's of the critic. */
export const actorCritic: readonly MetricEntry[] = [
  {
    key: 'objective/scores',
    meaning: 'Mean reward of the episodes, less the penalty for a missing end.',
    healthy: 'Climbs through the noise of single steps.',
    broken:
      'Climbing while what the reward stands for falls: the reward model is being exploited; raise klCoef.',
  },
  {
    key: 'objective/kl',
    meaning:
      'How far an episode is from the reference, in nats: the sum over its tokens, mean over episodes.',
    healthy: 'Grows from 0 and levels off. With k1 single steps may be below 0: it is an estimate.',
    broken:
      'Runs away: klCoef is too small or learningRate too high. Far below 0: sampler and trainer disagree.',
  },
  {
    key: 'objective/non_score_reward',
    meaning: 'What the distance from the reference cost an episode: −klCoef times objective/kl.',
    healthy: 'Small against objective/scores.',
    broken: 'As large as the scores: the policy is paid for staying where it is; lower klCoef.',
  },
  {
    key: 'objective/rlhf_reward',
    meaning: 'objective/scores + objective/non_score_reward: what is really maximised.',
    healthy: 'Climbs.',
    broken: 'Falls while the scores climb: each step gains less than it costs.',
  },
  {
    key: 'objective/entropy',
    meaning: 'Sum of −log π over the tokens of an episode, mean over episodes, in nats.',
    healthy: 'Falls slowly; grows with the length of the replies.',
    broken: 'Near 0: the policy has one answer left.',
  },
  {
    key: 'critic/vf_explained_var',
    meaning: 'Share of the variance of the returns that the critic foresaw before it was updated.',
    healthy: 'Exactly 0 in the first step of a new critic, then well above 0.',
    broken:
      'Below 0: the critic makes advantages noisier than none would; give it a higher learningRate, or time.',
  },
  {
    key: 'critic/grad_norm',
    meaning:
      'Global norm of the critic’s gradient, vfCoef included, before it was clipped; mean over updates.',
    healthy: 'Falls as the critic learns.',
    broken: 'Always far above maxGradNorm: rewards are on a large scale; set whitenRewards.',
  },
  {
    key: 'loss/policy_avg',
    meaning: 'Clipped policy loss, mean over the updates of the step.',
    healthy: 'A little below 0.',
    broken: 'Above 0: each batch is used too often or learningRate is too high.',
  },
  {
    key: 'loss/value_avg',
    meaning: 'Half the squared error of the critic, clipped, mean over the updates of the step.',
    healthy: 'Falls, then follows the spread of the returns.',
    broken: 'Ever larger: rewards grow faster than the critic may follow; raise cliprangeValue.',
  },
  {
    key: 'policy/approxkl_avg',
    meaning:
      'Half the mean squared log-ratio to the policy that sampled (k2), mean over the updates of the step.',
    healthy: 'Below 0.02.',
    broken: 'Above 0.1: too many epochs, or learningRate is too high.',
  },
  {
    key: 'policy/num_updates',
    meaning:
      'Updates of policy and critic that the step took, of numPpoEpochs × numMiniBatches; fewer where targetKl ended it.',
    healthy: 'All of them in most steps.',
    broken: 'Always 1 or 2 with targetKl: learningRate is too high for it, or take fewer numPpoEpochs.',
  },
  {
    key: 'policy/clipfrac_avg',
    meaning:
      'Share of sampled tokens whose gradient the clip range stopped, mean over the updates of the step.',
    healthy: 'A few percent.',
    broken: 'Above 0.3: most of the gradient is thrown away. Always 0: there is room for more epochs.',
  },
  {
    key: 'policy/entropy_avg',
    meaning: 'As entropy, mean over the updates of the step.',
    healthy: 'As entropy.',
    broken: 'Far below entropy: the policy narrows within a step; lower learningRate.',
  },
  {
    key: 'val/clipfrac_avg',
    meaning: 'Share of tokens at which cliprangeValue stopped the critic, mean over the updates of the step.',
    healthy: 'Below a half, less as the critic learns.',
    broken: 'Near 1: rewards are on a larger scale than cliprangeValue; raise it, or set whitenRewards.',
  },
  {
    key: 'val/ratio',
    meaning: 'Mean probability ratio of the sampled tokens to the policy that sampled them.',
    healthy: 'Within a percent of 1.',
    broken: 'Further away: the policy has left its samples behind.',
  },
  {
    key: 'val/ratio_var',
    meaning: 'Variance of that mean over the updates of the step.',
    healthy: 'Near 0.',
    broken: 'Growing: as val/ratio.',
  },
  {
    key: 'val/num_eos_tokens',
    meaning: 'Replies of the step that ended with their stop token.',
    healthy: 'As many as there are replies.',
    broken: 'Falling: the policy forgets to stop; set missingEosPenalty.',
  },
];
