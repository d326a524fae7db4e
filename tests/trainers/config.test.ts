import { describe, expect, it } from 'vitest';
import {
  ConfigError,
  defineDistillationConfig,
  defineGKDConfig,
  defineDPOConfig,
  defineGRPOConfig,
  defineKTOConfig,
  definePPOConfig,
  defineRewardConfig,
  defineRFTConfig,
  defineSFTConfig,
  grpoPresets,
} from 'posttrain/trainers';

describe('GRPOConfig', () => {
  it('is complete, frozen and printable', () => {
    const config = defineGRPOConfig({ beta: 0.02, numGenerations: 4 });
    expect(config).toMatchObject({
      beta: 0.02,
      numGenerations: 4,
      lossType: 'dapo',
      scaleRewards: 'group',
      epsilon: 0.2,
    });
    expect(Object.isFrozen(config)).toBe(true);
    expect(JSON.parse(JSON.stringify(config))).toEqual(config);
    expect(defineGRPOConfig(config)).toEqual(config);
  });

  it.each<[string, object, RegExp]>([
    [
      'an unknown key, with those that exist',
      { numGeneration: 4 },
      /no key `numGeneration`. Allowed keys: .*numGenerations/,
    ],
    [
      'Python’s spelling',
      { num_generations: 4 },
      /no key `num_generations`. Did you mean `numGenerations`\?/,
    ],
    ['Python’s spelling of what is advised against', { top_k: 50 }, /no key `top_k`. Training samples/],
    ['a group of one, with the way out', { numGenerations: 1 }, /REINFORCE with a batch baseline/],
    [
      'a correction that does not exist',
      { vllmImportanceSamplingMode: 'token' },
      /expected one of token_truncate, token_mask/,
    ],
    ['a correction of everything', { vllmImportanceSamplingCap: 0.5 }, /Cap is 0.5, expected a number ≥ 1/],
    ['a filter that breaks on-policy', { topK: 50 }, /whole distribution/],
    ['another library’s batch arithmetic', { perDeviceTrainBatchSize: 8 }, /Use `promptsPerStep`/],
    ['a number that is a text', { beta: '0.1' }, /beta is "0.1", expected a number/],
    ['a loss that does not exist', { lossType: 'ppo' }, /expected one of grpo, bnpo, dr_grpo, dapo/],
    ['a cap below the clip', { epsilonHigh: 0.28, delta: 1.2 }, /must exceed 1 \+ epsilonHigh = 1.28/],
    ['rounds without resampling', { maxResampleRounds: 3 }, /nothing is ever resampled/],
    [
      'a baseline that does not exist',
      { baseline: 'mean' },
      /expected one of group, leave_one_out, batch, none/,
    ],
    [
      'a group of one that leaves itself out',
      { baseline: 'leave_one_out', numGenerations: 1 },
      /preset `reinforce`/,
    ],
    [
      'a batch of one',
      { baseline: 'batch', scaleRewards: 'none', numGenerations: 1, promptsPerStep: 1 },
      /Take more of either/,
    ],
    ['a deviation that a baseline does not see', { baseline: 'batch' }, /Set scaleRewards to batch or none/],
    ['a scaled leave-one-out', { baseline: 'leave_one_out', scaleRewards: true }, /Set scaleRewards to none/],
    [
      'a filter of groups that teach',
      { baseline: 'none', scaleRewards: 'none', filterZeroStdGroups: true },
      /with baseline 'none' they teach too/,
    ],
    [
      'a punishment longer than a reply',
      { softPunishCache: 8, maxCompletionLength: 8 },
      /below maxCompletionLength = 8/,
    ],
    [
      'an optimizer that does not exist',
      { optim: 'adamw_torch' },
      /optim is adamw_torch, expected adamw or muon/,
    ],
    ['a rule of Muon for AdamW', { adjustLrFn: 'original' }, /Set optim to muon, or leave adjustLrFn out/],
    [
      'a comparison of tokens',
      { advantageLevel: 'token' },
      /advantageLevel is token, expected episode or turn/,
    ],
    ['a discount that nothing reads', { gamma: 0.5 }, /Set advantageLevel to turn, or leave it out/],
    [
      'a growing future',
      { advantageLevel: 'turn', gamma: 1.1 },
      /gamma is 1.1, expected a number from 0 to 1/,
    ],
    [
      'turns against the batch',
      { advantageLevel: 'turn', scaleRewards: 'batch' },
      /expected baseline group and scaleRewards group or none/,
    ],
    [
      'two ways to the advantages of turns',
      { ...grpoPresets.rlvp, advantageLevel: 'turn' },
      /Set advantageLevel to episode, or channels to outcome/,
    ],
    [
      'a filter of turns that teach',
      { advantageLevel: 'turn', filterZeroStdGroups: true },
      /their turns teach too/,
    ],
    ['a level that does not exist', { importanceSamplingLevel: 'turn' }, /expected token or sequence/],
    ['CISPO without its cap', { lossType: 'cispo' }, /epsilonHigh is null, .* the cap of the ratio itself/],
    ['a clip range as the cap of CISPO', { lossType: 'cispo', epsilonHigh: 0.28 }, /1 or more, e.g. 5/],
    ['CISPO with a lower clip', { lossType: 'cispo', epsilonHigh: 5, epsilon: 0.1 }, /has no lower clip/],
    [
      'CISPO with two caps',
      { lossType: 'cispo', epsilonHigh: 5, delta: 7 },
      /caps the ratio at epsilonHigh already/,
    ],
    [
      'CISPO of sequences',
      { lossType: 'cispo', epsilonHigh: 5, importanceSamplingLevel: 'sequence' },
      /Set importanceSamplingLevel to token/,
    ],
    ['greedy training samples', { temperature: 0 }, /does not explore/],
    ['NaN', { learningRate: NaN }, /learningRate is NaN/],
    ['a fraction of a prompt', { promptsPerStep: 1.5 }, /promptsPerStep is 1.5, expected an integer ≥ 1/],
    ['another scheduler', { lrSchedulerType: 'linear' }, /expected constant or cosine/],
    ['another filter', { filterZeroStdGroups: 'yes' }, /expected true, false or resample/],
    ['another scale', { scaleRewards: 'std' }, /expected group, batch, none/],
  ])('refuses %s', (_, given, message) => {
    expect(() => defineGRPOConfig(given)).toThrow(ConfigError);
    expect(() => defineGRPOConfig(given)).toThrow(message);
  });

  it('uses the words of TRL', () => {
    // What TRL's GRPOConfig (1.10) calls the same thing; the rest is ours or PyTorch's, with the reason.
    const trl = [
      'num_generations',
      'max_completion_length',
      'temperature',
      'shuffle_dataset',
      'seed',
      'max_steps',
      'scale_rewards',
      'mask_truncated_completions',
      'loss_type',
      'num_iterations',
      'importance_sampling_level',
      'epsilon',
      'epsilon_high',
      'delta',
      'beta',
      'vllm_importance_sampling_correction',
      'vllm_importance_sampling_mode',
      'vllm_importance_sampling_cap',
      'learning_rate',
      'lr_scheduler_type',
      'optim',
      'warmup_steps',
      'weight_decay',
      'max_grad_norm',
      'adam_beta1',
      'adam_beta2',
      'adam_epsilon',
    ];
    const ours = {
      prompts_per_step: 'one batch noun',
      max_turns: 'episodes',
      advantage_level: 'turns, in the manner of importance_sampling_level',
      gamma: 'returns of turns, as in TRL’s PPOConfig',
      channels: 'process rewards',
      lambda: 'process rewards',
      process_credit: 'process rewards',
      adjust_lr_fn: 'an argument of torch.optim.Muon',
      baseline: 'one trainer for several algorithms',
      soft_punish_cache: 'an argument of get_soft_overlong_punishment',
      zero_std_threshold: 'constant groups are exactly zero',
      filter_zero_std_groups: 'dynamic sampling',
      max_resample_rounds: 'dynamic sampling',
      max_clipped_ratio: 'preflight',
      logprob_tolerance: 'preflight',
    };
    expect(Object.keys(defineGRPOConfig()).map(snake).sort()).toEqual([...trl, ...Object.keys(ours)].sort());
  });
});

