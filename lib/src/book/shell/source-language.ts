const LANGUAGES: Readonly<Record<string, string>> = {
  ts: 'ts',
  mjs: 'js',
  js: 'js',
  json: 'json',
  ipynb: 'json',
  jsonl: 'json',
  md: 'md',
  yaml: 'yaml',
  yml: 'yaml',
  sh: 'sh',
  css: 'css',
};

/** The language of a file of the repository, as shiki calls it. */
export function languageOf(path: string): string {
  return LANGUAGES[path.slice(path.lastIndexOf('.') + 1)] ?? 'text';
}
