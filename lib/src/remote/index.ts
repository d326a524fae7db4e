export type {
  ChatModel,
  ChatReply,
  ChatRequest,
  Constraint,
  JsonSchema,
  RemoteMessage,
  Usage,
} from './types.js';
export { addUsage, costOf, createBudget, noUsage, type Budget, type Limit, type Prices } from './budget.js';
export { BudgetError, ServiceError, UnansweredError } from './errors.js';
export type { RequestLimits } from './chat-model.js';
export type { Patience } from './patience.js';
export type { Wait } from './retry.js';
export { openAIModel, type OpenAIOptions } from './openai.js';
export { openVLLM, type VLLMOptions, type VLLMServer } from './vllm.js';
export type { StructuredOutputs, VLLMPolicy } from './vllm-requests.js';
export { toGeminiSchema, toJsonSchema } from './json-schema.js';
