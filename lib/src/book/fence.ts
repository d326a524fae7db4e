/** What stands behind the ``` of a fence. */

export type Fence =
  /** A program, or a piece of the one called `program`. */
  | { readonly kind: 'run'; readonly program: string | undefined }
  /** What the fence before it prints. */
  | { readonly kind: 'output' }
  | {
      readonly kind: 'source';
      readonly language: string;
      readonly file: string;
      readonly names: readonly string[];
      readonly docs: boolean;
    }
  | { readonly kind: 'part'; readonly part: PartName }
  | { readonly kind: 'demo'; readonly name: string }
  | { readonly kind: 'code'; readonly language: string };

const PARTS = ['facts', 'symbols', 'references', 'quiz', 'exercises'] as const;
export type PartName = (typeof PARTS)[number];

const SOURCE = /^src=([^\s#]+)(?:#(\S+))?$/;
const RUN = /^run(?:=(\S+))?$/;

/** @throws Error that says what was expected. */
export function readFence(info: string): Fence {
  const [language = '', ...words] = info.trim().split(/\s+/);
  const run = language === 'ts' && words.length === 1 ? RUN.exec(words[0]!) : null;
  if (run !== null) return { kind: 'run', program: run[1] };
  const source = SOURCE.exec(words[0] ?? '');
  if (source !== null && (words.length === 1 || (words.length === 2 && words[1] === 'nodoc')))
    return {
      kind: 'source',
      language,
      file: source[1]!,
      names: source[2]?.split(',') ?? [''],
      docs: words.length === 1,
    };
  if (language === 'demo' && words.length === 1) return { kind: 'demo', name: words[0]! };
  if (words.length > 0)
    throw new Error(
      `"${words.join(' ')}" means nothing behind ${language}; expected run, run=NAME, src=PATH#NAME or src=PATH#NAME nodoc`,
    );
  if (language === 'output') return { kind: 'output' };
  const part = PARTS.find((name) => name === language);
  return part === undefined ? { kind: 'code', language } : { kind: 'part', part };
}
