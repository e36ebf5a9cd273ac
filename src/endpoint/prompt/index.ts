/**
 * A request and its history as the token ids of gpt-oss's prompt. docs/prompt.md has the table of items.
 *
 * @packageDocumentation
 */

export type { BuiltinTool, HostedBuiltin } from '../../core/recipients/builtin-tools.js'
export { RequestError, type RequestErrorBody } from '../../shared/request-error.js'
export type { AttachmentPolicy } from './attachments.js'
export type { HistoryEntry } from './history.js'
export type { MessageSpan, PromptMessage, RenderedMessages } from './prompt-message.js'
export { type PromptOptions, promptMessages } from './prompt-messages.js'
export { type RenderMessagesOptions, renderMessages } from './render-messages.js'
export { type Prompt, type RenderPromptOptions, renderPrompt } from './render-prompt.js'
export type { OmittedTool } from './taught-tools.js'
export { createTextCache, type SharedTextCache, type TextCache } from './text-cache.js'
export { renderToolResult, type ToolMessageOptions } from './tool-message.js'
export type { ResponseFormat, TaughtTool, ToolNamespace } from './tool-namespace.js'
