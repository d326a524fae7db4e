/** A Hugging Face Hub on this machine: the endpoints that `@huggingface/hub` asks for, for one model in one folder. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface FakeHub {
  readonly url: string;
  /** Method and path of every request so far. */
  readonly requests: string[];
  close(): Promise<void>;
}

export interface FakeHubOptions {
  readonly repo: string;
  readonly folder: string;
  /** Commits by the names of revisions; each shows the same files. */
  readonly revisions: Readonly<Record<string, string>>;
  /** Files of the folder that the repository lacks. */
  readonly without?: readonly string[];
  /** Refuses everyone who does not bring it. */
  readonly accessToken?: string;
  /** Breaks off the body of this file, this many times. */
  readonly breakOff?: { readonly file: string; times: number };
}

export async function startFakeHub(options: FakeHubOptions): Promise<FakeHub> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`);
    answer(request, response, options);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

function answer(request: IncomingMessage, response: ServerResponse, options: FakeHubOptions): void {
  const { repo, revisions, accessToken } = options;
  if (accessToken !== undefined && request.headers.authorization !== `Bearer ${accessToken}`)
    return refuse(response, 401, 'GatedRepo', 'Access to this model is restricted');
  const path = decodeURIComponent(request.url!.split('?')[0]!);
  const match =
    /^\/(?:api\/models\/)?([^/]+\/[^/]+)\/(revision|tree|paths-info|resolve)\/([^/]+)\/?(.*)$/.exec(path);
  if (!match || match[1] !== repo) return refuse(response, 401, 'RepoNotFound', 'Repository not found');
  const [, , verb, revision, file] = match as unknown as [string, string, string, string, string];
  const sha = revisions[revision] ?? Object.values(revisions).find((commit) => commit === revision);
  if (sha === undefined) return refuse(response, 404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
  if (verb === 'revision')
    return json(response, {
      _id: '1',
      id: repo,
      sha,
      private: false,
      gated: false,
      likes: 0,
      downloads: 0,
      lastModified: '2025-01-01T00:00:00.000Z',
    });
  if (verb === 'tree')
    return json(response, [{ type: 'directory', path: 'onnx', oid: 'd', size: 0 }, ...entries(options)]);
  if (verb === 'paths-info') return answerPaths(request, response, options, sha);
  return sendFile(request, response, options, file);
}

function answerPaths(
  request: IncomingMessage,
  response: ServerResponse,
  options: FakeHubOptions,
  sha: string,
): void {
  let body = '';
  request.on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => {
    const { paths } = JSON.parse(body) as { paths: string[] };
    const lastCommit = { id: sha, title: 'a commit', date: '2025-01-01T00:00:00.000Z' };
    json(
      response,
      entries(options)
        .filter(({ path }) => paths.includes(path))
        .map((entry) => ({ ...entry, lastCommit })),
    );
  });
}

function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  options: FakeHubOptions,
  file: string,
): void {
  if (!entries(options).some(({ path }) => path === file))
    return refuse(response, 404, 'EntryNotFound', 'Entry not found');
  const bytes = readFileSync(join(options.folder, file));
  const headers = {
    etag: `"${hash(bytes)}"`,
    'content-type': 'application/octet-stream',
    'accept-ranges': 'bytes',
  };
  if (request.headers.range === 'bytes=0-0') {
    response.writeHead(206, {
      ...headers,
      'content-range': `bytes 0-0/${bytes.length}`,
      'content-length': 1,
    });
    response.end(bytes.subarray(0, 1));
    return;
  }
  response.writeHead(200, { ...headers, 'content-length': bytes.length });
  const { breakOff } = options;
  if (breakOff?.file !== file || breakOff.times-- <= 0) return void response.end(bytes);
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
}

/** As the hub lists them; weights are in its large file storage. */
function entries({
  folder,
  without = [],
}: FakeHubOptions): { type: string; path: string; size: number; oid: string }[] {
  return readdirSync(folder)
    .filter((name) => !without.includes(name))
    .map((path) => {
      const bytes = readFileSync(join(folder, path));
      const oid = hash(bytes).slice(0, 40);
      const lfs = path.endsWith('.safetensors') && {
        lfs: { oid: hash(bytes), size: bytes.length, pointerSize: 130 },
      };
      return { type: 'file', path, size: bytes.length, oid, ...lfs };
    });
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function refuse(response: ServerResponse, status: number, code: string, error: string): void {
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-error-code': code, 'x-error-message': error })
    .end(JSON.stringify({ error }));
}
