import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build, type BuildOptions, type OutputFile } from 'esbuild';
import { expect, it } from 'vitest';

const source = 'lib/src/';
const { exports } = JSON.parse(readFileSync('lib/package.json', 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly default: string }>>;
};
const entries = Object.entries(exports)
  .filter(([name]) => name !== './node')
  .map(([, entry]) => entry.default.replace('./dist/', source).replace(/\.js$/, '.ts'));

/** What a page would load. Rejects, naming file and line, where something is imported that a browser does not have. */
async function bundle(options: BuildOptions): Promise<OutputFile[]> {
  const { outputFiles, metafile } = await build({
    bundle: true,
    platform: 'browser',
    format: 'esm',
    outdir: 'bundled',
    logLevel: 'silent',
    ...options,
    metafile: true,
    write: false,
  });
  const left = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  expect(left).toEqual([]);
  return outputFiles;
}

it('every entry but posttrain/node can be bundled for a page', async () => {
  const files = await bundle({ entryPoints: entries, minify: true });
  expect(files).toHaveLength(entries.length);
  const [all] = files as [OutputFile];
  const kilobytes = (bytes: number): string => `${Math.round(bytes / 1000)} kB`;
  process.stdout.write(
    `posttrain in a page: ${kilobytes(all.contents.length)}, ${kilobytes(gzipSync(all.contents).length)} compressed\n`,
  );
});

it('so can every file without .node in its name', async () => {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.node.ts'))
    // the command's own entry
    .filter((file) => file !== 'cli/main.ts');
  expect(files.length).toBeGreaterThan(entries.length);
  const contents = files.map((file) => `import * as _${files.indexOf(file)} from './${file}';`).join('\n');
  await bundle({ stdin: { contents, resolveDir: source, loader: 'ts' }, ignoreAnnotations: true });
});

it('what needs Node cannot', async () => {
  await expect(bundle({ entryPoints: [`${source}index.node.ts`] })).rejects.toThrow(/node:/);
});
