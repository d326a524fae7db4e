import type { CellMessage, ErrorContent, MimeBundle } from './messages.js';

/** What `runNotebook` and the process that runs the cells tell each other. */

export interface RunRequest {
  readonly cells: readonly { readonly id: string; readonly source: string; readonly mayFail: boolean }[];
  readonly fast: boolean;
}

export type RunReply =
  | { readonly kind: 'output'; readonly cell: string; readonly message: CellMessage }
  | {
      readonly kind: 'cell';
      readonly cell: string;
      readonly seconds: number;
      readonly value?: MimeBundle;
      readonly error?: ErrorContent;
    }
  | { readonly kind: 'done' };
