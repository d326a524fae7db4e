import type { CellMessage, ErrorContent, MimeBundle } from './messages.js';

/** What `runNotebook` and the process that runs the cells tell each other. */

export type RunnerRequest = RunRequest | { readonly kind: 'interrupt' };

export interface RunRequest {
  readonly kind: 'run';
  readonly cells: readonly { readonly id: string; readonly source: string; readonly mayFail: boolean }[];
  readonly fast: boolean;
  readonly record: boolean;
}

export type RunReply =
  | { readonly kind: 'start'; readonly cell: string }
  /** The running cell has taken its signal, and will stop by itself. */
  | { readonly kind: 'trust' }
  | { readonly kind: 'output'; readonly cell: string; readonly message: CellMessage }
  | {
      readonly kind: 'cell';
      readonly cell: string;
      readonly seconds: number;
      readonly value?: MimeBundle;
      readonly error?: ErrorContent;
    }
  | { readonly kind: 'done' };
