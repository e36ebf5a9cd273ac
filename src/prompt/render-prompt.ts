import { SPECIAL } from '../harmony/vocabulary.js'
import { encoderOf } from '../tokens/encoder.js'
import type { TokenTable } from '../tokens/token-table.js'
import { dropOldReasoning } from './drop-reasoning.js'
import { recall } from './history.js'
import { type PromptOptions, readRequest } from './messages-of.js'
import type { RenderedMessages } from './prompt-message.js'
import { renderMessages } from './render-messages.js'
import type { OmittedTool } from './taught-tools.js'

export interface RenderPromptOptions extends PromptOptions {
  readonly tokenTable: TokenTable
}

export interface Prompt extends RenderedMessages {
  /** The ids to generate from. They end in `<|start|>assistant`, which belongs to no message. */
  readonly tokens: Uint32Array
  /** Listed MCP tools that the model is not told of, because no recipient can name them. */
  readonly omitted: readonly OmittedTool[]
  /** The types of declared tools that the model is not told of, because nothing runs them: `file_search`. Each once. */
  readonly untaught: readonly string[]
  /** How many images and files the model reads a placeholder of: `[image]`, `[file NAME]`. */
  readonly placeholders: number
}

/**
 * The prompt of a Responses request: token ids, and where each message stands. Text of the request never becomes a
 * control token, wherever it stands. Synchronous and pure: the same arguments give the same ids.
 *
 *     const { tokens } = renderPrompt(request, { tokenTable: await loadTokenTable(), date: '2026-01-31' })
 *     translate(engine.generate(tokens, generateOptions(request)), { request })
 *
 * @param request - a create request, as the client sent it, with `previous_response_id` and references resolved
 * @throws RequestError naming the parameter: the request cannot be rendered
 * @throws HarmonyResponsesError `bad_option`
 */
export function renderPrompt(request: object, options: RenderPromptOptions): Prompt {
  const { tokenTable, history = [] } = options
  const { head, conversation, tools, placeholders } = readRequest(request, options)
  const messages = dropOldReasoning(recall(conversation, history, tools, tokenTable))
  const rendered = renderMessages([...head, ...messages], { tokenTable })
  const next = [SPECIAL.start, ...encoderOf(tokenTable)('assistant')]
  const tokens = new Uint32Array(rendered.tokens.length + next.length)
  tokens.set(rendered.tokens)
  tokens.set(next, rendered.tokens.length)
  const { omitted, untaught } = tools
  return { tokens, messages: rendered.messages, omitted, untaught, placeholders }
}
