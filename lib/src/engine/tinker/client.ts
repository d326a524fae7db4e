/** Questions to a Tinker-compatible server: asked at once, answered later. */
import { z } from 'zod';
import { systemClock } from '../../remote/clock.js';
import { ServiceError } from '../../remote/errors.js';
import { askJson, openEndpoint, type Protocol } from '../../remote/http.js';
import { patientRequests, type Patience } from '../../remote/patience.js';

export interface TinkerServer extends Patience {
  /** Everything before `/api/v1`, e.g. `http://localhost:8000` (SkyRL). */
  readonly baseUrl: string;
  /** Sent as `X-API-Key`. Hosted keys begin with `tml-`; SkyRL takes any. */
  readonly apiKey?: string | undefined;
  /** Seconds until an attempt is given up; default 330, because a server holds a poll for up to 300. */
  readonly timeoutSeconds?: number;
}

/** Work that the server has; what it calls waits for the result. */
export type Submitted<T> = () => Promise<T>;

export interface TinkerClient {
  /** A question that is answered at once. @param reply what the answer must have */
  post<T extends object>(route: string, body: object, reply: z.ZodType<T>): Promise<T>;
  /**
   * Hands over work; resolves when the server has it. A request that is sent again, because its reply was
   * lost or its result expired, is the same to the last byte: by its `seq_id` the server knows that it is no new one.
   * @param output what the result must have
   */
  submit<T extends object>(route: string, body: object, output: z.ZodType<T>): Promise<Submitted<T>>;
  /** Says something once, for which it does not matter whether it is heard. */
  tell(route: string, body: object): void;
  /** Breaks off what is under way. */
  abort(): void;
}

const future: z.ZodType<{ readonly request_id: string }> = z.object({ request_id: z.string() });

/** A result, or why there is none. */
interface Retrieved {
  readonly type?: unknown;
  readonly error?: unknown;
}

const TINKER: Protocol = { example: 'http://localhost:8000', keyHeaders: (key) => ({ 'X-API-Key': key }) };

/** Between two polls, for servers that answer "not yet" at once. */
const PAUSE_MS = 50;
/** A server that loses its results as fast as it makes them is not asked for ever. */
const MOST_SUBMISSIONS = 4;
const TIMED_OUT = 408;
const EXPIRED = 410;

/** @throws Error for a URL that is none, or a key that cannot be one. */
export function tinkerClient(
  { baseUrl, apiKey, timeoutSeconds = 330, ...patience }: TinkerServer,
  model: string,
): TinkerClient {
  const endpoint = openEndpoint(baseUrl, apiKey, TINKER);
  const who = `tinker ${model}`;
  const requests = patientRequests({ who, secret: endpoint.secret }, { ...patience, timeoutSeconds });
  const { clock = systemClock } = patience;
  const stop = new AbortController();
  let asked = 0;

  const once = (route: string, body: object, within: AbortSignal): Promise<object> =>
    askJson<object>(endpoint, `/api/v1/${route}`, body, within);

  /** @throws ServiceError that names what of the answer is missing or of another kind. */
  function checked<T>(route: string, answer: object, expected: z.ZodType<T>): T {
    const { data, error } = expected.safeParse(answer);
    if (error === undefined) return data;
    const [{ path, message }] = error.issues as [z.core.$ZodIssue];
    const where = path.length === 0 ? '' : ` in ${path.join('.')}`;
    throw new ServiceError(`${who}: the answer to ${route} is not the protocol’s${where}: ${message}`, {
      retryable: false,
    });
  }

  /** @param otherwise what certain errors mean; it throws the others. */
  function ask<E = never>(
    route: string,
    body: object,
    otherwise?: (error: unknown) => E,
  ): Promise<object | E> {
    const send = (within: AbortSignal): Promise<object | E> =>
      once(route, body, within).catch((error: unknown) => {
        if (otherwise === undefined) throw error;
        return otherwise(error);
      });
    return requests.again(
      async () => {
        await requests.turn(stop.signal);
        return requests.inTime(send, stop.signal);
      },
      `${route} ${(asked += 1)}`,
      stop.signal,
    );
  }

  /** The result, or `undefined` when it has expired. */
  async function retrieve(route: string, request_id: string): Promise<object | undefined> {
    for (;;) {
      const reply = await ask('retrieve_future', { request_id }, pendingOrExpired);
      if (reply === 'expired') return undefined;
      if (reply !== 'pending') {
        const { type, error }: Retrieved = reply;
        if (error !== undefined)
          throw new ServiceError(`${who}: ${route} failed: ${String(error)}`, { retryable: false });
        if (type !== 'try_again') return reply;
      }
      await clock.sleep(PAUSE_MS, stop.signal);
    }
  }

  const post = async <T extends object>(route: string, body: object, reply: z.ZodType<T>): Promise<T> =>
    checked(route, await ask(route, body), reply);

  return {
    post,
    async submit<T extends object>(route: string, body: object, output: z.ZodType<T>) {
      let { request_id } = await post(route, body, future);
      return async () => {
        for (let submissions = 1; ; submissions += 1) {
          const result = await retrieve(route, request_id);
          if (result !== undefined) return checked(route, result, output);
          if (submissions === MOST_SUBMISSIONS)
            throw new ServiceError(`${who}: the result of ${route} expired ${submissions} times`, {
              retryable: false,
            });
          ({ request_id } = await post(route, body, future));
        }
      };
    },
    tell: (route, body) => {
      once(route, body, AbortSignal.timeout(10_000)).catch(() => undefined);
    },
    abort: () => stop.abort(new Error(`${who}: the engine was disposed of`)),
  };
}

function pendingOrExpired(error: unknown): 'pending' | 'expired' {
  const status = error instanceof ServiceError ? error.status : undefined;
  if (status === TIMED_OUT) return 'pending';
  if (status === EXPIRED) return 'expired';
  throw error;
}
