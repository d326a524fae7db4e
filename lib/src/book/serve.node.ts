/** The site on this machine, for those who write it: pages that are open load anew when it changes. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { escapeMarkup } from '../markup.js';

type Files = ReadonlyMap<string, string | Uint8Array>;

export interface SiteServer {
  /** `http://127.0.0.1:8080/` */
  readonly url: string;
  /** From now on the site has these files. */
  readonly show: (files: Files) => void;
  /** What is going on or wrong, to be read in place of a site that there is not yet. */
  readonly tell: (what: string) => void;
  readonly close: () => Promise<void>;
}

const CHANGES = '/.changes';
const RELOAD = `<script>new EventSource('${CHANGES}').onmessage = () => location.reload();</script>`;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Serves to this machine alone. @param port 0 takes a free one @throws Error for a port that is taken */
export async function serveSite(port: number): Promise<SiteServer> {
  let files: Files = new Map();
  const readers = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    if (request.url === CHANGES) listen(response, readers);
    else answer(request, response, files);
  });
  await new Promise<void>((resolve, reject) => {
    server.on('error', (error: NodeJS.ErrnoException) => {
      const taken = `port ${port} is taken; choose another with --port, or 0 for a free one`;
      reject(error.code === 'EADDRINUSE' ? new Error(taken) : error);
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  const change = (next: Files): void => {
    files = next;
    for (const reader of readers) reader.write('data: changed\n\n');
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    show: change,
    tell: (what) => {
      if (!files.has('404.html')) change(new Map([['index.html', notePage(what)]]));
    },
    close: () => {
      for (const reader of readers) reader.end();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

function listen(response: ServerResponse, readers: Set<ServerResponse>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write('\n');
  readers.add(response);
  response.on('close', () => readers.delete(response));
}

function answer({ url = '/', method }: IncomingMessage, response: ServerResponse, files: Files): void {
  const place = placeOf(url);
  const found = files.get(place);
  const content = found ?? files.get('404.html') ?? 'There is no such page.';
  const type = found === undefined ? TYPES['.html']! : (TYPES[extname(place)] ?? 'application/octet-stream');
  response.writeHead(found === undefined ? 404 : 200, { 'content-type': type, 'cache-control': 'no-store' });
  const page = type === TYPES['.html'] ? String(content).replace('</body>', `${RELOAD}</body>`) : content;
  response.end(method === 'HEAD' ? undefined : page);
}

function placeOf(url: string): string {
  try {
    const path = decodeURIComponent(new URL(url, 'http://127.0.0.1').pathname).slice(1);
    return path === '' || path.endsWith('/') ? `${path}index.html` : path;
  } catch {
    // no address at all
    return '';
  }
}

function notePage(what: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>There is no book yet</title><body><pre style="white-space:pre-wrap">${escapeMarkup(what)}</pre></body></html>`;
}
