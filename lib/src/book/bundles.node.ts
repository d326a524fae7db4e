/** What the site loads: the page's script and styles as one file each, and the copies of other people's files. */
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { CHART_CSS, switchableThemeCss } from '../display/theme.js';
import { demoAssets } from './demos/assets.node.js';
import { DEMO_CSS } from './demos/style.js';
import { MATH_STYLES, PLOTLY } from './shell/places.js';

const BOOK = 'lib/src/book';

/** The page's own script: classic, because pages opened from a file may load no modules. @param root of the repository */
export function pageScript(root: string): Promise<string> {
  return bundled(join(root, BOOK, 'client/main.ts'));
}

/** The site's style sheet, colours first. @param root of the repository */
export async function siteStyles(root: string): Promise<string> {
  const own = await bundled(join(root, BOOK, 'shell/style/index.css'));
  return [switchableThemeCss(), CHART_CSS, DEMO_CSS, own].join('\n');
}

async function bundled(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: ['es2023', 'chrome120', 'firefox121', 'safari17.2'],
    charset: 'utf8',
    legalComments: 'none',
    write: false,
    logLevel: 'silent',
  });
  return outputFiles[0]!.text;
}

/** Files by their place in the site: KaTeX's styles and fonts, plotly.js, what demos load. @param root of the repository */
export async function copiedFiles(root: string): Promise<Map<string, string | Uint8Array>> {
  const demos = [...(await demoAssets(root))].map(([name, script]) => [`demos/${name}`, script] as const);
  const plotly = packageFile('plotly.js-cartesian-dist-min/plotly-cartesian.min.js');
  return new Map([...(await katexFiles()), [PLOTLY, await readFile(plotly)], ...demos]);
}

/** The styles name each font in three formats; every browser that runs this site reads the first. */
const OLD_FORMATS = /,url\([^)]*\) format\("(?:woff|truetype)"\)/g;

async function katexFiles(): Promise<readonly (readonly [string, string | Uint8Array])[]> {
  const folder = dirname(packageFile('katex/dist/katex.min.css'));
  const styles = await readFile(join(folder, 'katex.min.css'), 'utf8');
  const fonts = (await readdir(join(folder, 'fonts'))).filter((name) => name.endsWith('.woff2'));
  const copies = fonts.map(async (name) => {
    const content = await readFile(join(folder, 'fonts', name));
    return [`${dirname(MATH_STYLES)}/fonts/${name}`, content] as const;
  });
  return [[MATH_STYLES, styles.replace(OLD_FORMATS, '')], ...(await Promise.all(copies))];
}

function packageFile(path: string): string {
  return createRequire(import.meta.url).resolve(path);
}
