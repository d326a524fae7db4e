/** Chat templates: Jinja programs that write a conversation as the text a model was taught to continue. */
import type { Template } from '@huggingface/jinja';
import type { ChatFormat, ChatMessage } from '../text/index.js';
import { unusedCharacter } from './special-text.js';
import { messageOf } from '../message-of.js';

/** What a template needs of the tokenizer it belongs to. */
export interface TemplateTokens {
  /** `bos_token`, `eos_token`, …: texts that templates insert by name. */
  readonly named: Readonly<Record<string, string>>;
  /** Ids of a text in which special tokens are recognised. */
  readonly encode: (text: string) => number[];
  /** Pieces of a text that, encoded apart, hold no special token. */
  readonly cut: (text: string) => string[];
  /** Where the first special token of a text ends; `undefined` when it has none. */
  readonly firstSpecialEnd: (text: string) => number | undefined;
  /** Further tokens at which generation ends (`eos_token_id`). */
  readonly endTokens: readonly number[];
}

/** What stands around a reply: `lead` between the generation prompt and the text, `tail` behind it up to the end of the turn. */
interface ReplyFrame {
  readonly lead: string;
  readonly tail: string;
}

const QUESTION: ChatMessage = { role: 'user', content: 'Hello' };

/**
 * The format that a chat template describes: the ids are those of transformers' `apply_chat_template`, except where a message spells a
 * special token, which stays text here.
 *
 * A reply is its text, and behind it what the template puts there, up to and including the token that ends the turn. What the
 * template always puts before a reply (Qwen3: an empty thought) is part of the reply to learn from.
 * @throws when the template cannot be read, or ends replies with no special token; `prompt` throws when the template refuses the
 *   messages, e.g. two of one role in a row.
 */
export async function templateFormat(source: string, tokens: TemplateTokens): Promise<ChatFormat> {
  const template = await readTemplate(source);
  const render = (messages: readonly ChatMessage[], addGenerationPrompt: boolean): string =>
    renderTemplate(template, {
      ...tokens.named,
      messages,
      add_generation_prompt: addGenerationPrompt,
      tools: null,
      documents: null,
    });
  const frame = replyFrame(render, tokens, source);
  const stop = tokens.encode(frame.tail).at(-1) as number;
  const markFor = (messages: readonly ChatMessage[]): string =>
    unusedCharacter([source, ...messages.map(({ content }) => content)]);
  const marked = (text: string, mark: string): string => tokens.cut(text).join(mark);
  const encodeMarked = (text: string, mark: string): Int32Array =>
    Int32Array.from(text.split(mark).flatMap(tokens.encode));

  return {
    prompt(messages) {
      const mark = markFor(messages);
      const cut = messages.map(({ role, content }) => ({ role, content: marked(content, mark) }));
      return encodeMarked(render(cut, true), mark);
    },
    completion(text) {
      const mark = markFor([{ role: 'assistant', content: text }]);
      const content = marked(text, mark);
      const framed = `${frame.lead}${content}${frame.tail}`;
      const whole = (): string => render([QUESTION, { role: 'assistant', content }], false);
      const hasLead = frame.lead !== '' && whole().startsWith(render([QUESTION], true) + framed);
      return encodeMarked(hasLead ? framed : content + frame.tail, mark);
    },
    stopTokens: [...new Set([stop, ...tokens.endTokens])],
  };
}

async function readTemplate(source: string): Promise<Template> {
  const { Template } = await import('@huggingface/jinja');
  try {
    return new Template(source);
  } catch (cause) {
    throw new Error(`The chat template cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function renderTemplate(template: Template, values: Record<string, unknown>): string {
  try {
    return template.render(values);
  } catch (cause) {
    throw new Error(`The chat template refuses the messages: ${messageOf(cause)}`, { cause });
  }
}

function replyFrame(
  render: (messages: readonly ChatMessage[], addGenerationPrompt: boolean) => string,
  { firstSpecialEnd }: TemplateTokens,
  source: string,
): ReplyFrame {
  const reply = unusedCharacter([source]);
  const prompt = render([QUESTION], true);
  const [before = '', ...rest] = render([QUESTION, { role: 'assistant', content: reply }], false).split(
    reply,
  );
  const behind = rest.join(reply);
  const end = firstSpecialEnd(behind);
  if (end === undefined)
    throw new Error(
      'The chat template puts no special token behind a reply, so a model could not learn to stop; add its eos_token there.',
    );
  return {
    lead: before.startsWith(prompt) ? before.slice(prompt.length) : '',
    tail: behind.slice(0, end),
  };
}
