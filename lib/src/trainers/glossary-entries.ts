/** Every metric in three sentences: what it is, how it looks in a healthy run, and how when something is broken. */

export interface MetricEntry {
  /** As it stands in `metrics.jsonl`; `<name>` is filled in by the environment or the trainer. */
  readonly key: string;
  /** What it is, in one sentence. */
  readonly meaning: string;
  /** The range or course to expect. */
  readonly healthy: string;
  /** What it looks like when something is wrong, and what that is. */
  readonly broken: string;
}

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

/** What came of the episodes. */
export const rewards: readonly MetricEntry[] = [
  {
    key: 'reward',
    meaning: 'Mean reward of all episodes of the step that could be judged.',
    healthy: 'Climbs through the noise of single steps; look at a mean over eight of them.',
    broken:
      'Flat with grad_norm 0: no signal. Climbing while success falls: the reward is being hacked; read the completions.',
  },
  {
    key: 'reward_std',
    meaning:
      'Standard deviation of the rewards within a group, mean over groups (TRL: over all of the step).',
    healthy: 'Well above 0, falling slowly as the policy settles.',
    broken: 'Near 0: the samples of a task are alike, so there is nothing to choose between.',
  },
  {
    key: 'rewards/<name>/mean',
    meaning: 'Mean over episodes of a number the environment reports: a term of the reward, or success.',
    healthy: 'The terms climb together.',
    broken: 'One climbs while others fall: that term is paid too well.',
  },
  {
    key: 'rewards/<name>/std',
    meaning: 'Standard deviation of that number over all episodes of the step.',
    healthy: 'Above 0.',
    broken: '0: the term says the same of everything and teaches nothing.',
  },
  {
    key: 'frac_reward_zero_std',
    meaning: 'Share of groups whose rewards are all equal, so that they teach nothing.',
    healthy: 'Below a half.',
    broken: 'Near 1: tasks are too easy or too hard for the policy; see by_group.',
  },
  {
    key: 'by_group/frac_mixed',
    meaning: 'Share of groups with better and worse samples: the ones that teach.',
    healthy: 'Above a half.',
    broken: 'Near 0: change the tasks, raise the temperature or numGenerations.',
  },
  {
    key: 'by_group/frac_all_good',
    meaning: 'Share of groups whose rewards are equal and above 0.5.',
    healthy: 'Grows as the policy learns.',
    broken: 'Near 1: the tasks are solved; take harder ones.',
  },
  {
    key: 'by_group/frac_all_bad',
    meaning: 'Share of groups whose rewards are equal and at most 0.5.',
    healthy: 'Falls as the policy learns.',
    broken: 'Near 1: the tasks are beyond it; fine-tune (SFT) first, or take easier ones.',
  },
];

/** How rules were kept, in environments that have some. */
export const process: readonly MetricEntry[] = [
  {
    key: 'rlvp/violations_per_100_calls',
    meaning: 'Rules broken in 100 replies, whatever came of the episodes.',
    healthy: 'Falls while reward holds.',
    broken: 'Flat while reward climbs: only outcomes are learned from; take the preset rlvp.',
  },
  {
    key: 'rlvp/clean',
    meaning: 'Share of episodes that broke no rule.',
    healthy: 'Rises towards 1.',
    broken: 'Rises while reward falls: it has learned to do nothing; raise processCredit or lower lambda.',
  },
];

