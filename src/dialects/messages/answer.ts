import type { Citation, FunctionCallItem, OutputItem } from '../../core/responses/items.js'
import type { Response, ResponseUsage } from '../../core/responses/response.js'
import { isUrlCitation } from '../answer-stream.js'
import type { ResolvedMessageAnswerOptions } from './answer-options.js'
import type {
  Message,
  MessageBlock,
  MessageDelta,
  MessageServerToolUseBlock,
  MessageStopReason,
  MessageStreamEvent,
  MessageToolUseBlock,
  MessageUsage,
} from './message.js'
import { type ServerCallItem, serverCallBlocks, shownCalls } from './server-tools.js'
import { type PlacedSeal, writeSignature } from './signature.js'
import { toolInput, toolUseId } from './tool-input.js'

/** Whether it is a call of a client's function. */
export function isToolUse(item: OutputItem): item is FunctionCallItem {
  return item.type === 'function_call'
}

/** Whether an item is neither text, reasoning nor a call that the client runs. */
export function isServed(
  item: OutputItem,
): item is Exclude<OutputItem, { type: 'message' | 'reasoning' | 'function_call' }> {
  return item.type !== 'message' && item.type !== 'reasoning' && item.type !== 'function_call'
}

/**
 * A growing answer: maps the content of a response to blocks. Streams send its events one by one; a whole answer is
 * assembled from the same events.
 *
 * A call is shown once complete, so that no client runs half of one, and after the block with the seals that belong to
 * it. So a thinking block before calls stays open until the answer continues with text, or ends.
 */
export class MessageAnswer {
  readonly #options: ResolvedMessageAnswerOptions
  /** The number of blocks that have begun; the number of texts and calls among them and the waiting calls. */
  #count = 0
  #placed = 0
  #open: { readonly type: 'thinking' | 'text'; readonly item: number; isCited?: true } | undefined
  /** The seals that no block carries yet, and the complete calls. */
  #seals: PlacedSeal[] = []
  /** Whether a hidden call is among them; the number of blocks before each hidden call, by its position. */
  #hasSealedCall = false
  readonly #begun = new Map<number, number>()
  #calls: (FunctionCallItem | ServerCallItem)[] = []
  #hasCalls = false
  /** How many calls of the server were shown, and how many of them searched the web. */
  #served = 0
  #searches = 0
  /** How many of the searches did not fail. */
  #found = 0
  /** The container in which the last code ran. */
  #container: string | undefined
  #isShown = shownCalls([])

  constructor(options: ResolvedMessageAnswerOptions) {
    this.#options = options
  }

  begin(response: Response): MessageStreamEvent[] {
    const { id = messageId(response.id), model = response.model } = this.#options
    this.#isShown = shownCalls(response.tools)
    const usage = response.usage === null ? this.#usageSoFar() : messageUsage(response.usage)
    const rest = { stop_reason: null, stop_sequence: null, usage } as const
    return [{ type: 'message_start', message: { id, type: 'message', role: 'assistant', model, content: [], ...rest } }]
  }

