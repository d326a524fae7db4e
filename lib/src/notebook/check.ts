import { fragmentHtml } from '../display/index.js';
import { escapeMarkup } from '../markup.js';
import { present, print } from './present.js';

/** Something that a notebook says does not hold. */
export class CheckFailed extends Error {
  override readonly name = 'CheckFailed';
}

/**
 * Says in one line that something holds.
 * @param what must hold, in words.
 * @param detail numbers that show it.
 * @throws CheckFailed when it does not.
 */
export function check(what: string, condition: boolean, detail = ''): void {
  const text = detail === '' ? what : `${what} (${detail})`;
  if (!condition) throw new CheckFailed(`does not hold: ${text}`);
  print(`✓ ${text}`);
}

export interface Exercise {
  /** Unique in its notebook. */
  readonly id: string;
  /** For who has not solved it yet. */
  readonly hint: string;
  /** Throws, or `check`s, while the exercise is not solved. */
  readonly cases: () => void | Promise<void>;
}

/** MIME type of an exercise's outcome, `{ id, solved }`, for programs that run notebooks. */
export const EXERCISE_TYPE = 'application/vnd.posttrain.exercise+json';

/** Runs the cases of an exercise and says whether it is solved, with the hint when it is not. Throws only when it is interrupted. */
export async function exercise({ id, hint, cases }: Exercise): Promise<void> {
  const problem = await problemOf(cases);
  const solved = problem === undefined;
  const title = solved ? `✓ Exercise ${id}: solved` : `○ Exercise ${id}: not solved yet`;
  const rest = solved ? [] : [problem, `Hint: ${hint}`];
  const html = rest.map((line) => `<br>${escapeMarkup(line)}`).join('');
  present({
    [EXERCISE_TYPE]: { id, solved },
    'text/html': fragmentHtml(`<p><b${solved ? ' class="good"' : ''}>${escapeMarkup(title)}</b>${html}</p>`),
    'text/plain': [title, ...rest.map((line) => `  ${line}`)].join('\n'),
  });
}

async function problemOf(cases: Exercise['cases']): Promise<string | undefined> {
  try {
    await cases();
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) return String(error);
    if (error.name === 'Interrupted') throw error;
    return error instanceof CheckFailed ? error.message : `${error.name}: ${error.message}`;
  }
}
