/** Gemini's batch API as a chat model: what is asked at the same time goes into one job, which a killed process finds again. */
import type { BatchJob, GoogleGenAI, InlinedResponse } from '@google/genai';
import type { BatchLedger, BatchNote } from './batch-ledger.node.js';
import { createBudget, noUsage } from './budget.js';
import { mostUsage, type RequestLimits } from './chat-model.js';
import { systemClock } from './clock.js';
import { ServiceError, serviceError, UnansweredError } from './errors.js';
import { fingerprint } from './fingerprint.js';
import { connector, geminiKey, withHttpErrors, type GeminiOptions } from './gemini.node.js';
import { geminiContent, geminiDelivery } from './gemini-requests.js';
import { toGeminiSchema } from './json-schema.js';
import { withRetries } from './retry.js';
import type { ChatModel, ChatRequest } from './types.js';

export interface GeminiBatchOptions extends Omit<GeminiOptions, 'requestsPerMinute' | 'timeoutSeconds'> {
  /** Where jobs are noted; `fileLedger(path)`. */
  readonly ledger: BatchLedger;
  /** Seconds between two looks at a job; default 30, as jobs take minutes to a day. */
  readonly pollSeconds?: number;
  /** Seconds without a new request after which the gathered ones are handed in; default 1. */
  readonly gatherSeconds?: number;
  /** Told whenever a job changes its state: they take long. */
  readonly onState?: (job: string, state: string) => void;
}

/** Bytes of one job's requests; the service takes 20 MB inline. */
const JOB_BYTES = 15_000_000;
const GOOD: readonly string[] = ['JOB_STATE_SUCCEEDED', 'JOB_STATE_PARTIALLY_SUCCEEDED'];
const BAD: readonly string[] = ['JOB_STATE_FAILED', 'JOB_STATE_CANCELLED', 'JOB_STATE_EXPIRED'];

