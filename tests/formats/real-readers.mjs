// Reads what we write with the programs it is written for: Excalidraw's restore and its reader of PNG, tldraw's migrations and validators,
// Mermaid's parser. They are no dependencies of this project, so install them in a scratch folder and name it:
//
//   mkdir readers && cd readers
//   npm install --ignore-scripts @excalidraw/excalidraw@0.18.1 @tldraw/tlschema mermaid@11 react react-dom jsdom esbuild
//   node <repository>/tests/formats/real-readers.mjs .
//
// Needs a built library (npm run build). Prints one line a reader; the status is 1 when a reader refuses or loses anything.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as posttrain from '../../lib/dist/index.js';
import { toPng } from '../../lib/dist/index.node.js';

const scratch = resolve(process.argv[2] ?? '.');
const require = createRequire(join(scratch, 'package.json'));
const { build } = require('esbuild');

/** Bundles a module for Node, so that imports of styles and fonts do no harm, and loads it. */
async function load(name, contents, resolveDir = scratch, plugins = []) {
  const outfile = join(scratch, `${name}.bundle.mjs`);
  await build({
    stdin: { contents, resolveDir, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    conditions: ['production'],
    loader: { '.css': 'empty', '.woff2': 'empty' },
    banner: {
      js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`,
    },
    plugins,
  });
  return import(pathToFileURL(outfile).href);
}

/** Inside the bundle of test canvases, `posttrain/…` is the built library. */
const builtLibrary = {
  name: 'built-library',
  setup: (bundler) =>
    bundler.onResolve({ filter: /^posttrain\// }, ({ path }) => {
      const dist = fileURLToPath(new URL('../../lib/dist/', import.meta.url));
      const module = path.slice('posttrain/'.length);
      return { path: `${dist}${module === 'teachers' ? 'teachers/index' : module}.js` };
    }),
};
const here = dirname(fileURLToPath(import.meta.url));
const { awkwardLabels, busy, labelled, realDrawings, small } = await load(
  'canvases',
  `export * from './canvases.ts'`,
  here,
  [builtLibrary],
);

/** More shapes than one digit of an order key can count. */
const ids = [
  ...'abcdefghijklmnopqrstuvwxyz',
  'end',
  'End',
  'graph',
  'subgraph',
  'style',
  'class',
  'click',
  'default',
];
const named = [
  ...ids,
  'endpoint',
  'style-1',
  'a--b',
  'graphs',
  'href',
  'call',
  'constructor',
  'toString',
  'TB',
  'TD',
];
const many = {
  ...posttrain.emptyCanvas(),
  shapes: [...named, ...Array.from({ length: 80 }, (_, i) => `n${i}`)].map((id, i) => {
    return {
      id,
      shape: 'rectangle',
      x: (i % 20) * 70,
      y: Math.floor(i / 20) * 60,
      width: 40,
      height: 40,
      text: id,
    };
  }),
  edges: named.flatMap((id) => [
    { from: id, to: 'n0', label: '' },
    { from: 'n0', to: id, label: id },
    { from: id, to: id, label: '' },
  ]),
};
const canvases = [
  ['empty', posttrain.emptyCanvas()],
  ['small', small],
  ['busy', busy],
  ['many', many],
  ...awkwardLabels.map((label) => [`label ${JSON.stringify(label)}`, labelled(label)]),
  ...realDrawings.map(({ id, canvas }) => [id, canvas]),
];

/** Tries a reader on every canvas; says how many it took, and what it made of the others. */
async function tryReader(name, read) {
  let taken = 0;
  for (const [what, canvas] of canvases) {
    try {
      await read(canvas);
      taken++;
    } catch (error) {
      process.exitCode = 1;
      console.log(`${name}: ${what}: ${String(error.message).slice(0, 600)}`);
    }
  }
  console.log(`${name}: ${taken} of ${canvases.length} canvases read without loss`);
}

const { JSDOM } = await import(pathToFileURL(require.resolve('jsdom')).href);
const { window } = new JSDOM('<!doctype html><body></body>', {
  url: 'http://localhost',
  pretendToBeVisual: true,
});
const pageGlobals = [
  'document',
  'Element',
  'HTMLElement',
  'SVGElement',
  'Node',
  'DOMParser',
  'DocumentFragment',
];
for (const key of [
  ...pageGlobals,
  'localStorage',
  'MutationObserver',
  'getComputedStyle',
  'devicePixelRatio',
]) {
  globalThis[key] = window[key];
}
globalThis.window = window;
Object.defineProperty(globalThis, 'navigator', { value: window.navigator, configurable: true });
Object.assign(window, { matchMedia: () => ({ matches: false, addEventListener() {} }), FontFace: class {} });
globalThis.FontFace = window.FontFace;
window.HTMLCanvasElement.prototype.getContext = () => ({
  measureText: (text) => ({ width: 8 * text.length }),
});

const { restore, loadFromBlob } = await load(
  'excalidraw',
  `export { restore, loadFromBlob } from '@excalidraw/excalidraw'`,
);
/** What a loader may set anew: counters of its own. */
const meaning = (element) =>
  Object.fromEntries(
    Object.entries(element).filter(([key]) => !/^(index|version|versionNonce|updated)$/.test(key)),
  );
await tryReader('Excalidraw 0.18 restore', (canvas) => {
  const written = JSON.parse(posttrain.toExcalidraw(canvas));
  const restored = restore(structuredClone(written), null, null, { repairBindings: true });
  const wanted = written.elements.map(meaning);
  const found = restored.elements.map((element, i) => {
    return Object.fromEntries(Object.keys(wanted[i] ?? {}).map((key) => [key, element[key]]));
  });
  // It adds up the extents of an arrow anew.
  const rounded = (key, value) => (typeof value === 'number' ? Math.round(value * 1e6) / 1e6 : value);
  assert.equal(JSON.stringify(found, rounded), JSON.stringify(wanted, rounded));
  const back = posttrain.fromExcalidraw(JSON.stringify({ type: 'excalidraw', elements: restored.elements }));
  assert.deepEqual(back, { canvas, dropped: [] });
});

await tryReader('Excalidraw 0.18 PNG with its scene', async (canvas) => {
  const png = new Blob([(await toPng(canvas)).bytes], { type: 'image/png' });
  const { elements } = await loadFromBlob(png, null, null);
  const back = posttrain.fromExcalidraw(JSON.stringify({ type: 'excalidraw', elements }));
  assert.deepEqual(back, { canvas, dropped: [] });
});

const { createTLSchema } = await load('tldraw', `export { createTLSchema } from '@tldraw/tlschema'`);
await tryReader('tldraw tlschema', (canvas) => {
  const { schema, records } = JSON.parse(posttrain.toTldraw(canvas));
  const current = createTLSchema();
  const store = Object.fromEntries(records.map((record) => [record.id, record]));
  assert.equal(Object.keys(store).length, records.length, 'two records share an id');
  const migrated = current.migrateStoreSnapshot({ store, schema });
  assert.equal(migrated.type, 'success', `migration failed: ${migrated.reason}`);
  const read = Object.values(migrated.value);
  for (const record of read) current.types[record.typeName].validate(record);
  const file = JSON.stringify({ tldrawFileFormatVersion: 1, schema: current.serialize(), records: read });
  assert.deepEqual(posttrain.fromTldraw(file), { canvas, dropped: [] });
});

const { default: mermaid } = await load('mermaid', `export { default } from 'mermaid'`);
mermaid.initialize({ startOnLoad: false, maxEdges: 10_000 });
await tryReader('Mermaid 11 parser', async (canvas) => {
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(posttrain.toMermaid(canvas));
  assert.equal(db.getEdges().length, canvas.edges.length, 'arrows');
  const unescape = (text) =>
    text
      .replace(/<br\/?>/g, '\n')
      .replace(/&(\w+);/g, (whole, name) => ({ lt: '<', gt: '>', amp: '&', quot: '"' })[name] ?? whole);
  // Mermaid keeps character codes as private marks until it draws.
  const decode = (text = '') =>
    unescape(
      text.replace(/ﬂ°°(\d+)¶ß/g, (_, code) => String.fromCodePoint(code)).replace(/ﬂ°(\w+)¶ß/g, '&$1;'),
    ).trim();
  assert.deepEqual(
    db.getEdges().map(({ text }) => decode(text)),
    canvas.edges.map(({ label }) => label.trim()),
  );
  const labels = [
    ...db.getVertices().values(),
    ...db.getSubGraphs().map(({ title }) => ({ text: title })),
  ].map(({ text }) => decode(text));
  for (const { shape, role, label } of posttrain.readCanvas(canvas)) {
    if (role !== 'label')
      assert(
        labels.includes(label.trim()),
        `${shape.id} lost its label ${JSON.stringify(label)}: ${JSON.stringify(labels).slice(0, 200)}`,
      );
  }
});
