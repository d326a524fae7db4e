/** A bare page with demos on it, as files. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { CHART_CSS, themeCss } from '../../../lib/src/display/theme.js';
import { demoAssets } from '../../../lib/src/book/demos/assets.node.js';
import { demoMarkup } from '../../../lib/src/book/demos/markup.js';
import { DEMO_CSS } from '../../../lib/src/book/demos/style.js';

const readData = (path: string): Promise<Uint8Array> => readFile(join('data', path));

/** Writes `index.html` with these demos, and all that it needs. */
export async function writeSite(folder: string, names: readonly string[]): Promise<void> {
  await mkdir(join(folder, 'demos'), { recursive: true });
  for (const [name, text] of await demoAssets('.')) await writeFile(join(folder, 'demos', name), text);
  await writeFile(join(folder, 'page.js'), await pageScript());
  await writeFile(join(folder, 'index.html'), await pageHtml(names));
}

async function pageHtml(names: readonly string[]): Promise<string> {
  const demos: string[] = [];
  for (const name of names) demos.push(await demoMarkup(name, {}, readData));
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Demos</title>
<style>${themeCss()}${CHART_CSS}${DEMO_CSS}body{background:var(--page);color:var(--ink);margin:0}main{max-width:720px;margin:auto;padding:0 16px}</style></head>
<body><main><h1>Demos</h1>${demos.join('\n')}</main><script src="page.js"></script></body></html>`;
}

/** The script of the page, as the book's own calls it. */
async function pageScript(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { startDemos } from './lib/src/book/demos/page.ts';\nstartDemos(document);`,
      resolveDir: process.cwd(),
      loader: 'ts',
    },
    bundle: true,
    minify: true,
    format: 'iife',
    write: false,
  });
  return outputFiles[0]!.text;
}
