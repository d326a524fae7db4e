/** What a running cell says, in Jupyter's words (https://jupyter-client.readthedocs.io/en/stable/messaging.html). */
import type { MimeBundle, MimeObject } from '../display/mime.js';

export type { MimeBundle, MimeData, MimeObject } from '../display/mime.js';

export interface DisplayContent {
  readonly data: MimeBundle;
  readonly metadata: MimeObject;
  readonly transient: { readonly display_id?: string };
}

export interface ErrorContent {
  /** The error's name. */
  readonly ename: string;
  /** Its message. */
  readonly evalue: string;
  /** Lines to show, the first with name and message. */
  readonly traceback: readonly string[];
}

export type CellMessage =
  | {
      readonly msg_type: 'stream';
      readonly content: { readonly name: 'stdout' | 'stderr'; readonly text: string };
    }
  | { readonly msg_type: 'display_data' | 'update_display_data'; readonly content: DisplayContent }
  | {
      readonly msg_type: 'execute_result';
      readonly content: {
        readonly execution_count: number;
        readonly data: MimeBundle;
        readonly metadata: MimeObject;
      };
    }
  | { readonly msg_type: 'error'; readonly content: ErrorContent }
  | { readonly msg_type: 'clear_output'; readonly content: { readonly wait: boolean } };
