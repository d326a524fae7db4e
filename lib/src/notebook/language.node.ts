import { createRequire } from 'node:module';
import { printQuickInfo } from 'tslab/dist/inspect.js';
import { packageVersion } from '../version.node.js';
import type { Session } from './session.node.js';
import { PROTOCOL_VERSION, type Content } from './wire.node.js';

/** What a front end asks about the language. Jupyter counts characters as Unicode does, TypeScript as UTF-16 does. */

export function kernelInfo(): Content {
  const { version } = createRequire(import.meta.url)('@tslab/typescript-for-tslab/package.json') as {
    version: string;
  };
  return {
    protocol_version: PROTOCOL_VERSION,
    implementation: 'posttrain',
    implementation_version: packageVersion(),
    language_info: {
      name: 'typescript',
      version,
      mimetype: 'text/typescript',
      file_extension: '.ts',
      // JupyterLab reads `mode`, older front ends the rest
      codemirror_mode: { mode: 'typescript', name: 'javascript', typescript: true },
    },
    banner: `posttrain ${packageVersion()}, TypeScript ${version}, Node ${process.versions.node}`,
    help_links: [],
  };
}

export function completeness(session: Session, { code }: { readonly code: string }): Content {
  return { ...session.completeness(code) };
}

export function completions(
  { complete }: Session,
  { code, cursor_pos: cursor }: { readonly code: string; readonly cursor_pos: number },
): Content {
  const { start, end, candidates } = complete(code, toUtf16(code, cursor));
  return {
    matches: candidates,
    cursor_start: toCodePoints(code, start),
    cursor_end: toCodePoints(code, end),
    metadata: {},
  };
}

export function inspection(
  { inspect }: Session,
  { code, cursor_pos: cursor }: { readonly code: string; readonly cursor_pos: number },
): Content {
  // at the end of a name, where the cursor stands after it was typed, TypeScript sees none
  const offset = toUtf16(code, cursor);
  const info = inspect(code, offset) ?? inspect(code, Math.max(0, offset - 1));
  const data = info ? { 'text/plain': printQuickInfo(info) } : {};
  return { found: info !== undefined, data, metadata: {} };
}

function toUtf16(code: string, codePoints: number): number {
  return Array.from(code).slice(0, codePoints).join('').length;
}

function toCodePoints(code: string, utf16: number): number {
  return Array.from(code.slice(0, utf16)).length;
}
