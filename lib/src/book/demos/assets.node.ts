/** The files that demos are run with in the page: scripts that hold a program, or other files, as text. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { parseSafetensors, serializeSafetensors } from '../../model/index.js';
import type { AssetName } from './demo.js';
import { type AssetFiles, WASM_FILE } from './protocol.js';

/** Files of `data`, by asset. */
const dataFiles: Readonly<Record<Exclude<AssetName, 'wasm'>, readonly string[]>> = {
  tokenizer: ['base/tokenizer.json'],
  base: ['base/config.json', 'base/model.safetensors'],
  agent: ['diagram/agent/grpo/config.json', 'diagram/agent/grpo/model.safetensors'],
};

/**
 * Names and contents of the scripts; the page looks for them in the folder `demos/` beside itself.
 * @param root of the repository
 */
export async function demoAssets(root: string): Promise<Map<string, string>> {
  const files = await Promise.all(
    Object.entries(dataFiles).map(async ([asset, paths]): Promise<[string, AssetFiles]> => {
      const read = paths.map(async (path) => [path, base64(await dataFile(root, path))] as const);
      return [asset, Object.fromEntries(await Promise.all(read))];
    }),
  );
  const contents: readonly (readonly [string, unknown])[] = [
    ['worker', await workerProgram()],
    ['wasm', { [WASM_FILE]: base64(await readFile(wasmBinary())) }],
    ...files,
  ];
  return new Map(contents.map(([name, content]) => [`${name}.js`, script(name, content)]));
}

/** See `page-assets.ts`. */
function script(name: string, content: unknown): string {
  return `(globalThis.posttrainDemos??={})[${JSON.stringify(name)}]=${JSON.stringify(content)};\n`;
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** Weights travel as halves: that is as much as a demo can show, and half to load. */
async function dataFile(root: string, path: string): Promise<Uint8Array> {
  const bytes = await readFile(join(root, 'data', path));
  if (!path.endsWith('.safetensors')) return bytes;
  return serializeSafetensors(parseSafetensors(bytes).tensors, { dtype: 'F16' });
}

function wasmBinary(): string {
  return createRequire(import.meta.url).resolve(`@tensorflow/tfjs-backend-wasm/dist/${WASM_FILE}`);
}

async function workerProgram(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(import.meta.url).replace('assets.node', 'worker')],
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    // a program made from text has no place of its own; nothing in it asks for one
    define: { 'import.meta.url': '""' },
    write: false,
  });
  return outputFiles[0]!.text;
}
