/** What trainers of episodes report of samples, rewards and trust regions. */
import type { MetricEntry } from './glossary-entry.js';

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
  {
    key: 'sampling/importance_sampling_ratio/max',
    meaning:
      'Largest ratio of trainer’s to sampler’s probability of a whole sequence: small differences of its tokens, multiplied.',
    healthy: '1, to three digits.',
    broken: 'Above 3: long replies count for several; the sampler is another model, or another precision.',
  },
  {
    key: 'sampling/importance_sampling_ratio/mean',
    meaning:
      'Mean factor, after the cap, that corrects the advantages of tokens for a sampler elsewhere; only with vllmImportanceSamplingCorrection.',
    healthy: 'About 1.',
    broken:
      'Far below 1: most sequences are masked, and little is learned. Look for another temperature or template there.',
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
