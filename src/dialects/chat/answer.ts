import { isHostedBuiltinItem } from '../../core/recipients/builtin-tools.js'
import { qualifiedName } from '../../core/recipients/qualified-name.js'
import type {
  CustomToolCallItem,
  FunctionCallItem,
  Logprob,
  OutputItem,
  UrlCitation,
} from '../../core/responses/items.js'
import type { Response, ResponseUsage } from '../../core/responses/response.js'
import { isUrlCitation } from '../answer-stream.js'
import type { ResolvedChatAnswerOptions } from './answer-options.js'
import type { ChatAnnotation, ChatDelta, ChatFinishReason, ChatUsage } from './completion.js'

/** A piece of an answer. */
export interface Piece {
  readonly delta: ChatDelta
  readonly logprobs?: readonly Logprob[]
}

/**
 * A call that the client answers. Calls that the host ran are left out: they have their results, and clients would run
 * them again.
 */
export type ChatCall = FunctionCallItem | CustomToolCallItem

export function isClientCall(item: OutputItem): item is ChatCall {
  return item.type === 'function_call' || item.type === 'custom_tool_call'
}

/** Returns the name of a call that the host runs; undefined for any other item. */
function hostedName(item: OutputItem): string | undefined {
  if (item.type === 'mcp_call') return qualifiedName(item.name, item.server_label)
  return isHostedBuiltinItem(item.type) ? item.type.replace(/_call$/, '') : undefined
}

/** Separates two messages, or two stretches of reasoning, which are one text in Chat Completions. */
const BETWEEN = '\n\n'

type Field = 'content' | 'reasoning'

/**
 * A growing answer: maps the content of a response to pieces of the message. Streams send the pieces one by one; a
 * whole answer is assembled from the same pieces.
 */
export class ChatAnswer {
  readonly #options: ResolvedChatAnswerOptions
  /** The item that wrote last to each field. */
  readonly #writers: { [Name in Field]?: number } = {}
  readonly #annotations: ChatAnnotation[] = []
  /** The position of each call in `tool_calls`, by that of its item. */
  readonly #calls = new Map<number, number>()
  /** The length of `content`, and of the part before the current message. */
  #length = 0
  #start = 0

  constructor(options: ResolvedChatAnswerOptions) {
    this.#options = options
  }

  begin(): Piece {
    return { delta: { role: 'assistant', content: null, refusal: null } }
  }

  /** @param isPreamble - whether the text precedes the answer, or a call */
  text(at: number, isPreamble: boolean, text: string, logprobs: readonly Logprob[]): Piece[] {
    if (isPreamble && this.#options.preambles === 'reasoning') return this.reasoning(at, text)
    if (text === '' && logprobs.length === 0) return []
    const content = this.#joined('content', at, text)
    if (content.length > text.length) this.#start = this.#length + content.length - text.length
    this.#length += content.length
    return [{ delta: { content }, ...(logprobs.length > 0 && { logprobs }) }]
  }

  reasoning(at: number, text: string): Piece[] {
    const fields = this.#options.reasoning
    if (text === '' || fields === 'hidden') return []
    const joinedText = this.#joined('reasoning', at, text)
    const delta: ChatDelta = {}
    if (fields !== 'reasoning') delta.reasoning_content = joinedText
    if (fields !== 'reasoning_content') delta.reasoning = joinedText
    return [{ delta }]
  }

  /** Adds the name of a call that the host runs. */
  hosted(at: number, item: OutputItem): Piece[] {
    const name = this.#options.hostedCalls === 'reasoning' ? hostedName(item) : undefined
    return name === undefined ? [] : this.reasoning(at, `Calls ${name}.`)
  }

  /** Begins a call. */
  call(at: number, item: ChatCall): Piece[] {
    const index = this.#calls.size
    this.#calls.set(at, index)
    const { call_id: id, name } = item
    if (this.#options.calls === 'function_call') {
      return index === 0 ? [{ delta: { function_call: { name, arguments: '' } } }] : []
    }
    const call =
      item.type === 'function_call'
        ? { index, id, type: 'function' as const, function: { name, arguments: '' } }
        : { index, id, type: 'custom' as const, custom: { name, input: '' } }
    return [{ delta: { tool_calls: [call] } }]
  }

  /** Adds a piece of a call's text. */
  argumentsDelta(at: number, type: ChatCall['type'], text: string): Piece[] {
    const index = this.#calls.get(at)
    if (index === undefined || text === '') return []
    if (this.#options.calls === 'function_call') {
      return index === 0 ? [{ delta: { function_call: { arguments: text } } }] : []
    }
    const call =
      type === 'function_call' ? { index, function: { arguments: text } } : { index, custom: { input: text } }
    return [{ delta: { tool_calls: [call] } }]
  }

  /** Adds a citation to the message that was written last. @param isPreamble - see {@link text} */
  cite(isPreamble: boolean, annotation: UrlCitation | { readonly type: string }): void {
    // A host's own message may cite files, which this API cannot express.
    if (!isUrlCitation(annotation) || (isPreamble && this.#options.preambles === 'reasoning')) return
    const { url, title, start_index, end_index } = annotation
    const place = { start_index: this.#start + start_index, end_index: this.#start + end_index }
    this.#annotations.push({ type: 'url_citation', url_citation: { ...place, title, url } })
  }

  end(): Piece {
    return { delta: this.#annotations.length === 0 ? {} : { annotations: this.#annotations } }
  }

  finishReason({ status, incomplete_details }: Response): ChatFinishReason {
    if (status === 'incomplete') return incomplete_details?.reason === 'content_filter' ? 'content_filter' : 'length'
    return this.#calls.size === 0 ? 'stop' : this.#options.calls
  }

  #joined(field: Field, at: number, text: string): string {
    const isNext = this.#writers[field] !== undefined && this.#writers[field] !== at
    this.#writers[field] = at
    return isNext ? BETWEEN + text : text
  }
}

/** Returns the token counts in the form of Chat Completions. */
export function chatUsage(usage: ResponseUsage): ChatUsage {
  return {
    prompt_tokens: usage.input_tokens,
    completion_tokens: usage.output_tokens,
    total_tokens: usage.total_tokens,
    prompt_tokens_details: { cached_tokens: usage.input_tokens_details.cached_tokens },
    completion_tokens_details: { reasoning_tokens: usage.output_tokens_details.reasoning_tokens },
  }
}

/** The identity of an answer, which each of its chunks repeats. */
export interface Identity {
  readonly id: string
  readonly created: number
  readonly model: string
}

export function identityOf(response: Response, { id, created, model }: ResolvedChatAnswerOptions): Identity {
  return {
    id: id ?? response.id.replace(/^(resp_)?/, 'chatcmpl-'),
    created: created ?? response.created_at,
    model: model ?? response.model,
  }
}
