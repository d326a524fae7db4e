/** The code that was run in this kernel; it keeps none of other sessions. */

/** Session, line number, code. */
type Entry = readonly [0, number, string];

interface HistoryRequest {
  readonly output?: boolean;
  readonly hist_access_type?: 'range' | 'tail' | 'search';
  readonly start?: number;
  readonly stop?: number;
  readonly n?: number;
  /** With `*` and `?` as in file names. */
  readonly pattern?: string;
}

export interface History {
  add(line: number, code: string): void;
  /** Jupyter's `history_reply`, outputs left out. */
  select(request: HistoryRequest): readonly unknown[];
}

export function createHistory(): History {
  const entries: Entry[] = [];
  return {
    add: (line, code) => void entries.push([0, line, code]),
    select: (request) => {
      const found = choose(entries, request);
      return request.output === true
        ? found.map(([session, line, code]) => [session, line, [code, null]])
        : found;
    },
  };
}

function choose(entries: readonly Entry[], request: HistoryRequest): readonly Entry[] {
  const { hist_access_type: access = 'tail', n = entries.length, pattern = '*', start = 0, stop } = request;
  if (access === 'range')
    return entries.filter(([, line]) => line >= start && (stop === undefined || line < stop));
  const matching = access === 'search' ? entries.filter(([, , code]) => matches(code, pattern)) : entries;
  return matching.slice(Math.max(0, matching.length - n));
}

function matches(code: string, pattern: string): boolean {
  const source = pattern
    .replace(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(code);
}
