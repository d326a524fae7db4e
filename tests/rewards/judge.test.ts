import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { judgeAgreement, parseJudgeLabels, type JudgeLabel } from 'posttrain/eval/judge-agreement';
import { createBudget } from 'posttrain/remote/budget';
import { openAIModel, type OpenAIOptions } from 'posttrain/remote/openai';
import { modelJudge, type BinaryJudge, type JudgeRecord } from 'posttrain/rewards/judge';
import { judgeLog } from 'posttrain/rewards/judge-log.node';
import type { EpisodeRecord } from 'posttrain/rollout/types';
import { withVetoes } from 'posttrain/rollout/veto';
import { kinds, type OpenAIBody } from '../teachers/fake-openai.js';
import { fakeService, hang, json, type FakeService, type Reply } from '../teachers/fake-service.js';
import { stillClock } from '../teachers/still-clock.js';

const question = { id: 'q1', prompt: 'A to B', completion: '{"actions":[]}' };
const says = (judgement: unknown): Reply => json(200, kinds.vLLM.reply(JSON.stringify(judgement)));

let server: FakeService | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function ask(
  reply: Reply,
  options: Partial<OpenAIOptions> = {},
  signal?: AbortSignal,
): Promise<{ record: JudgeRecord; logged: JudgeRecord[] }> {
  server = await fakeService(reply);
  const logged: JudgeRecord[] = [];
  const model = openAIModel({ baseUrl: `${server.url}/v1`, model: 'm', clock: stillClock(), ...options });
  const judge = modelJudge({ model, log: (record) => logged.push(record) });
  return { record: await judge.judge(question, signal), logged };
}

describe('a model as a judge', () => {
  it('is asked at temperature 0, with a schema, and its judgement is logged', async () => {
    const { record, logged } = await ask(says({ faults: ['A is missing', 'B too'], verdict: 'veto' }));
    expect(record).toEqual({
      id: 'q1',
      verdict: 'veto',
      reason: 'A is missing; B too',
      model: 'm',
      modelVersion: 'test-model',
      promptHash: expect.stringMatching(/^[0-9a-f]{8}$/) as string,
      usage: { promptTokens: 640, completionTokens: 90, reasoningTokens: 0 },
    });
    expect(logged).toEqual([record]);
    const body = server!.asked[0]!.body as OpenAIBody;
    expect(body.temperature).toBe(0);
    expect(body.messages[1]!.content).toBe('ASKED:\nA to B\n\nANSWER:\n{"actions":[]}');
    expect(body.response_format).toMatchObject({
      json_schema: { schema: { properties: { verdict: { enum: ['accept', 'veto'] } } } },
    });
  });

  it.each<[string, Reply, Partial<OpenAIOptions>, RegExp]>([
    ['prose', json(200, kinds.vLLM.reply('It looks fine to me.')), {}, /^no judgement: It looks fine/],
    ['a score', says({ faults: [], verdict: 'accept', score: 1 }), {}, /^no judgement/],
    ['a third verdict', says({ faults: [], verdict: 'perfect' }), {}, /^no judgement/],
    ['half an answer', json(200, kinds.vLLM.reply('{"faults":[', 'length')), {}, /^finish reason length$/],
    ['a wrong key', json(401, { error: { message: 'no' } }), {}, /HTTP 401: no/],
    ['an outage', json(503, {}), {}, /no answer after 6 attempts/],
    ['no answer in time', hang, { timeoutSeconds: 0.05, maxAttempts: 1 }, /no answer within 0\.05 s/],
    ['no money', hang, { budget: createBudget({ tokens: 10 }) }, /the budget of 10 tokens/],
  ])('leaves unscored what it has no verdict on: %s', async (_, reply, options, reason) => {
    const { record, logged } = await ask(reply, options);
    expect(record.verdict).toBeNull();
    expect(record.reason).toMatch(reason);
    expect(logged).toEqual([record]);
  });

  it('hears an interrupt', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(new Error('Ctrl-C')), 100);
    await expect(ask(hang, {}, stop.signal)).rejects.toThrow('Ctrl-C');
  });

  it('writes its log line by line', () => {
    const folder = mkdtempSync(join(tmpdir(), 'judge-'));
    const log = judgeLog(join(folder, 'a', 'log.jsonl'));
    const record: JudgeRecord = {
      id: '1',
      verdict: null,
      reason: 'r',
      model: 'm',
      modelVersion: null,
      promptHash: 'h',
    };
    log(record);
    log(record);
    const lines = readFileSync(join(folder, 'a', 'log.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line) as JudgeRecord)).toEqual([record, record]);
    rmSync(folder, { recursive: true });
  });
});

