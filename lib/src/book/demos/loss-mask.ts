/** Which tokens of an example are trained. */
import { diagramEnvironment, serializeActions, type DiagramTask } from '../../envs/index.js';
import { escapeMarkup } from '../../markup.js';
import { scoreDiagram } from '../../rewards/index.js';
import { scriptedActions } from '../../teachers/index.js';
import { renderCompletion, renderPrompt, type Tokenizer } from '../../text/index.js';
import { exampleOf, NoTrainableTokensError } from '../../trainers/sft-rows.js';
import { defineDemo, type Demo } from './demo.js';
import { exampleTask } from './example-task.js';
import { readTokenizer } from './stored-model.js';

export const lossMask: Demo = defineDemo({
  name: 'loss-mask',
  title: 'Which tokens are trained?',
  question: 'An example is a request and its reply, token by token. Which of them does the model learn?',
  hint: 'lower the longest length below the example’s. What does the model no longer learn, and what will it do then?',
  controls: {
    task: { type: 'range', label: 'Example, number', min: 1, max: 20, step: 1, start: 2 },
    maxLength: {
      type: 'range',
      label: 'Longest example',
      min: 40,
      max: 240,
      step: 4,
      start: 240,
      unit: 'tokens',
    },
    prompt: { type: 'switch', label: 'Train the request, too', start: false },
    end: { type: 'switch', label: 'End replies with <|end|>', start: true },
  },
  auto: true,
  seconds: 10,
  needs: ['tokenizer'],
  async run({ task: number, maxLength, prompt, end }, { show, read }) {
    const tokenizer = await readTokenizer(read);
    const row = rowOf(exampleTask(number), tokenizer, end);
    const example = exampleIfAny(row, { maxLength, completionOnlyLoss: !prompt });
    if (example === undefined) {
      show('tokens', { text: `The first ${maxLength} tokens are all of them the request’s.` });
      return 'Nothing is left to learn: the whole reply is cut off. The trainer refuses such an example instead of reporting a loss of 0.';
    }
    const { tokens, mask, truncated } = example;
    const left = row.prompt.length + row.completion.length - tokens.length;
    const text = (id: number): string => tokenizer.decode(Int32Array.of(id));
    const marks = Array.from(tokens, (id, t) => {
      const kind = mask[t] === 1 ? 'trained' : 'untrained';
      return `<span class="demo-token demo-${kind}">${escapeMarkup(visible(text(id)))}</span>`;
    });
    const cut = truncated ? ` <span class="demo-cut">✂ ${left} tokens cut off</span>` : '';
    const legend =
      '<p class="demo-key"><span class="demo-token demo-trained">underlined: trained</span> <span class="demo-token demo-untrained">grey: only read</span></p>';
    show('tokens', { html: `${legend}<p class="demo-tokens">${marks.join('<wbr>')}${cut}</p>` });
    const trained = mask.reduce((sum, one) => sum + one, 0);
    const counted = `${trained} of ${tokens.length} tokens are trained`;
    const learnsEnd = mask.at(-1) === 1 && tokens.at(-1) === tokenizer.tokenId('<|end|>');
    return learnsEnd
      ? `${counted}, the last of them <|end|>: the model learns to stop.`
      : `${counted}, and none of them is <|end|>: the model never learns to stop, and writes on until it runs out of room.`;
  },
});

function exampleIfAny(
  row: Row,
  config: Parameters<typeof exampleOf>[2],
): ReturnType<typeof exampleOf> | undefined {
  try {
    return exampleOf(row, 0, config);
  } catch (error) {
    if (error instanceof NoTrainableTokensError) return undefined;
    throw error;
  }
}

interface Row {
  readonly prompt: Int32Array;
  readonly completion: Int32Array;
}

/** A request and the teacher's reply as tokens. */
export function rowOf(task: DiagramTask, tokenizer: Tokenizer, end: boolean): Row {
  const observation = diagramEnvironment({ scorer: scoreDiagram }).start(task).initialObservation();
  const reply = renderCompletion(tokenizer, serializeActions(scriptedActions(task, [], 0)));
  return {
    prompt: renderPrompt(tokenizer, [{ role: 'user', content: observation }]),
    completion: end ? reply : reply.subarray(0, -1),
  };
}

/** Line ends are tokens, too. */
function visible(text: string): string {
  return text.replaceAll('\n', '⏎');
}
