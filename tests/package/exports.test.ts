import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly typesVersions: { readonly '*': Readonly<Record<string, readonly string[]>> };
}

const manifest = JSON.parse(readFileSync('lib/package.json', 'utf8')) as Manifest;
const subpaths = Object.entries(manifest.exports).filter(([name]) => name !== '.');

describe('package.json of posttrain', () => {
  it('offers every entry to old resolvers too: typesVersions says what exports says', () => {
    const expected = Object.fromEntries(subpaths.map(([name, { types }]) => [name.slice(2), [types]]));
    expect(manifest.typesVersions['*']).toEqual(expected);
  });

  it.each(Object.entries(manifest.exports))('%s has a source file', (_name, entry) => {
    expect(entry.types).toBe(entry.default.replace(/\.js$/, '.d.ts'));
    expect(existsSync(entry.default.replace('./dist/', 'lib/src/').replace(/\.js$/, '.ts'))).toBe(true);
  });

  it('names a command that is there before the build, because npm links commands first', () => {
    for (const file of Object.values(manifest.bin)) {
      expect(file).not.toMatch(/^\.\/dist\//);
      expect(existsSync(`lib/${file}`)).toBe(true);
    }
  });
});
