/** A site in memory: the page, its bundle, and the files that it loads. */
import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';

const types: Record<string, string> = { html: 'text/html', js: 'text/javascript', wasm: 'application/wasm' };

/** What lets a page share memory with its workers. */
const isolation = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

export interface Site {
  readonly url: string;
  close(): Promise<void>;
}

/** Files by path, or `undefined` for what is not there. */
export async function siteFiles(): Promise<(path: string) => Promise<Uint8Array | undefined>> {
  const { outputFiles } = await build({
    entryPoints: { page: 'tests/browser/page.ts', 'web-worker': 'lib/src/engine/web-worker.ts' },
    bundle: true,
    platform: 'browser',
    format: 'esm',
    sourcemap: 'inline',
    // maps `posttrain` to the sources
    tsconfig: 'tests/tsconfig.json',
    outdir: '/',
    write: false,
  });
  const page = '<!doctype html><title>posttrain</title><script type="module" src="/page.js"></script>';
  const fixed = new Map<string, Uint8Array>([
    ['/index.html', new TextEncoder().encode(page)],
    ...outputFiles.map(({ path, contents }) => [path, contents] as const),
  ]);
  return async (path) => {
    if (path.startsWith('/base/')) return readFile(`data${path}`);
    if (path === '/tfjs-backend-wasm-simd.wasm')
      return readFile(`node_modules/@tensorflow/tfjs-backend-wasm/dist${path}`);
    return fixed.get(path);
  };
}

export async function serve(
  files: (path: string) => Promise<Uint8Array | undefined>,
  { isolated }: { readonly isolated: boolean },
): Promise<Site> {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.replace(/\/$/, '/index.html');
    const file = await files(path).catch(() => undefined);
    if (isolated) for (const [name, value] of Object.entries(isolation)) response.setHeader(name, value);
    const type = types[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    response.writeHead(file === undefined ? 404 : 200, { 'Content-Type': type }).end(file);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
