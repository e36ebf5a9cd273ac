import type { Fields } from '../../../../../shared/fields.js'
import { OpenParts } from '../../../clients/ai-sdk/open-parts.js'
import { BaseReader, seenCall } from '../../../clients/client.js'
import { faultOf } from '../../../clients/schema-fault.js'
import { asFields, asList, asString } from '../../../stream-event.js'
import { pageIn } from '../citation.js'
import { endingBy } from '../stop-reasons.js'
import { eventSchema } from './event-schema.js'

/** The open block at an index. */
type Open =
  | { readonly kind: 'text'; readonly pages: string[] }
  | { readonly kind: 'reasoning' }
  | { readonly kind: 'call' | 'served'; readonly name: string; input: string }

/** The server's calls that the SDK shows while they are written. */
const SERVED = /^(web_fetch|web_search|(text_editor_|bash_)?code_execution|tool_search_tool_(regex|bm25)|advisor)$/

/** Simulates `streamText` of ai with the stream reader of @ai-sdk/anthropic. */
export class AiSdkReader extends BaseReader<unknown> {
  readonly #texts = new OpenParts()
  readonly #reasonings = new OpenParts()
  readonly #open = new Map<number, Open>()
  readonly #mcpCalls = new Set<string>()
  /** The type of the block that began last, until a block stops. */
  #blockType: string | undefined
  /** Whether nothing was emitted yet: an error is then thrown instead of emitted. */
  #isEarly = true
  /** The pages that texts cite, where a block ends and at message_stop: shown as sources if a search gave none. */
  readonly #cited: string[] = []
  readonly #sources: string[] = []
  #citedSoFar: string[] = []
  #isSearched = false
  /** The id of the message that is open; a message without an id is null. */
  #message: { readonly id: unknown } | undefined
  #reason: unknown
  /** The stop_reason at the last message_stop; undefined before the first. */
  #finished: { readonly reason: unknown } | undefined
  /** Whether anything was shown since the last message began or ended. */
  #hasOutput = false
  #hasError = false
  /** Whether the server's error came after a message_stop. */
  #failedLate = false
  /** Whether the SDK showed an error of its own, not one of the server. */
  #isBroken = false
  /** The part that was last reported as missing, so that its other deltas are not reported, too. */
  #missing: string | undefined

  read(event: unknown): void {
    if (this.isOver) return
    const fault = faultOf(eventSchema, event, '')
    if (fault !== undefined) {
      const { type } = asFields(event)
      const of = typeof type === 'string' ? ` in ${type}` : ''
      this.reportBreak('messages-ai-sdk-validates', `${fault.expected}${of}`, fault.got, fault.words)
      this.#break('Type validation failed')
      return
    }
    this.#take(asFields(event))
  }

