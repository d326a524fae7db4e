import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { serveSite, type SiteServer } from 'posttrain/book/serve.node';
import { watchFolders } from 'posttrain/book/watch.node';

const site = (text: string) =>
  new Map<string, string | Uint8Array>([
    ['index.html', `<html><body>${text}</body></html>`],
    ['404.html', '<html><body>gone</body></html>'],
    ['source/a b.ts.html', 'spaced'],
    ['fonts/a.woff2', new Uint8Array([1, 2])],
  ]);

let server: SiteServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe('the site on this machine', () => {
  it('has its pages, and a page for what is not there', async () => {
    server = await serveSite(0);
    server.show(site('one'));
    const get = (path: string): Promise<Response> => fetch(new URL(path, server!.url));
    expect(await (await get('')).text()).toMatch(/^<html><body>one<script>.*<\/script><\/body><\/html>$/);
    expect(await (await get('source/a%20b.ts.html')).text()).toBe('spaced');
    const font = await get('fonts/a.woff2');
    expect([font.headers.get('content-type'), (await font.arrayBuffer()).byteLength]).toEqual([
      'font/woff2',
      2,
    ]);
    const missing = await get('../../etc/passwd');
    expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining('gone')]);
  });

  it('tells pages that are open when it has changed', async () => {
    server = await serveSite(0);
    const stream = (await fetch(`${server.url}.changes`)).body!.getReader();
    const heard = async (): Promise<string> => new TextDecoder().decode((await stream.read()).value);
    expect(await heard()).toBe('\n');
    server.show(site('two'));
    expect(await heard()).toBe('data: changed\n\n');
    await stream.cancel();
  });

  it('shows what is wrong in place of a site that there is not yet, and else keeps the old one', async () => {
    server = await serveSite(0);
    const page = async (): Promise<string> => (await fetch(server!.url)).text();
    server.tell('a < b');
    expect(await page()).toMatch(/<pre [^>]*>a &lt; b<\/pre>/);
    server.show(site('three'));
    server.tell('c');
    expect(await page()).toContain('three');
  });

  it('says so when its port is taken', async () => {
    server = await serveSite(0);
    const port = Number(new URL(server.url).port);
    await expect(serveSite(port)).rejects.toThrow(
      `port ${port} is taken; choose another with --port, or 0 for a free one`,
    );
  });
});

describe('watched folders', () => {
  it('tell once of what changes together, in folders below too', async () => {
    const root = mkdtempSync(join(tmpdir(), 'posttrain-watch-'));
    mkdirSync(join(root, 'chapters/figures'), { recursive: true });
    let calls = 0;
    const changed = new Promise<void>((resolve) => {
      const stop = watchFolders(root, ['chapters', 'nowhere'], () => {
        calls += 1;
        stop();
        resolve();
      });
    });
    writeFileSync(join(root, 'chapters/a.md'), 'a');
    writeFileSync(join(root, 'chapters/figures/b.yaml'), 'b');
    await changed;
    expect(calls).toBe(1);
    rmSync(root, { recursive: true });
  });
});
