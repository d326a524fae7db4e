import { wilsonInterval } from 'posttrain/eval/intervals';
import { applyActions, defaultRules, emptyCanvas } from 'posttrain/envs/diagram';
import type { Canvas } from 'posttrain/envs/diagram';
import type { PolicyEvaluation, RunEvaluation, SplitResult } from 'posttrain/recipes/diagram/evaluation';
import type { Drawing } from 'posttrain/recipes/diagram/events';
import { defaultRecipe } from 'posttrain/recipes/diagram/recipe';
import type { ReportInput } from 'posttrain/recipes/diagram/report';

/** A run that never happened, for tests of what is shown. */
export function madeUpRun(): ReportInput {
  return {
    config: {
      pipeline: 'diagram',
      name: 'made-up',
      seed: 7,
      recipe: defaultRecipe,
      versions: { posttrain: '0.0.0' },
    },
    stages: {
      teacher: { seconds: 12.3, peakMemory: 2e8 },
      sft: { seconds: 181, peakMemory: 6e8 },
      grpo: { seconds: 320, peakMemory: 9e8 },
    },
    metrics: [
      ...Array.from({ length: 400 }, (_, i) => ({
        stage: 'sft' as const,
        step: i + 1,
        metrics: {
          loss: 0.1 + 2 * Math.exp(-i / 60) + 0.05 * Math.sin(i),
          mean_token_accuracy: 1 - 0.6 * Math.exp(-i / 60),
        },
      })),
      ...Array.from({ length: 80 }, (_, i) => ({
        stage: 'grpo' as const,
        step: i + 1,
        metrics: {
          reward: 0.5 + i / 300 + 0.05 * Math.sin(3 * i),
          'rewards/success/mean': 0.3 + i / 400 + 0.1 * Math.sin(5 * i),
          kl: i / 4000,
          entropy: 0.3 - i / 800,
        },
      })),
    ],
    evaluation: evaluation(),
  };
}

function evaluation(): RunEvaluation {
  const result = (split: string, mode: SplitResult['mode'], share: number, tasks: number): SplitResult => {
    const succeeded = Math.round(tasks * share);
    const readable = wilsonInterval(Math.round(tasks * Math.min(1, share * 2)), tasks);
    return {
      split,
      mode,
      tasks,
      samplesPerTask: 8,
      parsed: readable,
      validActions: readable,
      success: wilsonInterval(succeeded, tasks),
      verified: wilsonInterval(succeeded, tasks),
      reward: share,
      metrics: {},
      passAt: { '1': share, '8': Math.min(1, share * 2) },
      meanLength: 120,
      clippedRatio: 0,
      perTask: Array.from({ length: tasks }, (_, i) => {
        const success = Number(i < succeeded);
        return { taskId: `${split}-${i}`, success, reward: success };
      }),
    };
  };
  const policy = (share: number, drawing: Omit<Drawing, 'request'>): PolicyEvaluation => ({
    results: [
      result('id', 'sampled', share, 200),
      result('id', 'greedy', share, 200),
      result('ood-size', 'greedy', share / 3, 50),
      result('real', 'greedy', share / 4, 20),
    ],
    drawings: [{ request: 'Three tiers: Browser, API & <Database>', ...drawing }],
  });
  return {
    base: policy(0, { reward: 0, success: false }),
    sft: policy(0.36, { canvas: tiers(60), reward: 0.71, success: false }),
    grpo: policy(0.52, { canvas: tiers(240), reward: 0.99, success: true }),
  };
}

function tiers(stride: number): Canvas {
  const labels = ['Browser', 'API', '<Database>'];
  return applyActions(emptyCanvas(defaultRules), [
    ...labels.map((text, i) => ({
      type: 'create' as const,
      shape: 'rectangle' as const,
      id: `n${i + 1}`,
      x: 60 + i * stride,
      y: 60,
      width: 160,
      height: 60,
      text,
    })),
    { type: 'connect', from: 'n1', to: 'n2' },
    { type: 'connect', from: 'n2', to: 'n3', label: 'reads' },
  ]).canvas;
}
