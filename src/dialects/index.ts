/**
 * The same stream as Chat Completions, as Messages, and as other servers of the Responses API write it.
 * docs/chat-completions.md, docs/messages.md and docs/dialects.md explain them.
 *
 * @packageDocumentation
 */

export type { ChatAnswerOptions } from './chat/answer-options.js'
export type {
  ChatAnnotation,
  ChatChunk,
  ChatCompletion,
  ChatDelta,
  ChatError,
  ChatFinishReason,
  ChatLogprobs,
  ChatMessage,
  ChatToolCall,
  ChatToolCallDelta,
  ChatToolCallOfCustomTool,
  ChatToolCallOfFunction,
  ChatUsage,
} from './chat/completion.js'
export { type ChatRequest, fromChatRequest } from './chat/request.js'
export type { ChatRequestOptions } from './chat/request-options.js'
export { type ChatSseEncoder, createChatSseEncoder } from './chat/sse-encoder.js'
export { type ChatEncoder, createChatEncoder, toChatChunks } from './chat/to-chunks.js'
export { toChatCompletion, toChatError } from './chat/to-completion.js'
export {
  type Dialect,
  type DialectEvent,
  type DialectResponse,
  type EventMapper,
  fromDialect,
  fromDialectResponse,
  toDialect,
  toDialectResponse,
} from './dialect.js'
export type { MessageAnswerOptions } from './messages/answer-options.js'
export { type MessagesErrorAnswer, toMessagesError } from './messages/error.js'
export type {
  Message,
  MessageBlock,
  MessageCitation,
  MessageCodeExecutionToolResultBlock,
  MessageContainer,
  MessageDelta,
  MessageError,
  MessageErrorType,
  MessageMcpToolResultBlock,
  MessageMcpToolUseBlock,
  MessageRedactedThinkingBlock,
  MessageServerToolUseBlock,
  MessageStopReason,
  MessageStreamEvent,
  MessageTextBlock,
  MessageThinkingBlock,
  MessageToolUseBlock,
  MessageUsage,
  MessageWebSearchResult,
  MessageWebSearchToolResultBlock,
} from './messages/message.js'
export { fromMessagesRequest, type MessagesRequest } from './messages/request.js'
export type { MessagesRequestOptions } from './messages/request-options.js'
export { createMessageEncoder, type MessageEncoder, toMessageEvents } from './messages/to-events.js'
export { toMessage } from './messages/to-message.js'
export type { DialectName } from './named.js'
export { type OpenResponsesResponse, openResponses } from './open-responses.js'
export { type VllmCall, type VllmItem, type VllmMessage, type VllmReasoning, type VllmResponse, vllm } from './vllm.js'