const snake = (key: string): string => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

describe('keys in Python’s spelling', () => {
  it.each<[string, (given?: object) => object]>([
    ['GRPO', defineGRPOConfig],
    ['PPO', definePPOConfig],
    ['DPO', defineDPOConfig],
    ['KTO', defineKTOConfig],
    ['SFT', defineSFTConfig],
    ['RFT', defineRFTConfig],
    ['reward', defineRewardConfig],
    ['GKD', defineGKDConfig],
    ['distillation', defineDistillationConfig],
  ])('are recognised, all of them: %s', (_, define) => {
    const keys = Object.keys(define()).filter((key) => snake(key) !== key);
    expect(keys.length).toBeGreaterThan(10);
    for (const key of keys)
      expect(() => define({ [snake(key)]: 1 })).toThrow(`no key \`${snake(key)}\`. Did you mean \`${key}\`?`);
  });
});

describe('SFTConfig', () => {
  it('is complete and frozen', () => {
    const config = defineSFTConfig({ maxSteps: 10 });
    expect(config).toMatchObject({ maxSteps: 10, completionOnlyLoss: true, maxLength: 1024 });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it.each<[string, object, RegExp]>([
    ['an unknown key', { lr: 1 }, /no key `lr`. Allowed keys: batchSize, /],
    ['packing', { packing: true }, /packTokens/],
    ['two lengths of training', { maxSteps: 10, numTrainEpochs: 2 }, /give one/],
    ['an empty batch', { batchSize: 0 }, /batchSize is 0/],
  ])('refuses %s', (_, given, message) => {
    expect(() => defineSFTConfig(given)).toThrow(message);
  });
});

describe('the other configs', () => {
  it('are complete, frozen and printable', () => {
    const configs = [
      defineDPOConfig({ lossType: 'ipo' }),
      defineKTOConfig({ desirableWeight: 4 }),
      defineRFTConfig({ rewardThreshold: null, keepBest: true }),
      defineDistillationConfig({ klDiscountFactor: 0.5 }),
      defineRewardConfig({ centerRewardsCoefficient: 0.01 }),
      definePPOConfig({ cliprangeValue: null }),
    ];
    for (const config of configs) {
      expect(Object.isFrozen(config)).toBe(true);
      expect(JSON.parse(JSON.stringify(config))).toEqual(config);
    }
    expect(configs).toMatchObject([
      { beta: 0.1 },
      { beta: 0.1 },
      { numGenerations: 8 },
      { klPenaltyCoef: 1 },
      { centerRewardsCoefficient: 0.01 },
      { gamma: 1, lam: 0.95, klCoef: 0.05, vfCoef: 0.1, numPpoEpochs: 4, klEstimator: 'k1' },
    ]);
  });

  it.each<[string, (given: object) => unknown, object, RegExp]>([
    ['DPO without a reference', defineDPOConfig, { beta: 0 }, /expected a number > 0; 0 would ignore/],
    ['another DPO loss', defineDPOConfig, { lossType: 'kto_pair' }, /expected one of sigmoid, ipo, hinge/],
    ['labels that mean their opposite', defineDPOConfig, { labelSmoothing: 0.5 }, /from 0.5 on the labels/],
    [
      'smoothing that a loss does not read',
      defineDPOConfig,
      { labelSmoothing: 0.1, lossType: 'ipo' },
      /Take lossType sigmoid, or leave it out/,
    ],
    [
      'a setting that is always on',
      defineDPOConfig,
      { precomputeRefLogProbs: true },
      /always scores each pair once/,
    ],
    ['another batch noun', defineDPOConfig, { gradientAccumulationSteps: 4 }, /Use `batchSize`/],
    ['KTO of single rows', defineKTOConfig, { batchSize: 1 }, /\*other\* rows of the batch. Take at least 2/],
    ['KTO that learns nothing', defineKTOConfig, { desirableWeight: 0, undesirableWeight: 0 }, /both 0/],
    ['RFT that keeps everything', defineRFTConfig, { rewardThreshold: null }, /every sample would be kept/],
    [
      'the best of one',
      defineRFTConfig,
      { rewardThreshold: null, keepBest: true, numGenerations: 1 },
      /the best of one is whatever came/,
    ],
    [
      'a threshold that is a text',
      defineRFTConfig,
      { rewardThreshold: '1' },
      /expected a finite number or null/,
    ],
    ['RFT with a filter', defineRFTConfig, { topP: 0.9 }, /whole distribution/],
    [
      'a teacher that is not heard',
      defineDistillationConfig,
      { klPenaltyCoef: 0 },
      /the only thing to learn from/,
    ],
    ['offline distillation', defineDistillationConfig, { seqKd: true }, /For a teacher’s texts use `sft`/],
    ['another divergence', defineDistillationConfig, { beta: 0.5 }, /Use `gkd` for others/],
    ['half a share too many', defineGKDConfig, { lmbda: 1.5 }, /lmbda is 1.5, expected a number from 0 to 1/],
    ['a teacher that answers anew', defineGKDConfig, { seqKd: true }, /give its answers as `rows`/],
    ['a pull away from 0', defineRewardConfig, { centerRewardsCoefficient: -0.01 }, /expected a number ≥ 0/],
    ['a critic that learns nothing', definePPOConfig, { vfCoef: 0 }, /the critic would learn nothing/],
    ['TRL’s estimator for logs', definePPOConfig, { klEstimator: 'k2' }, /expected k1 or k3/],
    ['a bonus for not ending', definePPOConfig, { missingEosPenalty: -1 }, /which is subtracted, or null/],
    [
      'more parts than episodes',
      definePPOConfig,
      { numMiniBatches: 5, promptsPerStep: 2, numGenerations: 2 },
      /more than the 4 episodes of a step/,
    ],
    ['a policy that may not move', definePPOConfig, { targetKl: 0 }, /or null to take all updates/],
    ['values that may not move', definePPOConfig, { cliprangeValue: 0 }, /or null for no clipping/],
    ['a range that is a text', definePPOConfig, { cliprangeValue: '0.2' }, /or null for no clipping/],
    ['a growing future', definePPOConfig, { gamma: 1.1 }, /from 0 to 1/],
    ['TRL’s path of a reward model', definePPOConfig, { rewardModelPath: 'x' }, /rewardFromModel/],
    ['more than no discount', defineDistillationConfig, { klDiscountFactor: 1.5 }, /from 0 to 1/],
  ])('refuse %s', (_, define, given, message) => {
    expect(() => define(given)).toThrow(ConfigError);
    expect(() => define(given)).toThrow(message);
  });
});
