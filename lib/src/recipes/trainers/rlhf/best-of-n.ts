/** What the reward model makes of the first policy’s replies, and of replies that it never gives. */
import type { Engine, ValueScorer } from '../../../engine/index.js';
import { courtesies, goldReward, topicWords } from '../../../envs/preference/index.js';
import { bestOfNKL, expectedBestOfN, type ScoredSample } from '../../../eval/index.js';
import { mean } from '../../../losses/index.js';
import { rewardFromModel } from '../../../rollout/index.js';
import { renderCompletion } from '../../../text/index.js';
import type { CurvePoint } from '../experiment.js';
import { drawReplies, promptOf, testTasks, tokenizer, trainTasks } from './setting.js';

/** Replies to choose from. */
const CHOICES = [1, 2, 4, 8, 16, 32, 64];
/** Courtesies in a reply. */
const COUNTS = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/** Proxy and gold reward of the reply that the proxy likes best of 1, 2, … `samples`, against the square root of how far that is. */
export async function bestOfNCurves(
  {
    reference,
    rewardModel,
    seed,
  }: { readonly reference: Engine; readonly rewardModel: ValueScorer; readonly seed: number },
  samples: number,
): Promise<Record<'proxy' | 'gold', CurvePoint[]>> {
  const groups = await drawReplies(reference, testTasks, {
    numGenerations: samples,
    seed,
    purpose: 'best-of-n',
  });
  const scores = await rewardFromModel(rewardModel)(groups.flatMap(({ episodes }) => episodes));
  const judged = groups.map(({ episodes }, group) =>
    episodes.map(({ metrics }, n): { proxy: number; gold: number } => ({
      proxy: scores[group * samples + n] as number,
      gold: metrics['gold'] as number,
    })),
  );
  const line = (value: 'proxy' | 'gold'): CurvePoint[] =>
    CHOICES.filter((n) => n <= samples).map((n) => ({
      x: Math.sqrt(bestOfNKL(n)),
      y: mean(
        judged.map((replies) =>
          expectedBestOfN(
            replies.map((reply): ScoredSample => ({ score: reply.proxy, value: reply[value] })),
            n,
          ),
        ),
      ),
    }));
  return { proxy: line('proxy'), gold: line('gold') };
}

/** Proxy and gold reward of a word on each topic after so many courtesies: the first policy gives none to two. */
export async function courtesyCurves(
  rewardModel: ValueScorer,
): Promise<Record<'proxy' | 'gold', CurvePoint[]>> {
  const replies = COUNTS.map((count) =>
    trainTasks.map((task) => {
      const polite = Array.from({ length: count }, (_, n) => courtesies[n % courtesies.length] as string);
      return { task, text: [...polite, ...task.topics.map((topic) => topicWords[topic][0])].join(' ') };
    }),
  );
  const line = (values: readonly number[]): CurvePoint[] =>
    values.map((y, n) => ({ x: COUNTS[n] as number, y }));
  const proxy: number[] = [];
  for (const sameCount of replies) {
    const sequences = sameCount.map(({ task, text }) =>
      Int32Array.of(...promptOf(task), ...renderCompletion(tokenizer, text)),
    );
    proxy.push(mean(await rewardModel.scores(sequences)));
  }
  const gold = replies.map((sameCount) =>
    mean(sameCount.map(({ task, text }) => goldReward(task.topics, text).reward)),
  );
  return { proxy: line(proxy), gold: line(gold) };
}