/** How the episodes ended, and who agrees on their probabilities. */
export const sampling: readonly MetricEntry[] = [
  {
    key: 'completions/mean_length',
    meaning: 'Mean number of tokens the policy sampled in an episode.',
    healthy: 'Steady, or drifting with the reward.',
    broken: 'Runs off to maxCompletionLength or to 1: length is being rewarded.',
  },
  {
    key: 'completions/min_length',
    meaning: 'Fewest tokens sampled in an episode.',
    healthy: 'A short but whole answer.',
    broken: '0 or 1: some replies are empty.',
  },
  {
    key: 'completions/max_length',
    meaning: 'Most tokens sampled in an episode.',
    healthy: 'Below maxCompletionLength.',
    broken: 'Always maxCompletionLength: see completions/clipped_ratio.',
  },
  {
    key: 'completions/mean_terminated_length',
    meaning: 'As mean_length, over the episodes that ended by themselves.',
    healthy: 'Near mean_length.',
    broken: 'Far below it: the rest are cut.',
  },
  {
    key: 'completions/min_terminated_length',
    meaning: 'As min_length, over the episodes that ended by themselves.',
    healthy: 'A short but whole answer.',
    broken: '1: stopping at once is being rewarded.',
  },
  {
    key: 'completions/max_terminated_length',
    meaning: 'As max_length, over the episodes that ended by themselves.',
    healthy: 'Below maxCompletionLength.',
    broken: 'Close to it: others will be cut; raise maxCompletionLength.',
  },
  {
    key: 'completions/clipped_ratio',
    meaning: 'Share of episodes that ran out of tokens.',
    healthy: 'Below a tenth.',
    broken:
      'Higher: cut replies get unfair rewards; raise maxCompletionLength, or fine-tune until the policy stops.',
  },
  {
    key: 'stop/<name>',
    meaning: 'Share of episodes that ended for this reason.',
    healthy: 'Mostly the environment’s own end.',
    broken: 'Mostly running out of tokens or turns.',
  },
  {
    key: 'empty_rollouts',
    meaning: 'Episodes in which nothing was sampled, because their prompt filled the context.',
    healthy: '0.',
    broken: 'More: prompts are too long for the model.',
  },
  {
    key: 'num_splits',
    meaning:
      'Times an episode became one more training sequence, because a later prompt did not repeat the earlier tokens.',
    healthy: '0.',
    broken: 'As many as turns: the chat template rewrites what was said before.',
  },
  {
    key: 'num_samples',
    meaning: 'Episodes sampled since the start of the run.',
    healthy: 'Grows by promptsPerStep × numGenerations a step.',
    broken: 'Grows faster: groups without signal are being replaced; see resample_rounds.',
  },
  {
    key: 'resample_rounds',
    meaning: "Rounds of sampling until every group carried signal (filterZeroStdGroups: 'resample').",
    healthy: '1 or 2.',
    broken: 'maxResampleRounds: the tasks do not suit the policy.',
  },
  {
    key: 'sampling/sampling_logp_difference/mean',
    meaning:
      'Mean difference between the log-probabilities that sampler and trainer computed for the same tokens.',
    healthy: 'Below 1e-5: one model, one precision.',
    broken: 'Above 0.01: training is off-policy without knowing it.',
  },
  {
    key: 'sampling/sampling_logp_difference/max',
    meaning: 'Largest such difference.',
    healthy: 'Below logprobTolerance.',
    broken: 'Above it the first step throws LogprobMismatchError.',
  },
];

/** How far the policy has gone. */
export const trustRegion: readonly MetricEntry[] = [
  {
    key: 'kl',
    meaning:
      'How far the policy is, in nats: from the reference, a token, by k3 (GRPO with beta > 0) or a whole reply to another prompt (KTO); from the teacher, a token (distillation).',
    healthy:
      'From a reference: grows from 0 and levels off. From a teacher: falls towards 0, single steps below it.',
    broken:
      'From a reference: runs away (beta too small or learningRate too high), or stays 0 (beta too large). From a teacher: levels off far above 0 (the student never samples what the teacher would).',
  },
  {
    key: 'kl_clamped_frac',
    meaning: 'Share of tokens so far from the reference that their k3 was clamped.',
    healthy: '0.',
    broken: 'Above 0: the policy has left the reference behind.',
  },
  {
    key: 'clip_ratio/low_mean',
    meaning: 'Share of trained tokens clipped below (advantage < 0), mean over the updates of the step.',
    healthy: '0 with one update a step; a few percent with more.',
    broken: 'Above 0.2: each batch is used too often or learningRate is too high.',
  },
  {
    key: 'clip_ratio/low_min',
    meaning: 'Smallest such share of an update.',
    healthy: '0: the first update of a step is on-policy.',
    broken: 'Above 0: samples were stale before the first update.',
  },
  {
    key: 'clip_ratio/high_mean',
    meaning: 'Share of trained tokens clipped above (advantage > 0), mean over the updates of the step.',
    healthy: '0 with one update a step; a few percent with more.',
    broken: 'Above 0.2: as low_mean; if entropy falls too, raise epsilonHigh.',
  },
  {
    key: 'clip_ratio/high_max',
    meaning: 'Largest such share of an update.',
    healthy: 'A few percent.',
    broken: 'Above 0.3: the last updates of a step push against the clip; lower numIterations.',
  },
  {
    key: 'clip_ratio/region_mean',
    meaning: 'Share of trained tokens clipped on either side.',
    healthy: 'A few percent.',
    broken: 'Above 0.3: most of the gradient is thrown away.',
  },
  {
    key: 'cispo_clip_ratio',
    meaning: 'Share of trained tokens whose importance weight CISPO clipped; they still have a gradient.',
    healthy: 'A few percent.',
    broken: 'Above 0.3: the policy moves too far within a step.',
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

/** What rejection sampling reports. */
export const selection: readonly MetricEntry[] = [
  {
    key: 'num_kept',
    meaning: 'Distinct samples of the round that were good enough to learn.',
    healthy: 'Grows from round to round.',
    broken: '0: nothing is learned; lower rewardThreshold or take easier tasks.',
  },
  {
    key: 'num_duplicates',
    meaning: 'Good samples that were left out because the same one was kept already.',
    healthy: 'A part of num_kept.',
    broken: 'Most of them: the policy knows one answer; raise the temperature.',
  },
  {
    key: 'frac_tasks_kept',
    meaning: 'Share of tasks with a kept sample.',
    healthy: 'Grows.',
    broken: 'Stands still while num_kept grows: only the easy tasks are learned, again and again.',
  },
];
