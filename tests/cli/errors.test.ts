import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { initBackend } from 'posttrain/tensor';
import { posttrain } from './command-line.js';
import { writeTinyBase } from '../recipes/tiny-base.js';

describe('bad input gets one clear sentence, the remedy and a status', () => {
  const dir = mkdtempSync(join(tmpdir(), 'posttrain-cli-'));
  const base = join(dir, 'base');
  const runs = join(dir, 'runs');

  beforeAll(async () => {
    await initBackend({ backend: 'wasm' });
    await writeTinyBase(base);
  }, 60_000);
  afterAll(() => rmSync(dir, { recursive: true }));

  async function expectError(args: string[], message: RegExp): Promise<void> {
    const { status, err } = await posttrain(...args);
    expect(err).toMatch(message);
    expect(err.trim().split('\n').length).toBeLessThanOrEqual(3);
    expect(err).not.toMatch(/^\s+at /m);
    expect(status).toBe(1);
  }

  it.each([
    [['run', 'diagram', '--sed', '1'], /unknown option '--sed'[^]*Did you mean --seed\?/],
    [
      ['run', 'diagram', '--seed', '-1'],
      /'--seed <number>' argument '-1' is invalid. Expected an integer, 0 or more/,
    ],
    [['run', 'diagram', '--seed', ''], /Expected an integer, 0 or more/],
    [['run', 'diagram', '--profile', 'hard'], /Allowed choices are curriculum, full/],
    [['run', 'diagrams'], /unknown command 'diagrams'/],
    [['kernel', 'instal'], /unknown command 'instal'[^]*Did you mean install\?/],
    [['notebook', 'rnu', 'x.ts'], /unknown command 'rnu'[^]*Did you mean run\?/],
    [['notebook', 'run', 'nosuch.ts'], /there is no nosuch\.ts; `posttrain notebook new nosuch` begins one/],
    [['notebook', 'format', 'nosuch.ts'], /there is no nosuch\.ts; `posttrain notebook new nosuch`/],
    [['notebook', 'clear', 'first.ts'], /first\.ts is a source, which has no outputs/],
    [['draw'], /missing required argument 'request'/],
    [['draw', 'A', '--temperature', 'hot'], /Expected a number from 0 \(greedy\) to 10/],
    [
      ['draw', 'A', '-o', 'a.bmp'],
      /'-o, --output <file>' argument 'a.bmp' is invalid. Expected a name that ends in one of \.svg .*\.excalidraw .*\.tldr .*\.canvas .*\.mmd .*\.png/,
    ],
    [['convert', 'nothing.mmd', 'a.png'], /nothing\.mmd: there is no such file/],
    [['convert', 'README.md', 'a.png'], /Expected a name that ends in one of/],
    [['experiment', 'diagram', '--seeds', '1,1'], /Expected each number once/],
    [['experiment', 'diagram', '--seeds', '1,x'], /'1,x' is invalid. Expected integers/],
  ])('%j', async (args, message) => {
    await expectError(args, message);
  });

  it('a kernel for nobody gets help', async () => {
    const { status, out } = await posttrain('kernel');
    expect(out).toMatch(/Usage: posttrain kernel[^]*install/);
    expect(status).toBe(0);
  });

  it('no run to draw with yet', async () => {
    await expectError(
      ['draw', 'A -> B', '--runs', runs],
      /there is no finished run in .*; train one with "npm start"/,
    );
  });

  it('nothing to draw', async () => {
    await expectError(['draw', ' ', '-m', base], /The request is empty/);
  });

  it('a request longer than the model', async () => {
    await expectError(
      ['draw', 'word '.repeat(2000), '-m', base],
      /The request takes \d+ tokens, but the model can hold 1024; shorten it/,
    );
  });

  it('greedy samples are all the same', async () => {
    await expectError(
      ['draw', 'A', '-m', base, '--best-of', '4'],
      /With temperature 0 all 4 samples are the same/,
    );
  });

  it('a base folder that is not there', async () => {
    await expectError(
      ['run', 'diagram', '--quick', '--out', runs, '--base', join(dir, 'nowhere')],
      /there is no folder .*nowhere; check --base/,
    );
  });

  it('a folder without a checkpoint', async () => {
    await expectError(['draw', 'A', '-m', runs], /No checkpoint in .*config.json is missing/);
  });

  it('a checkpoint cut short', async () => {
    const cut = join(dir, 'cut');
    cpSync(base, cut, { recursive: true });
    truncateSync(join(cut, 'model.safetensors'), 1000);
    await expectError(['draw', 'A', '-m', cut], /Checkpoint .*cut: The safetensors file is damaged/);
  });

  it('a tokenizer of another model', async () => {
    const mixed = join(dir, 'mixed');
    cpSync(base, mixed, { recursive: true });
    const tokenizer = JSON.parse(readFileSync(join(mixed, 'tokenizer.json'), 'utf8')) as {
      added_tokens: object[];
      model: { vocab: Record<string, number> };
    };
    const size = Object.keys(tokenizer.model.vocab).length;
    tokenizer.model.vocab['extra'] = size;
    writeFileSync(join(mixed, 'tokenizer.json'), JSON.stringify(tokenizer));
    await expectError(['draw', 'A', '-m', mixed], /Checkpoint .*mixed: /);
  });

  it('a model without tokenizer', async () => {
    const bare = join(dir, 'bare');
    cpSync(base, bare, { recursive: true });
    rmSync(join(bare, 'tokenizer.json'));
    await expectError(['draw', 'A', '-m', bare], /bare has no tokenizer.json; copy the tokenizer/);
  });

  describe('runs', () => {
    beforeAll(() => mkdirSync(join(runs, 'broken'), { recursive: true }));

    it('a name that is taken', async () => {
      mkdirSync(join(runs, 'taken'));
      writeFileSync(join(runs, 'taken', 'config.json'), '{}');
      await expectError(
        ['run', 'diagram', '--quick', '--name', 'taken', '--out', runs, '--base', base],
        /taken exists already; go on with it by adding --resume, or choose another --name/,
      );
    });

    it('a name that is no file name', async () => {
      await expectError(
        ['run', 'diagram', '--name', '../up', '--out', runs, '--base', base],
        /run name "\.\.\/up" must be/,
      );
    });

    it('a run that does not exist', async () => {
      await expectError(
        ['run', 'diagram', '--resume', '--name', 'no', '--out', runs],
        /no is not a run: it has no config.json/,
      );
    });

    it('nothing to resume', async () => {
      await expectError(
        ['run', 'diagram', '--resume', '--out', join(dir, 'empty')],
        /there is no unfinished run in/,
      );
    });

    it('a resumed run with another seed', async () => {
      await expectError(
        ['run', 'diagram', '--resume', '--seed', '9', '--out', runs],
        /--seed was fixed when the run started/,
      );
    });

    it.each([
      ['{', /config.json is damaged \(.*\); remove it and run the command again/],
      ['{"pipeline":"chess"}', /config.json: pipeline: .*; it was written by another version or edited/],
    ])('a config that reads %s', async (text, message) => {
      writeFileSync(join(runs, 'broken', 'config.json'), text);
      await expectError(['run', 'diagram', '--resume', '--name', 'broken', '--out', runs], message);
    });
  });
});
