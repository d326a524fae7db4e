/** What to do about what a vLLM server says, which seldom names the flag it was started without. */
import { ServiceError } from './errors.js';

interface Advice {
  readonly says: RegExp;
  /** Only on this route. */
  readonly path?: RegExp;
  readonly advice: string;
  /** Asking again may help: a network file system may show a folder late. */
  readonly mayPass?: true;
}

const LORA_ROUTES = /lora_adapter$/;

const known: readonly Advice[] = [
  {
    says: /HTTP 404: Not Found$/,
    path: LORA_ROUTES,
    advice:
      'Start the server with VLLM_ALLOW_RUNTIME_LORA_UPDATING=True in its environment, and --enable-lora',
  },
  { says: /LoRA is not enabled/i, advice: 'Start the server with --enable-lora' },
  {
    says: /max_lora_rank/,
    advice: 'Start the server with a --max-lora-rank of at least the adapter’s r (its default is 16)',
  },
  {
    says: /No adapter found/i,
    path: LORA_ROUTES,
    advice:
      'The server must see the adapter’s folder under the same path: run it on this machine, or mount it there',
    mayPass: true,
  },
  {
    says: /maximum (context|model) length/i,
    advice:
      'Shorten the prompt, lower maxCompletionLength, or start the server with a larger --max-model-len',
  },
  { says: /greater than max allowed/, advice: 'Start the server with a larger --max-logprobs' },
  {
    says: /HTTP 404.*The model .* does not exist/,
    advice: 'Was the server restarted? Adapters loaded while it runs are lost then',
  },
];

/** The error with what to do about it, and no second attempt where the server must be started anew. */
export function withAdvice(error: unknown, path: string): unknown {
  if (!(error instanceof ServiceError)) return error;
  const found = known.find((entry) => entry.says.test(error.message) && (entry.path?.test(path) ?? true));
  if (found === undefined) return error;
  const { status, retryAfterMs, maybeBilled } = error;
  const retryable = found.mayPass ?? false;
  return new ServiceError(`${error.message}. ${found.advice}.`, {
    status,
    retryable,
    retryAfterMs,
    maybeBilled,
  });
}
