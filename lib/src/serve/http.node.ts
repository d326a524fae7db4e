/** OpenEnv over HTTP: each request is one JSON object, each answer one, errors are `{ "detail": … }`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Episodes } from './episodes.js';
import { closeRequest, observation, resetRequest, rewardRequest, state, stepRequest } from './protocol.js';
import { parseJson, parseRequest, RequestError } from './request-error.js';

/** Longest request, bytes: a batch of completions fits. */
export const MAX_REQUEST_BYTES: number = 4 * 2 ** 20;

type Route = (episodes: Episodes, body: unknown, query: URLSearchParams) => object;

const routes: Readonly<Record<string, Route>> = {
  'GET /': ({ world }) => ({ name: world.name, routes: [...Object.keys(routes), 'GET /ws'] }),
  'GET /health': () => ({ status: 'healthy' }),
  'GET /metadata': ({ world }) => ({
    name: world.name,
    description: world.description,
    splits: world.splits,
  }),
  'GET /schema': ({ world }) => ({
    action: world.actionSchema,
    observation: z.toJSONSchema(observation),
    state: z.toJSONSchema(state),
  }),
  'GET /task': (episodes, _, query) => {
    const split = query.get('split') ?? Object.keys(episodes.world.splits)[0]!;
    return episodes.task(split, Number(query.get('index') ?? 0));
  },
  'GET /state': (episodes, _, query) => episodes.state(query.get('episode_id') ?? undefined),
  'POST /reset': (episodes, body) => episodes.reset(parseRequest(resetRequest, body ?? {})),
  'POST /step': (episodes, body) => {
    const { action, episode_id: id, request_id: request } = parseRequest(stepRequest, body);
    return episodes.step(id ?? undefined, action, request ?? undefined);
  },
  'POST /close': (episodes, body) => {
    const { episode_id: id } = parseRequest(closeRequest, body);
    return { closed: episodes.close(id) };
  },
  'POST /reward': (episodes, body) => episodes.rewards(parseRequest(rewardRequest, body)),
};

/** Answers one request that was admitted. Never rejects. */
export async function answer(
  episodes: Episodes,
  request: IncomingMessage,
  url: URL,
  response: ServerResponse,
): Promise<void> {
  try {
    const route = findRoute(request.method ?? '', url.pathname);
    const text = await readBody(request);
    const body = text.trim() === '' ? undefined : parseJson(text);
    send(response, 200, route(episodes, body, url.searchParams));
  } catch (error) {
    refuse(response, error);
  }
}

function findRoute(method: string, path: string): Route {
  const route = routes[`${method} ${path}`];
  if (route !== undefined) return route;
  const known = Object.keys(routes).map((name) => name.split(' ') as [string, string]);
  const allowed = known.filter(([, name]) => name === path).map(([name]) => name);
  if (allowed.length > 0)
    throw new RequestError(405, 'UNKNOWN_TYPE', `${path} takes ${allowed.join(', ')}, not ${method}`);
  throw new RequestError(
    404,
    'UNKNOWN_TYPE',
    `${path} is unknown; there are ${known.map(([, name]) => name).join(', ')}, and /ws`,
  );
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES)
      throw new RequestError(
        413,
        'VALIDATION_ERROR',
        `a request may have ${MAX_REQUEST_BYTES} bytes; send fewer completions at once`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Says why not. What is no RequestError is our own failure. */
export function refuse(response: ServerResponse, error: unknown): void {
  const { status, message } =
    error instanceof RequestError ? error : { status: 500, message: (error as Error).message };
  // of a body that is too long the rest would be read as the next request
  if (status === 413) response.setHeader('connection', 'close');
  if (status === 503) response.setHeader('retry-after', '1');
  send(response, status, { detail: message });
}

function send(response: ServerResponse, status: number, body: object): void {
  if (response.destroyed) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
