import { inNotebook, requireHost } from './host.js';

/**
 * Asks the reader for a line of text, below the cell.
 * @param password hides what is typed; default `false`.
 * @throws Error outside of a notebook, where the front end cannot ask, and when the cell is interrupted.
 */
export async function input(
  prompt = '',
  { password = false }: { readonly password?: boolean } = {},
): Promise<string> {
  return requireHost('input').input(prompt, password);
}

/**
 * The signal that interrupting the running cell aborts. A cell that takes it is trusted to stop by itself, after the step
 * it is at, and keeps its variables; a second interrupt stops it at once. Outside of a notebook: a signal that is never aborted.
 *
 * `for await (const step of grpo({ …, signal: interruptSignal() })) …`
 */
export function interruptSignal(): AbortSignal {
  return inNotebook() ? requireHost('interruptSignal').signal() : new AbortController().signal;
}
