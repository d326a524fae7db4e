/** Builds the site for all tests of the book in a browser, and serves it under a path of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildSite } from '../../../lib/src/book/build.node.js';
import { findChromium } from '../../browser/chromium.js';
import { serve } from './serve.js';

export interface BuiltSite {
  /** Of the browser to test in. */
  readonly chromium: string;
  readonly folder: string;
  /** With `/` at its end. */
  readonly url: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** `null` where there is no browser. */
    readonly site: BuiltSite | null;
  }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const chromium = findChromium();
  if (chromium === undefined) {
    process.stderr.write('Skipped: no Chromium or Chrome was found; set CHROME_PATH to its program.\n');
    project.provide('site', null);
    return undefined;
  }
  const work = await mkdtemp(join(tmpdir(), 'posttrain-book-'));
  const folder = join(work, 'site');
  // what the chapters' programs print is tested where they are tested
  await buildSite('.', folder, { run: false });
  const server = await serve(folder, '/some/where/');
  project.provide('site', { chromium, folder, url: server.url });
  return async () => {
    await server.close();
    await rm(work, { recursive: true, force: true });
  };
}