  /** Returns the counts known before the model has answered. */
  #usageSoFar(): MessageUsage {
    const { inputTokens = 0, cachedTokens = 0 } = this.#options.input?.() ?? {}
    return countsOf(inputTokens, cachedTokens, 0)
  }

  /** Adds a piece of an item's reasoning. @param at - the item's position in the output */
  reasoning(at: number, text: string): MessageStreamEvent[] {
    if (text === '' || this.#options.thinking !== 'shown') return []
    return [...this.#enter('thinking', at), this.#delta({ type: 'thinking_delta', thinking: text })]
  }

  /** Ends reasoning: `sealed` goes to the open block or the next one. @param at - the item's position */
  reasoned(at: number, sealed: string | undefined): void {
    if (sealed !== undefined && sealed !== '') this.#seals.push({ before: this.#placed, at, sealed })
  }

  /** @param isPreamble - whether the text precedes the answer, or a call */
  text(at: number, isPreamble: boolean, text: string): MessageStreamEvent[] {
    if (text === '' || (isPreamble && this.#options.preambles === 'hidden')) return []
    return [...this.#enter('text', at), this.#delta({ type: 'text_delta', text })]
  }

  /** Adds a page that an item cites at the end of its text so far. Files have no form here. */
  cite(at: number, citation: Citation | { readonly type: string }): MessageStreamEvent[] {
    const open = this.#open
    if (open?.type !== 'text' || open.item !== at || !isUrlCitation(citation)) return []
    open.isCited = true
    const { url, title, cited_text = '' } = citation
    const location = { type: 'web_search_result_location', url, title, cited_text, encrypted_index: '' } as const
    return [this.#delta({ type: 'citations_delta', citation: location })]
  }

  /** Adds a complete call. */
  call(item: FunctionCallItem): MessageStreamEvent[] {
    // A text needs no seal.
    const ended = this.#open?.type === 'text' ? this.#close() : []
    this.#calls.push(item)
    this.#placed += 1
    this.#hasCalls = true
    return ended
  }

  /** Whether the client is shown a call that the server runs, as soon as it has ended. */
  shows(item: OutputItem): boolean {
    return this.#isShown(item)
  }

  /** Records the place of an item at its beginning, since later blocks may be shown before its result. */
  added(at: number): void {
    this.#begun.set(at, this.#placed)
  }

  /**
   * Adds the server's call with its result: sealed if it is not shown, omitted if it was cut off. @param at - its
   * position
   */
  served(at: number, item: OutputItem): MessageStreamEvent[] {
    const before = this.#begun.get(at) ?? this.#placed
    this.#begun.delete(at)
    if (!('status' in item) || (item.status !== 'completed' && item.status !== 'failed')) return []
    if (!this.#isShown(item)) {
      const sealed = this.#options.sealCall?.(item)
      if (sealed === undefined) return []
      this.#seals.push({ before, at, sealed })
      this.#hasSealedCall = true
      return []
    }
    this.#calls.push(item)
    this.#placed += 1
    this.#served += 1
    // After the client's calls it waits with them, because the block that seals them precedes it.
    return this.#hasCalls ? [] : this.#settle()
  }

  end(response: Response): MessageStreamEvent[] {
    const { stopSequence } = this.#options
    const stopped = this.#hasCalls || response.status === 'incomplete' ? undefined : stopSequence?.()
    const last = this.#settle()
    const delta = {
      stop_reason: this.#stopReason(response, stopped),
      stop_sequence: stopped ?? null,
      ...this.#containerOf(),
    }
    // After the answer, since clients that asked for no thinking read the first block as the answer.
    if (this.#hasSealedCall && this.#seals.length > 0) for (const event of this.#carrier()) last.push(event)
    const searched = { web_search_requests: this.#found, web_fetch_requests: 0 }
    const usage = { ...messageUsage(response.usage), ...(this.#found > 0 && { server_tool_use: searched }) }
    return [...last, { type: 'message_delta', delta, usage }, { type: 'message_stop' }]
  }

  /** Returns the container in which the next request can go on. */
  #containerOf(): Pick<Message, 'container'> {
    const id = this.#container
    const expires_at = id === undefined ? undefined : this.#options.containerExpiry?.(id)
    return id === undefined || expires_at === undefined ? {} : { container: { id, expires_at, skills: null } }
  }

  #stopReason({ status, incomplete_details }: Response, stopped: string | undefined): MessageStopReason {
    // Before the calls: at tool_use a client would go on as if nothing had been cut off.
    if (status === 'incomplete') return incomplete_details?.reason === 'content_filter' ? 'refusal' : 'max_tokens'
    if (this.#hasCalls) return 'tool_use'
    return stopped === undefined ? 'end_turn' : 'stop_sequence'
  }

  /** Continues the block of an item, or begins one. */
  #enter(type: 'thinking' | 'text', item: number): MessageStreamEvent[] {
    if (this.#open?.type === type && this.#open.item === item && !this.#open.isCited) return []
    const before = this.#settle()
    this.#open = { type, item }
    if (type === 'text') this.#placed += 1
    const block: MessageBlock =
      type === 'text' ? { type, text: '', citations: null } : { type, thinking: '', signature: '' }
    return [...before, this.#start(block)]
  }

  /** Ends the open block, and shows the calls that waited for it. */
  #settle(): MessageStreamEvent[] {
    const events = this.#open === undefined ? [] : this.#close()
    // Hidden reasoning is useful to the model only beside calls: an answer drops it.
    const isOfUse = this.#options.thinking !== 'sealed' || this.#calls.length > 0 || this.#served > 0
    if (this.#seals.length > 0 && isOfUse) for (const event of this.#carrier()) events.push(event)
    for (const item of this.#calls) {
      for (const event of isToolUse(item) ? this.#toolUse(item) : this.#serverCall(item)) events.push(event)
    }
    this.#calls = []
    return events
  }

  #close(): MessageStreamEvent[] {
    const events: MessageStreamEvent[] = []
    if (this.#open?.type === 'thinking' && this.#seals.length > 0) {
      events.push(this.#delta({ type: 'signature_delta', signature: this.#takeSeals() }))
    }
    this.#open = undefined
    return [...events, { type: 'content_block_stop', index: this.#count - 1 }]
  }

  /** Creates a block for seals that no thinking block has taken. Clients show an empty thinking block to their users. */
  #carrier(): MessageStreamEvent[] {
    const seals = this.#takeSeals()
    if (this.#options.thinking !== 'omitted') {
      return [this.#start({ type: 'redacted_thinking', data: seals }), this.#stop()]
    }
    const start = this.#start({ type: 'thinking', thinking: '', signature: '' })
    return [start, this.#delta({ type: 'signature_delta', signature: seals }), this.#stop()]
  }

  #takeSeals(): string {
    const seals = this.#seals
    this.#seals = []
    return writeSignature(seals)
  }

  #toolUse({ call_id, name, arguments: text }: FunctionCallItem): MessageStreamEvent[] {
    return this.#use({ type: 'tool_use', id: toolUseId(call_id), name, input: toolInput(text) })
  }

  #serverCall(item: ServerCallItem): MessageStreamEvent[] {
    if (item.type === 'web_search_call' && item.action.type === 'search') {
      this.#searches += 1
      if (item.status === 'completed') this.#found += 1
    }
    if (item.type === 'code_interpreter_call') this.#container = item.container_id
    const { maxSearches = Number.POSITIVE_INFINITY } = this.#options
    const { use, result } = serverCallBlocks(item, this.#searches > maxSearches)
    // Clients do not join the deltas of an MCP tool's call.
    const useEvents = use.type === 'mcp_tool_use' ? [this.#start(use), this.#stop()] : this.#use(use)
    return [...useEvents, this.#start(result), this.#stop()]
  }

  /** Shows the block of a call, whose input follows in a delta. */
  #use(block: MessageToolUseBlock | MessageServerToolUseBlock): MessageStreamEvent[] {
    const start = this.#start({ ...block, input: {} })
    return [start, this.#delta({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }), this.#stop()]
  }

  #start(content_block: MessageBlock): MessageStreamEvent {
    this.#count += 1
    return { type: 'content_block_start', index: this.#count - 1, content_block }
  }

  #delta(delta: MessageDelta): MessageStreamEvent {
    return { type: 'content_block_delta', index: this.#count - 1, delta }
  }

  #stop(): MessageStreamEvent {
    return { type: 'content_block_stop', index: this.#count - 1 }
  }
}

/** Returns the id of a message for that of a response. */
function messageId(responseId: string): string {
  return responseId.replace(/^(resp_)?/, 'msg_')
}

/** Returns the token counts in the form of this API, whose clients add the cached ones to `input_tokens`. */
function messageUsage(usage: ResponseUsage | null): MessageUsage {
  const { input_tokens = 0, output_tokens = 0, input_tokens_details } = usage ?? {}
  return countsOf(input_tokens, input_tokens_details?.cached_tokens ?? 0, output_tokens)
}

function countsOf(input: number, cached: number, output_tokens: number): MessageUsage {
  return {
    input_tokens: input - cached,
    output_tokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
  }
}

/** Assembles the events of an answer, as clients do with a stream. */
export function messageOf(events: readonly MessageStreamEvent[]): Message | undefined {
  let message: Message | undefined
  let json = ''
  for (const event of events) {
    const block = message?.content.at(-1)
    if (event.type === 'message_start') message = event.message
    else if (event.type === 'content_block_start') message?.content.push(event.content_block)
    else if (event.type === 'content_block_delta') {
      const { delta } = event
      if (delta.type === 'text_delta' && block?.type === 'text') block.text += delta.text
      if (delta.type === 'citations_delta' && block?.type === 'text')
        block.citations = [...(block.citations ?? []), delta.citation]
      if (delta.type === 'thinking_delta' && block?.type === 'thinking') block.thinking += delta.thinking
      if (delta.type === 'signature_delta' && block?.type === 'thinking') block.signature = delta.signature
      if (delta.type === 'input_json_delta') json += delta.partial_json
    } else if (event.type === 'content_block_stop') {
      if (json !== '' && block !== undefined && 'input' in block) block.input = JSON.parse(json)
      json = ''
    } else if (event.type === 'message_delta' && message !== undefined) {
      Object.assign(message, event.delta, { usage: event.usage })
    }
  }
  return message
}
