import type { DiagramTask } from '../envs/diagram/types.js';
import type { Task } from '../envs/types.js';
import type { ChatModel, ChatReply, ChatRequest } from '../remote/types.js';
import { unwrap, type Wrapping } from '../remote/unwrap.js';
import { fingerprint } from '../remote/fingerprint.js';
import { diagramReplies, type ReplyFormat } from './reply-format.js';
import type { Exchange, ModelCall, Teacher } from './teacher.js';

export interface ModelTeacherOptions<T extends Task = Task> {
  /** Who answers: `geminiModel` of `posttrain/node`, or `openAIModel`. */
  readonly model: ChatModel;
  /** How it is told to reply. */
  readonly format: ReplyFormat<T>;
  /** Default 1: several samples of one task shall differ. */
  readonly temperature?: number;
  /** Most tokens of a reply, thoughts included; default 8192, because models that think spend most of it on that. */
  readonly maxTokens?: number;
}

/**
 * A teacher that asks a large model. It sees the observations only, never the expected graph, so its answers may be wrong: the environment
 * decides which are kept. A blocked or truncated answer is an answer to be rejected, not an error.
 * @throws RangeError for a temperature or a number of tokens that cannot be.
 */
export function modelTeacher<T extends Task>({
  model,
  format,
  temperature = 1,
  maxTokens = 8192,
}: ModelTeacherOptions<T>): Teacher<T> {
  if (!(temperature >= 0 && temperature < Infinity))
    throw new RangeError(`temperature must be a number ≥ 0, got ${temperature}`);
  if (!Number.isSafeInteger(maxTokens) || maxTokens < 1)
    throw new RangeError(`maxTokens must be a positive integer, got ${maxTokens}`);
  const { systemInstruction, prefix } = format;
  return {
    name: model.service,
    version: `${model.model} prompt=${fingerprint(systemInstruction)} temperature=${temperature} maxTokens=${maxTokens}`,
    async answer(task, observation, { history, sample, signal }) {
      const request: ChatRequest = {
        key: `${task.id}#${sample}.${history.length}`,
        system: systemInstruction,
        messages: conversation(history, observation),
        schema: model.toSchema(format.schema(task)),
        prefix,
        temperature,
        maxTokens,
      };
      const reply = await model.complete(request, signal);
      const { text, wrappings } = unwrap(reply.text);
      return {
        completion: reply.refusal === null ? format.canonical(text) : reply.text,
        ...(reply.refusal === null ? {} : { rejection: reply.refusal }),
        call: callOf(model, request, reply, wrappings),
      };
    },
  };
}

/** The same for diagrams. */
export function diagramTeacher(
  options: Omit<ModelTeacherOptions<DiagramTask>, 'format'>,
): Teacher<DiagramTask> {
  return modelTeacher({ ...options, format: diagramReplies });
}

function conversation(history: readonly Exchange[], observation: string): ChatRequest['messages'] {
  const earlier = history.flatMap(({ observation, completion }) => [
    { role: 'user' as const, content: observation },
    { role: 'assistant' as const, content: completion },
  ]);
  return [...earlier, { role: 'user', content: observation }];
}

function callOf(
  { service, model }: ChatModel,
  { system, messages, schema, temperature, maxTokens }: ChatRequest,
  { modelVersion, constraint, finishReason, attempts, usage }: ChatReply,
  wrappings: readonly Wrapping[],
): ModelCall {
  return {
    service,
    model,
    modelVersion,
    promptHash: fingerprint(JSON.stringify([system, messages])),
    schemaHash: fingerprint(JSON.stringify(schema)),
    temperature,
    maxTokens,
    constraint,
    wrappings,
    finishReason,
    attempts,
    usage,
  };
}
