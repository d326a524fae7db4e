import { inspect } from 'node:util';
import type { Diagnostic } from 'tslab/dist/converter.js';
import type { CompiledCell } from './compiler.node.js';
import type { ErrorContent } from './messages.js';
import type { Position } from './positions.js';
import { sourcePosition } from './source-position.node.js';

/** The cell was stopped from outside. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
  // it comes from the front end, not from a line of code
  override readonly stack = '';
  constructor() {
    super('the cell was interrupted');
  }
}

type FindCell = (name: string) => CompiledCell | undefined;

/** Whatever was thrown, as a front end shows it: name and message, the line of the cell, and the calls of the reader's own code. */
export function describeError(thrown: unknown, cellNamed: FindCell): ErrorContent {
  if (!(thrown instanceof Error) && !isErrorLike(thrown)) {
    const evalue = inspect(thrown);
    return { ename: 'Thrown', evalue, traceback: [`Thrown: ${evalue}`] };
  }
  const ename = thrown.name || 'Error';
  const evalue = String(thrown.message);
  const frames = framesOf(thrown, cellNamed);
  const inCell = frames.find(({ cell }) => cell !== undefined);
  return {
    ename,
    evalue,
    traceback: [
      evalue === '' ? ename : `${ename}: ${evalue}`,
      ...(inCell?.cell ? excerpt(inCell.cell.source, inCell) : []),
      ...frames.map(({ text }) => `    at ${text}`),
      ...causeOf(thrown, cellNamed),
    ],
  };
}

/** Errors of the type checker, each with its line. The cell did not run. */
export function describeProblems(
  problems: readonly Diagnostic[],
  cell: string,
  source: string,
): ErrorContent {
  const places = problems.map(({ start, messageText, fileName, code }) => {
    const position = { line: start.line + 1, column: start.character + 1 };
    const place = `${fileName ?? cell}:${position.line}:${position.column}`;
    return {
      message: `${place} - ${messageText} (TS${code})`,
      lines: fileName === undefined ? excerpt(source, position) : [],
    };
  });
  const advice = problems.some(missesPosttrain) ? [howToGetPosttrain()] : [];
  return {
    ename: 'CompileError',
    evalue: [...advice, ...places.map(({ message }) => message)].join('\n'),
    traceback: [
      ...advice.map((line) => `CompileError: ${line}`),
      ...places.flatMap(({ message, lines }) => [
        advice.length > 0 ? message : `CompileError: ${message}`,
        ...lines,
      ]),
    ],
  };
}

function howToGetPosttrain(): string {
  return `posttrain is not installed for ${process.cwd()}; run \`npm i posttrain\` in that folder or one above it, or keep the notebook where that was done`;
}

function missesPosttrain({ code, messageText }: Diagnostic): boolean {
  return code === 2307 && /^Cannot find module 'posttrain['/]/.test(messageText);
}

interface Frame extends Position {
  readonly text: string;
  /** Set for code of a cell; `line` and `column` are then those of its source. */
  readonly cell?: CompiledCell;
}

/** Down to the reader's outermost call: what called the cell is of no use to anyone who reads it. */
function framesOf({ stack = '' }: Error, cellNamed: FindCell): Frame[] {
  const frames = stack
    .split('\n')
    .map((line) => readFrame(line, cellNamed))
    .filter((frame) => frame !== undefined);
  const outermost = frames.findLastIndex(({ cell }) => cell !== undefined);
  return outermost === -1 ? frames : frames.slice(0, outermost + 1);
}

const MACHINERY = /^node:|[\\/]node_modules[\\/]@?tslab[\\/]|[\\/]notebook[\\/]session\.node\./;

function readFrame(line: string, cellNamed: FindCell): Frame | undefined {
  const match = /^\s+at (?:(.*?) \()?(.+?):(\d+):(\d+)\)?$/.exec(line);
  if (match === null) return undefined;
  const [, caller, place, row, column] = match as unknown as [string, string | undefined, ...string[]];
  const at = { line: Number(row), column: Number(column) };
  const cell = cellNamed(place!);
  const position = cell ? sourcePosition(cell, at) : at;
  if (position === undefined || MACHINERY.test(place!)) return undefined;
  const shown = `${place!.replace(/^file:\/\//, '')}:${position.line}:${position.column}`;
  const name = caller?.replace(/^(async )?(?:Proxy|Object|exports)\./, '$1');
  return { ...position, text: name ? `${name} (${shown})` : shown, ...(cell && { cell }) };
}

/** The line with its neighbours, and a mark beside it. */
function excerpt(source: string, { line }: Position): string[] {
  const lines = source.split('\n');
  const first = Math.max(1, line - 2);
  const shown = lines.slice(first - 1, line + 2);
  const width = String(first + shown.length - 1).length;
  return shown.map((text, i) => {
    const number = String(first + i).padStart(width);
    return `${first + i === line ? '→' : ' '} ${number} | ${text}`.trimEnd();
  });
}

function causeOf({ cause }: Error, cellNamed: FindCell): string[] {
  if (cause === undefined) return [];
  const [first, ...rest] = describeError(cause, cellNamed).traceback;
  return [`caused by ${first}`, ...rest];
}

/** Errors of another realm. */
function isErrorLike(thrown: unknown): thrown is Error {
  return thrown !== null && typeof thrown === 'object' && 'stack' in thrown && 'message' in thrown;
}