function judging(
  verdict: (prompt: string) => JudgeRecord['verdict'],
): BinaryJudge & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    judge: ({ id, prompt }) => {
      asked.push(id);
      const opinion = {
        verdict: verdict(prompt),
        reason: 'because',
        promptHash: '',
        model: '',
        modelVersion: null,
      };
      return Promise.resolve({ id, ...opinion });
    },
  };
}

function episode(sampleIndex: number, reward: number | null, prompt: string): EpisodeRecord {
  return {
    taskId: 't',
    split: 'train',
    groupId: 'g',
    promptIndex: 0,
    sampleIndex,
    seed: 0,
    policyVersion: 0,
    trajectories: [],
    reward,
    metrics: {},
    stopReason: 'completed',
    messages: [
      { role: 'user', content: prompt },
      { role: 'assistant', content: 'reply' },
    ],
  };
}

describe('vetoes', () => {
  const verdicts = { good: 'accept', bad: 'veto', odd: null } as const;
  const judge = (): ReturnType<typeof judging> =>
    judging((prompt) => verdicts[prompt as keyof typeof verdicts]);

  it('take rewards away, pay nothing, and are asked for only where something was paid', async () => {
    const someone = judge();
    const episodes = [
      episode(0, 0.7, 'good'),
      episode(1, 0.7, 'bad'),
      episode(2, 0.7, 'odd'),
      episode(3, 0, 'good'),
      episode(4, -1, 'bad'),
      episode(5, null, 'good'),
    ];
    expect(await withVetoes(someone)(episodes)).toEqual([0.7, 0, null, 0, -1, null]);
    expect([...someone.asked].sort()).toEqual(['t#0', 't#1', 't#2']);
  });

  it('never raise any reward', async () => {
    for (const reward of [0, 0.01, 0.5, 1]) {
      for (const prompt of ['good', 'bad']) {
        const [after] = await withVetoes(judge())([episode(0, reward, prompt)]);
        expect(after).toBeLessThanOrEqual(reward);
      }
    }
  });

  it('stop a training whose judge is gone', async () => {
    const episodes = [episode(0, 0.5, 'odd'), episode(1, 0.5, 'odd')];
    await expect(withVetoes(judge())(episodes)).rejects.toThrow(
      'the judge could judge none of 2 episodes; because',
    );
    expect(await withVetoes(judge())([episode(0, 0, 'odd')])).toEqual([0]);
  });
});

describe('agreement with labels', () => {
  const label = (id: string, acceptable: boolean, prompt: string): JudgeLabel => ({
    id,
    prompt,
    completion: '',
    acceptable,
    change: acceptable ? 'none' : 'a fault',
  });

  it('counts by hand', async () => {
    // 4 acceptable: 3 accepted, 1 vetoed; 4 faulty: 2 vetoed, 1 accepted, 1 unscored
    const labels = [
      ...['accept', 'accept', 'accept', 'veto'].map((said, i) => label(`a${i}`, true, said)),
      ...['veto', 'veto', 'accept', ''].map((said, i) => label(`b${i}`, false, said)),
    ];
    const someone = judging((said) => (said === '' ? null : (said as 'accept' | 'veto')));
    const agreement = await judgeAgreement(someone, labels, { concurrency: 3 });
    expect(agreement).toMatchObject({
      labels: 8,
      unscored: 1,
      agreement: { successes: 5, trials: 7 },
      falseVetoes: { successes: 1, trials: 4 },
      missedFaults: { successes: 1, trials: 3 },
      byChange: { none: { successes: 3, trials: 4 }, 'a fault': { successes: 2, trials: 3 } },
    });
    // p_o = 5/7, p_e = 4/7 · 4/7 + 3/7 · 3/7 = 25/49, κ = (35 − 25) / (49 − 25)
    expect(agreement.kappa).toBeCloseTo(10 / 24, 12);
  });

  it('says that a judge who always agrees knows nothing', async () => {
    const labels = [label('a', true, ''), label('b', false, '')];
    const { agreement, kappa } = await judgeAgreement(
      judging(() => 'accept'),
      labels,
    );
    expect([agreement.value, kappa]).toEqual([0.5, 0]);
    expect(
      (
        await judgeAgreement(
          judging(() => 'accept'),
          [label('a', true, '')],
        )
      ).kappa,
    ).toBe(0);
  });

  it('names the line that is no label', () => {
    const good = JSON.stringify(label('a', true, ''));
    expect(parseJudgeLabels(`${good}\n`)).toHaveLength(1);
    expect(() => parseJudgeLabels(`${good}\n{"id":"b"}\n`)).toThrow(
      'line 2 is no label: expected id, prompt, completion, acceptable, change',
    );
  });
});
