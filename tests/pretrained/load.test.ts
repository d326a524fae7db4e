/** Where open weights come from: the hub, a folder, and what can be wrong with either. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createModel,
  disposeModel,
  generate,
  presets,
  sampleKeys,
  scoreSequences,
  weight,
} from 'posttrain/model';
import { saveModel } from 'posttrain/model/checkpoint.node';
import type { DownloadProgress } from 'posttrain/pretrained/download.node';
import { loadPretrained } from 'posttrain/pretrained/load.node';
import { savePretrained } from 'posttrain/pretrained/save.node';
import { chatTokens, trainBpe } from 'posttrain/text';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { startTestBackend } from '../tensor/backends.js';
import { type FakeHub, type FakeHubOptions, startFakeHub } from './fake-hub.js';
import { pretrainedPath } from './fixture.js';

beforeAll(startTestBackend);

let dir: string;
let hub: FakeHub | undefined;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pretrained-'));
  vi.stubEnv('HF_TOKEN', undefined);
  // the hub's client reports what it downloads here
  vi.spyOn(console, 'debug').mockImplementation(() => undefined);
});
afterEach(async () => {
  await hub?.close();
  hub = undefined;
  rmSync(dir, { recursive: true });
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const MAIN = 'a'.repeat(40);
const REPO = 'maker/smol';
const folder = pretrainedPath('smollm2-sharded-bf16');

async function open(options: Partial<FakeHubOptions> = {}): Promise<FakeHub> {
  hub = await startFakeHub({ repo: REPO, folder, revisions: { main: MAIN, v1: 'b'.repeat(40) }, ...options });
  return hub;
}

const load = (options: Parameters<typeof loadPretrained>[1] = {}): Promise<string> =>
  loadPretrained(REPO, { cacheDir: dir, hubUrl: hub!.url, ...options }).then(({ model, folder }) => {
    disposeModel(model);
    return folder;
  });

describe('from the hub', () => {
  it('downloads what a model consists of, shards too, says how far it is, and asks for no file twice', async () => {
    const { requests } = await open();
    const progress: DownloadProgress[] = [];
    const there = await load({ onProgress: (now) => progress.push(now) });
    expect(there).toBe(join(dir, 'models--maker--smol', 'snapshots', MAIN));
    expect(readdirSync(there).sort()).toEqual(
      readdirSync(folder)
        .filter((name) => !name.startsWith('reference'))
        .sort(),
    );
    expect(readFileSync(join(there, 'config.json'), 'utf8')).toBe(
      readFileSync(join(folder, 'config.json'), 'utf8'),
    );
    const loaded = progress.map((now) => now.loaded);
    expect(loaded).toEqual([...loaded].sort((a, b) => a - b));
    expect(progress.at(-1)!.loaded).toBe(progress.at(-1)!.total);

    requests.length = 0;
    expect(await load()).toBe(there);
    expect(requests.filter((request) => request.includes('/resolve/'))).toEqual([]);
  });

  it('takes the revision it is told to, a branch, a tag or a commit', async () => {
    await open();
    expect(await load({ revision: 'v1' })).toContain('b'.repeat(40));
    expect(await load({ revision: 'b'.repeat(40) })).toContain('b'.repeat(40));
    await expect(load({ revision: 'v2' })).rejects.toThrow(/maker\/smol \(v2\): the hub does not know/);
  });

  it('says that a licence or a token is needed, and brings the token it is given', async () => {
    await open({ accessToken: 'hf_secret' });
    await expect(load()).rejects.toThrow(/private, gated or misspelt.*HF_TOKEN/);
    await expect(load({ accessToken: 'hf_other' })).rejects.toThrow(/^(?!.*hf_other)/);
    expect(await load({ accessToken: 'hf_secret' })).toContain(MAIN);
    vi.stubEnv('HF_TOKEN', 'hf_secret');
    expect(await load()).toContain(MAIN);
  });

  it.each(['config.json', 'tokenizer.json'])(
    'names %s when it is not there, before it fetches anything',
    async (name) => {
      const { requests } = await open({ without: [name] });
      await expect(load()).rejects.toThrow(`no file ${name}`);
      expect(requests.some((request) => request.includes('/resolve/'))).toBe(false);
    },
  );

  it('goes on after a connection that broke off, with the file it was at', async () => {
    const file = 'model-00001-of-00002.safetensors';
    const { requests } = await open({ breakOff: { file, times: 1 } });
    await expect(load()).rejects.toThrow(/broke off/);
    const fetched = (): string[] => requests.filter((request) => request.includes('/resolve/'));
    expect(fetched().length).toBeGreaterThan(2);
    requests.length = 0;
    expect(await load()).toContain(MAIN);
    expect(new Set(fetched().map((request) => request.split('/').at(-1)))).toContain(file);
    expect(fetched().some((request) => request.endsWith('config.json'))).toBe(false);
  });

  it('refuses a model that is not supported before its weights come', async () => {
    const other = join(dir, 'other');
    cpSync(folder, other, { recursive: true });
    const config = readFileSync(join(folder, 'config.json'), 'utf8');
    writeFileSync(join(other, 'config.json'), config.replace('"llama"', '"gemma3"'));
    const { requests } = await open({ folder: other });
    await expect(load()).rejects.toThrow(/unsupported or missing model_type/);
    expect(requests.filter((request) => /resolve.*safetensors$/.test(request))).toEqual([]);
  });

  it('fetches a file again that was cut on the disk', async () => {
    await open();
    const cut = join(await load(), 'tokenizer.json');
    truncateSync(cut, 100);
    await expect(load()).rejects.toThrow(/tokenizer.json has 100 bytes, expected \d+; it was removed/);
    expect(await load()).toContain(MAIN);
  });

  it('says so when it cannot be reached, or the id is none', async () => {
    const { url, close } = await open();
    await close();
    hub = undefined;
    await expect(loadPretrained(REPO, { cacheDir: dir, hubUrl: url })).rejects.toThrow(/cannot be reached/);
    await expect(loadPretrained('./no/such/folder')).rejects.toThrow(/neither a folder nor an id/);
  });
});

describe('from a folder', () => {
  const copy = (name: string): string => {
    cpSync(pretrainedPath(name), dir, { recursive: true });
    return dir;
  };

  it.each<[string, () => void, RegExp]>([
    [
      'a shard is missing',
      () => rmSync(join(dir, 'model-00002-of-00002.safetensors')),
      /model-00002-of-00002.safetensors is missing/,
    ],
    [
      'a shard is damaged',
      () => writeFileSync(join(dir, 'model-00001-of-00002.safetensors'), 'abc'),
      /model-00001.*damaged/,
    ],
    [
      'the index is damaged',
      () => writeFileSync(join(dir, 'model.safetensors.index.json'), '{}'),
      /no readable weight_map/,
    ],
    [
      'the index leads elsewhere',
      () =>
        writeFileSync(join(dir, 'model.safetensors.index.json'), '{"weight_map":{"x":"../x.safetensors"}}'),
      /shards lie beside it/,
    ],
    [
      'the index promises what no shard has',
      () => {
        const path = join(dir, 'model.safetensors.index.json');
        const index = JSON.parse(readFileSync(path, 'utf8')) as { weight_map: Record<string, string> };
        index.weight_map['model.extra'] = 'model-00001-of-00002.safetensors';
        writeFileSync(path, JSON.stringify(index));
      },
      /lacks model.extra/,
    ],
    ['there is no tokenizer', () => rmSync(join(dir, 'tokenizer.json')), /tokenizer.json is missing/],
    [
      'the tokenizer is larger than the model',
      () => {
        const path = join(dir, 'config.json');
        writeFileSync(path, readFileSync(path, 'utf8').replace(/"vocab_size": \d+/, '"vocab_size": 300'));
      },
      /404 tokens, the model only 300/,
    ],
  ])('names what is wrong when %s', async (_, damage, message) => {
    copy('smollm2-sharded-bf16');
    damage();
    await expect(loadPretrained(dir)).rejects.toThrow(message);
  });

  it('is also a checkpoint of ours, with its own tokenizer', async () => {
    const tokenizer = trainBpe(['a b'], { vocabSize: 261, specialTokens: chatTokens });
    await saveModel(dir, createModel({ ...presets.nano(261), numHiddenLayers: 1 }, 1), tokenizer);
    const loaded = await loadPretrained(dir);
    expect(loaded.tokenizer.chat).toBeUndefined();
    expect(loaded.tokenizer.toJSON()).toBe(tokenizer.toJSON());
    disposeModel(loaded.model);
  });

  it('is written whole again: padded table, stretched rotations, tokenizer and template', async () => {
    const pretrained = await loadPretrained(copy('llama-tied'));
    const out = process.env['POSTTRAIN_SAVED'] ?? join(dir, 'out');
    await savePretrained(out, pretrained);
    const again = await loadPretrained(out);
    expect(again.model.config).toEqual(pretrained.model.config);
    expect(again.model.config.ropeScaling?.factor).toBe(32);
    for (const name of again.model.weights.keys())
      expect(weight(again.model, name).dataSync()).toEqual(weight(pretrained.model, name).dataSync());
    const messages = [{ role: 'user', content: 'Draw.' }] as const;
    expect(again.tokenizer.chat!.prompt(messages)).toEqual(pretrained.tokenizer.chat!.prompt(messages));
    disposeModel(pretrained.model);
    disposeModel(again.model);
  });

  it('samples with its caches what it computes without them', async () => {
    const { model, tokenizer } = await loadPretrained(pretrainedPath('llama-tied'));
    const prompt = tokenizer.chat!.prompt([{ role: 'user', content: 'Draw a database, left of two boxes.' }]);
    const [sample] = await generate(
      model,
      [prompt],
      { maxNewTokens: 24, temperature: 1, stopTokens: [] },
      sampleKeys(1, 1, 'test'),
    );
    const [scores] = await scoreSequences(model, [
      {
        tokens: [...prompt, ...sample!.tokens],
        mask: [...prompt.map(() => 0), ...sample!.tokens.map(() => 1)],
      },
    ]);
    const scored = scores!.slice(-sample!.tokens.length);
    scored.forEach((value, i) => expect(value).toBeCloseTo(sample!.logprobs[i]!, 4));
    disposeModel(model);
  });
});