interface Gathered {
  readonly id: string;
  readonly request: ChatRequest;
  /** Told the name of the job. */
  readonly handedIn: (job: string) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Requests that are made at the same time wait for each other, go in as one job, and are answered when it ends: at about half the price, within a
 * day. Jobs are noted in the ledger before anything else happens, so a process that was killed finds its answers instead of paying twice; only a
 * kill in the very moment of handing in loses a job. Handing in is not repeated when it is unknown whether it arrived.
 *
 * Run against the SDK 2.32.0 and a local server that answers as documented; never against the real service.
 * @throws Error when there is no key, or one that cannot be.
 */
export function geminiBatchModel(options: GeminiBatchOptions): ChatModel {
  const { model, apiKey, baseUrl, ledger, pollSeconds = 30, gatherSeconds = 1, onState } = options;
  const { budget = createBudget(), clock = systemClock } = options;
  const key = geminiKey(apiKey);
  const connect = connector(key, baseUrl, model);
  const policy = policyOf(options);
  const results = new Map<string, Promise<ReadonlyMap<string, InlinedResponse>>>();
  let notes: readonly BatchNote[] | undefined;
  let gathered: Gathered[] = [];

  return {
    service: 'gemini',
    model,
    toSchema: toGeminiSchema,
    async complete(request, signal = new AbortController().signal) {
      const most = mostUsage(request);
      const settle = await budget.reserve(most);
      let took = noUsage;
      try {
        const id = `${request.key} ${fingerprint(JSON.stringify([model, geminiContent(request)]))}`;
        const job = noted().find(({ requests }) => requests.includes(id))?.name;
        const answers = await answersOf(job ?? (await handIn(id, request, signal)), signal);
        const { response, error } = answers.get(id) ?? {};
        if (response === undefined) {
          forget([id]);
          throw new UnansweredError(
            `the batch has no answer to ${request.key}: ${error?.message ?? 'it is missing'}`,
          );
        }
        const { usage, ...delivery } = geminiDelivery(response, model);
        took = usage ?? most;
        return { ...delivery, usage: took, attempts: 1 };
      } finally {
        settle(took);
      }
    },
  };

  function noted(): readonly BatchNote[] {
    return (notes ??= ledger.read());
  }

  function note(changed: readonly BatchNote[]): void {
    notes = changed;
    ledger.write(changed);
  }

  /** What failed may be asked again. */
  function forget(ids: readonly string[]): void {
    const left = noted().map(({ name, requests }) => ({
      name,
      requests: requests.filter((id) => !ids.includes(id)),
    }));
    note(left.filter(({ requests }) => requests.length > 0));
  }

  /** The name of the job that the request went in with. */
  function handIn(id: string, request: ChatRequest, signal: AbortSignal): Promise<string> {
    if (gathered.length === 0) void handInWhenQuiet(signal);
    return new Promise((handedIn, failed) => gathered.push({ id, request, handedIn, failed }));
  }

  async function handInWhenQuiet(signal: AbortSignal): Promise<void> {
    try {
      for (let before = -1; before !== gathered.length;) {
        before = gathered.length;
        await systemClock.sleep(gatherSeconds * 1000, signal);
      }
      for (const part of jobsOf(takeGathered())) await createJob(part, signal);
    } catch (error) {
      takeGathered().forEach(({ failed }) => failed(error));
    }
  }

  function takeGathered(): Gathered[] {
    const taken = gathered;
    gathered = [];
    return taken;
  }

  async function createJob(part: readonly Gathered[], signal: AbortSignal): Promise<void> {
    try {
      const job = await careful(signal, async ({ batches }) => {
        const src = part.map(({ id, request }) => ({ ...geminiContent(request), metadata: { key: id } }));
        return batches.create({
          model,
          src,
          config: { displayName: `posttrain ${part.length}`, abortSignal: signal },
        });
      });
      const requests = part.map(({ id }) => id);
      note([...noted(), { name: job.name!, requests }]);
      part.forEach(({ handedIn }) => handedIn(job.name!));
    } catch (error) {
      part.forEach(({ failed }) => failed(error));
    }
  }

  /** The answers of a job, by id of the request, when it has ended. */
  function answersOf(name: string, signal: AbortSignal): Promise<ReadonlyMap<string, InlinedResponse>> {
    const known = results.get(name);
    if (known !== undefined) return known;
    const fresh = watch(name, signal);
    results.set(name, fresh);
    return fresh;
  }

  async function watch(name: string, signal: AbortSignal): Promise<ReadonlyMap<string, InlinedResponse>> {
    for (let before = ''; ;) {
      const { state = '', dest } = await look(name, signal);
      if (state !== before) onState?.(name, state);
      before = state;
      if (GOOD.includes(state)) {
        // by key, not by position: answers may come in any order
        return new Map(dest?.inlinedResponses?.map((answer) => [answer.metadata?.['key'] ?? '', answer]));
      }
      if (BAD.includes(state)) {
        forgetJob(name);
        throw new UnansweredError(`batch ${name} ended as ${state}`);
      }
      await clock.sleep(pollSeconds * 1000, signal);
    }
  }

  async function look(name: string, signal: AbortSignal): Promise<BatchJob> {
    try {
      return await careful(
        signal,
        ({ batches }) => batches.get({ name, config: { abortSignal: signal } }),
        true,
      );
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 404) throw error;
      forgetJob(name);
      throw new UnansweredError(`batch ${name} is not there any more`);
    }
  }

  function forgetJob(name: string): void {
    note(noted().filter((job) => job.name !== name));
  }

  /** @param repeatable whether doing it twice does no harm. */
  function careful<T>(
    signal: AbortSignal,
    work: (client: GoogleGenAI) => Promise<T>,
    repeatable = false,
  ): Promise<T> {
    const attempt = async (): Promise<T> => {
      try {
        return await withHttpErrors(async () => work(await connect(signal)));
      } catch (error) {
        signal.throwIfAborted();
        const told = serviceError(error, `gemini ${model}`, key);
        if (repeatable || !told.maybeBilled) throw told;
        throw new ServiceError(
          `${told.message}; it is unknown whether the batch was handed in, look before you ask again`,
          { retryable: false },
        );
      }
    };
    return withRetries(attempt, model, policy, signal);
  }
}

function policyOf({
  maxAttempts = 6,
  maxTotalSeconds = 600,
  clock = systemClock,
  onWait = () => undefined,
}: RequestLimits): Parameters<typeof withRetries>[2] {
  return { maxAttempts, maxTotalSeconds, clock, onWait };
}

/** Requests in jobs of a size that the service takes. */
function jobsOf(gathered: readonly Gathered[]): Gathered[][] {
  const jobs: Gathered[][] = [];
  let bytes = Infinity;
  for (const one of gathered) {
    const size = JSON.stringify(geminiContent(one.request)).length * 2;
    if (bytes + size > JOB_BYTES) {
      jobs.push([]);
      bytes = 0;
    }
    jobs.at(-1)!.push(one);
    bytes += size;
  }
  return jobs;
}
