/** The batch half of Gemini's API: `POST …:batchGenerateContent` makes a job, `GET batches/…` shows it, results come with their keys. */
import { fakeService, json, type Asked, type FakeService, type Reply } from './fake-service.js';
import { gemini, MODEL } from './fake-gemini.js';

/** One request of a job as it arrives. */
export interface BatchedRequest {
  readonly request: {
    readonly contents: readonly { readonly parts: readonly { readonly text: string }[] }[];
    readonly systemInstruction?: object;
    readonly generationConfig?: Readonly<Record<string, unknown>>;
  };
  readonly metadata: { readonly key: string };
}

interface CreateBody {
  readonly batch: {
    readonly displayName: string;
    readonly inputConfig: { readonly requests: { readonly requests: readonly BatchedRequest[] } };
  };
}

export interface FakeBatches extends FakeService {
  /** Jobs handed in so far. */
  readonly jobs: { readonly name: string; readonly requests: readonly BatchedRequest[] }[];
  /** What becomes of jobs from now on; `BATCH_STATE_RUNNING` leaves them unfinished. */
  state: string;
}

/** @param answer the `response` or `error` of one request. */
export async function fakeGeminiBatches(
  answer: (request: BatchedRequest, index: number) => object,
  refuse?: (asked: Asked) => Reply | undefined,
): Promise<FakeBatches> {
  const jobs: FakeBatches['jobs'] = [];
  const operation = (name: string): object => {
    const { requests } = jobs.find((job) => job.name === name)!;
    const inlinedResponses = requests
      .map((request, index) => ({ metadata: request.metadata, ...answer(request, index) }))
      .reverse();
    const ended = fake.state === 'BATCH_STATE_SUCCEEDED';
    return {
      name,
      metadata: {
        '@type': 'type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch',
        model: `models/${MODEL}`,
        state: fake.state,
        ...(ended && { output: { inlinedResponses: { inlinedResponses } } }),
      },
      ...(ended && { done: true }),
    };
  };
  const service = await fakeService((response, asked) => {
    const refusal = refuse?.(asked);
    if (refusal !== undefined) return refusal(response, asked);
    if (asked.method === 'POST') {
      const { requests } = (asked.body as CreateBody).batch.inputConfig.requests;
      const name = `batches/job${jobs.length + 1}`;
      jobs.push({ name, requests });
      return json(200, { name, metadata: { state: 'BATCH_STATE_PENDING' } })(response, asked);
    }
    const name = asked.path.replace('/v1beta/', '');
    if (name.startsWith('models/')) return json(200, { name })(response, asked);
    const known = jobs.some((job) => job.name === name);
    const found = known
      ? json(200, operation(name))
      : gemini.error(404, 'NOT_FOUND', 'Requested entity was not found.');
    return found(response, asked);
  });
  const fake: FakeBatches = { ...service, jobs, state: 'BATCH_STATE_SUCCEEDED' };
  return fake;
}