  end(): void {
    const { seen } = this
    for (const open of this.#open.values()) {
      if (open.kind === 'call')
        this.reportBreak('messages-ai-sdk-call-stop', `content_block_stop of ${open.name}`, undefined, 'none')
    }
    this.isOver = true
    if (!this.#hasError && (this.#hasOutput || this.#finished === undefined))
      this.reportBreak(
        'messages-ai-sdk-stop',
        'message_stop at the end',
        undefined,
        this.#finished ? 'more behind it' : 'none',
      )
    const isInterrupted = this.#hasOutput && !this.#hasError
    // Without a step there is no result.
    if (this.#finished !== undefined || isInterrupted) seen.final = this.#texts.all
    else if (!this.#hasError) this.#break('No output generated')
    if (seen.final !== undefined) seen.citations = this.#isSearched ? this.#cited : this.#sources
    if (this.#isBroken) seen.ending = 'threw'
    else if (isInterrupted) seen.ending = 'open'
    else if (this.#finished !== undefined) seen.ending = this.#failedLate ? 'failed' : endingBy(this.#finished.reason)
    else seen.ending = this.#hasError ? 'failed' : 'open'
  }

  /** An error of the SDK's own. The first part of a stream must not be one. */
  #break(message: string): void {
    this.#isBroken = true
    this.#hasError = true
    this.seen.error ??= message
    if (this.#isEarly) this.isOver = true
  }

  #take(event: Fields): void {
    const index = event['index'] as number
    switch (event['type']) {
      case 'message_start':
        this.#start(asFields(event['message']))
        break
      case 'content_block_start':
        this.#begin(index, asFields(event['content_block']))
        break
      case 'content_block_delta':
        this.#delta(index, asFields(event['delta']))
        break
      case 'content_block_stop':
        this.#stop(index)
        break
      case 'message_delta':
        this.#reason = asFields(event['delta'])['stop_reason']
        break
      case 'message_stop':
        this.#message = undefined
        this.#finished = { reason: this.#reason }
        this.#failedLate = false
        this.#hasOutput = false
        if (!this.#isSearched) for (const page of this.#citedSoFar) this.#sources.push(page)
        this.#citedSoFar = []
        this.#isEarly = false
        break
      case 'error':
        this.seen.error ??= asString(asFields(event['error'])['message'])
        this.#hasError = true
        this.#failedLate = this.#finished !== undefined
        if (this.#isEarly) this.isOver = true
    }
  }

  #start({ id, stop_reason, content }: Fields): void {
    if (this.#message !== undefined) {
      if (this.#message.id === id) return
      this.reportBreak('messages-ai-sdk-one-message', 'message_stop before another message', undefined, 'message_start')
      this.#break('Received message_start while a message is still open.')
      this.isOver = true
      return
    }
    this.#message = { id }
    this.#isEarly = false
    this.#hasOutput = false
    if (stop_reason !== undefined && stop_reason !== null) this.#reason = stop_reason
    for (const { name, input } of asList(content).map(asFields)) {
      this.#hasOutput = true
      this.#run(asString(name), JSON.stringify(input ?? {}))
    }
  }

  #begin(index: number, block: Fields): void {
    const type = asString(block['type'])
    const name = asString(block['name'])
    const given = Object.keys(asFields(block['input'])).length > 0 ? JSON.stringify(block['input']) : ''
    this.#blockType = type
    if (type === 'text' || type === 'compaction') {
      this.#open.set(index, { kind: 'text', pages: [] })
      this.#texts.start(String(index))
    } else if (type === 'thinking' || type === 'redacted_thinking') {
      this.#open.set(index, { kind: 'reasoning' })
      this.#reasonings.start(String(index))
    } else if (type === 'tool_use') this.#open.set(index, { kind: 'call', name, input: given })
    else if (type === 'server_tool_use') {
      if (!SERVED.test(name)) return
      this.#open.set(index, { kind: 'served', name, input: given })
    } else if (type === 'web_search_tool_result') {
      this.#isSearched ||= asList(block['content']).length > 0
    } else if (type === 'mcp_tool_use') {
      this.#mcpCalls.add(asString(block['id']))
      this.#hasOutput = true
    } else if (type === 'mcp_tool_result' && !this.#mcpCalls.has(asString(block['tool_use_id']))) {
      this.reportBreak('messages-ai-sdk-mcp-result', 'mcp_tool_use before its result', undefined, 'none')
      this.#break('TypeError')
      this.isOver = true
    }
    this.#isEarly = false
  }

  #delta(index: number, delta: Fields): void {
    const { type, text, thinking, partial_json, content, citation } = delta
    const open = this.#open.get(index)
    switch (type) {
      case 'text_delta':
        this.#text(index, asString(text))
        break
      case 'compaction_delta':
        // A part of text that is marked as a compaction: no text of the answer.
        if (typeof content !== 'string') return
        this.#isEarly = false
        if (content !== '') this.#hasOutput = true
        break
      case 'thinking_delta':
        this.#reasoning(index, asString(thinking))
        break
      case 'citations_delta': {
        const page = pageIn(citation)
        if (page === undefined) break
        if (open?.kind === 'text') open.pages.push(page)
        this.#citedSoFar.push(page)
        break
      }
      case 'signature_delta':
        if (this.#blockType === 'thinking') this.#reasoning(index, '')
        break
      case 'input_json_delta': {
        const given = asString(partial_json)
        if (given === '' || open === undefined || !('input' in open)) return
        open.input += given
        this.#hasOutput = true
        this.#isEarly = false
      }
    }
  }

  #text(index: number, text: string): void {
    this.#isEarly = false
    if (text === '') return
    this.#hasOutput = true
    this.seen.streamed.append(text)
    if (!this.#texts.append(String(index), text)) this.#lost('text', index)
  }

  #reasoning(index: number, thinking: string): void {
    this.#isEarly = false
    if (thinking !== '') this.#hasOutput = true
    this.seen.reasoning.append(thinking)
    if (!this.#reasonings.append(String(index), thinking)) this.#lost('reasoning', index)
  }

  /** ai finds no part for the event. */
  #lost(kind: string, index: number): void {
    const part = `${kind} part ${index}`
    if (this.#missing !== part)
      this.reportBreak('messages-ai-sdk-part', `an open block of ${kind} at index ${index}`, undefined, 'none')
    this.#missing = part
    // The error comes after the reader of the provider, which does not see it.
    this.#isBroken = true
    this.seen.error ??= `${part} not found`
  }

  #stop(index: number): void {
    const open = this.#open.get(index)
    this.#blockType = undefined
    if (open === undefined) return
    this.#open.delete(index)
    this.#isEarly = false
    if (open.kind === 'text') {
      this.#texts.end(String(index))
      for (const page of open.pages) this.#cited.push(page)
    } else if (open.kind === 'reasoning') this.#reasonings.end(String(index))
    else {
      this.#hasOutput = true
      if (open.kind === 'call') this.#run(open.name, open.input === '' ? '{}' : open.input)
    }
  }

  #run(name: string, given: string): void {
    const call = seenCall(name, given)
    try {
      JSON.parse(given)
      this.seen.calls.push(call)
    } catch {
      this.seen.calls.push({ ...call, isInvalid: true })
      this.reportBreak('messages-ai-sdk-tool-input', 'input as valid JSON', given)
    }
  }
}
