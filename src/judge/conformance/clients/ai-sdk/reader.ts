import { type Fields, isFields } from '../../../../shared/fields.js'
import { asFields, asList, asString, type StreamEvent } from '../../stream-event.js'
import { citationSources } from '../agreement/agreed-item.js'
import { BaseReader, type Ending, type ReportBreak, runByAi, seenCall } from '../client.js'
import type { SchemaFault } from '../schema-fault.js'
import { nestedErrorSchema } from './event-schemas.js'
import { HostedCalls } from './hosted-calls.js'
import { OpenParts } from './open-parts.js'
import { validate } from './validate.js'

/** The state of a summary part. It concludes only when the next part begins, as its end has the encrypted reasoning. */
type PartState = 'active' | 'can-conclude' | 'concluded'

/** Simulates `streamText` of ai with the stream reader of @ai-sdk/openai. */
export class AiSdkReader extends BaseReader {
  /** Whether there is no output yet: an error is then thrown instead of streamed. */
  #isEarly = true
  /** Whether the SDK showed an error of its own, not one of the server. */
  #isBroken = false
  /** Whether there was an error of the SDK or the server: it overrides the ending of the response. */
  #hasError = false
  #ending: Ending = 'open'
  #hasCall = false
  /** Whether a call was done when the last terminal event came. */
  #finishedWithCall: boolean | undefined
  readonly #texts = new OpenParts()
  readonly #reasonings = new OpenParts()
  /** The ids of items by output_index. The SDK ignores the ids of later events. */
  readonly #ids = new Map<number, string>()
  /** The states of the summary parts of open reasoning items. */
  readonly #summaries = new Map<string, Map<number, PartState>>()
  readonly #calls: HostedCalls
  /** The citations of the open message. */
  #annotations: Fields[] = []
  /** The citations of done messages. */
  readonly #cited: string[] = []
  /** Citations that become sources at once, and those that become sources at the end. */
  readonly #sources: string[] = []
  readonly #lateSources: string[] = []
  /** Whether a search has listed its results: then they are the sources instead of the citations. */
  #hasFound = false
  /** The part that was last reported as missing, so that its other deltas are not reported, too. */
  #missing: string | undefined

  constructor(reportBreak: ReportBreak) {
    super(reportBreak)
    this.#calls = new HostedCalls((rule, expected, words) => reportBreak(rule, expected, undefined, words))
  }

  read(event: StreamEvent): void {
    if (this.isOver) return
    const validated = validate(event)
    if (typeof validated === 'object') this.#fail(event, validated)
    else if (validated === 'known') this.#take(event)
    if (!this.isOver && typeof event.type === 'string') this.#calls.observe(event)
  }

  end(): void {
    const { seen } = this
    if (!this.isOver) {
      for (const source of this.#lateSources) this.#sources.push(source)
      seen.final = this.#texts.all
    }
    this.isOver = true
    for (const source of this.#hasFound ? this.#cited : this.#sources) seen.citations.push(source)
    for (const shown of this.#calls.shown) seen.hosted.push(shown)
    for (const [id, name] of this.#calls.items) seen.hostedItems.set(id, name)
    seen.ending = this.#isBroken ? 'threw' : this.#ending
    if (seen.ending === 'completed' && this.#hasCall && this.#finishedWithCall === false) {
      this.reportBreak('ai-sdk-finish', 'all calls before the terminal event', undefined, 'one after it')
    }
    this.#calls.end(seen.ending === 'completed')
  }

  #fail(event: StreamEvent, { expected, got, words }: SchemaFault): void {
    const of = typeof event.type === 'string' ? ` in ${event.type}` : ''
    this.reportBreak('ai-sdk-validates', `${expected}${of}`, got, words)
    this.#isEarly = false
    this.#ownError('Type validation failed')
    this.#hasError = true
    this.#ending = 'failed'
  }

  #ownError(message: string): void {
    this.#isBroken = true
    this.seen.error ??= message
  }

  #take(event: StreamEvent): void {
    const { type } = event
    if (type === 'error' || type === 'response.failed') this.#takeError(event)
    else if (type === 'response.in_progress') return
    else if (type !== 'response.created') {
      this.#isEarly = false
      this.#takeOutput(event, type)
    }
  }

  /** Reads an error from the server. */
  #takeError(event: StreamEvent): void {
    const isFailed = event.type === 'response.failed'
    const response = asFields(event['response'])
    const isNested = nestedErrorSchema.safeParse(event).success
    const reported = isFailed ? response['error'] : isNested ? event['error'] : event
    const { reason } = asFields(response['incomplete_details'])
    this.#ending = reason ? endingFor(reason, this.#hasCall) : 'failed'
    if (!isFields(reported)) return
    if (!isFailed || !this.#hasError) this.seen.error ??= asString(reported['message'])
    this.#hasError = true
    if (!this.#isEarly) return
    this.#ending = 'failed'
    this.isOver = true
  }

  #takeOutput(event: StreamEvent, type: string): void {
    switch (type) {
      case 'response.output_item.added':
        this.#add(event['output_index'] as number, event['item'] as Fields)
        break
      case 'response.output_item.done':
        this.#finish(event['output_index'] as number, event['item'] as Fields)
        break
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.#text(this.#idOf(event), event['delta'] as string)
        break
      case 'response.reasoning_summary_part.added':
        this.#addSummary(this.#idOf(event), event['summary_index'] as number)
        break
      case 'response.reasoning_summary_text.delta':
        this.#reasoning(this.#idOf(event), event['summary_index'] as number, event['delta'] as string)
        break
      case 'response.reasoning_summary_part.done':
        this.#summaries.get(this.#idOf(event))?.set(event['summary_index'] as number, 'can-conclude')
        return
      case 'response.output_text.annotation.added':
        this.#cite(event['annotation'] as Fields)
        break
      case 'response.image_generation_call.partial_image':
        this.#calls.partialImage(event['item_id'] as string)
        return
      case 'response.code_interpreter_call_code.done':
        this.#codeDone(event['output_index'] as number, event['code'] as string)
        break
      case 'response.completed':
      case 'response.incomplete': {
        const { reason } = asFields(asFields(event['response'])['incomplete_details'])
        this.#finishedWithCall = this.#hasCall
        if (!this.#hasError) this.#ending = endingFor(reason, this.#hasCall)
      }
    }
  }

  #add(index: number, item: Fields): void {
    const { type } = item
    const id = item['id'] as string
    if (type === 'message') {
      this.#ids.set(index, id)
      this.#annotations = []
      this.#texts.start(id)
    } else if (type === 'reasoning') {
      this.#ids.set(index, id)
      this.#summaries.set(id, new Map([[0, 'active']]))
      this.#reasonings.start(`${id}:0`)
    } else if (type === 'function_call' || type === 'custom_tool_call') this.#calls.open(index, type, id)
    else this.#calls.add(index, item)
  }

  #finish(index: number, item: Fields): void {
    switch (item['type']) {
      case 'message': {
        const id = this.#ids.get(index) ?? (item['id'] as string)
        this.#ids.delete(index)
        for (const source of citationSources(this.#annotations)) this.#cited.push(source)
        if (!this.#texts.end(id)) {
          this.#lost('ai-sdk-text-part', id, `output_item.added of the message`, `${id} was never added, or is done`)
        }
        return
      }
      case 'reasoning':
        this.#finishReasoning(index, item['id'] as string)
        return
      case 'function_call':
        this.#call(index, item)
        return
      case 'custom_tool_call': {
        const { name, input } = item as { readonly name: string; readonly input: string }
        this.#calls.close(index)
        this.#hasCall = true
        this.seen.calls.push({ ...seenCall(name, input), type: 'custom_tool_call' })
        return
      }
      case 'computer_call':
        if (typeof item['call_id'] === 'string') this.#hasCall = true
        break
      case 'apply_patch_call':
        if (this.#calls.isOpen(index) && item['status'] === 'completed') this.#hasCall = true
        break
      case 'web_search_call':
        if (asList(asFields(item['action'])['sources']).some((source) => asFields(source)['type'] === 'url')) {
          this.#hasFound = true
        }
        break
      case 'file_search_call':
        if (asList(item['results']).length > 0) this.#hasFound = true
        break
    }
    this.#calls.done(index, item)
  }

  #finishReasoning(index: number, itemId: string): void {
    const id = this.#ids.get(index) ?? itemId
    this.#ids.delete(index)
    for (const [part, state] of this.#summaries.get(id) ?? []) {
      if (state !== 'concluded') this.#endReasoning(id, part)
    }
    this.#summaries.delete(id)
  }

  #call(index: number, item: Fields): void {
    const given = item['arguments'] as string
    this.#calls.close(index)
    this.#hasCall = true
    const call = { ...seenCall(item['name'] as string, given), type: 'function_call' as const }
    if (!runByAi(this.seen, call, given)) this.reportBreak('ai-sdk-tool-input', 'arguments as valid JSON', given)
  }

  #codeDone(index: number, code: string): void {
    if (this.#calls.codeDone(index, code)) return
    this.#ownError('TypeError')
    this.isOver = true
  }

  #text(id: string, delta: string): void {
    if (delta === '') return
    this.seen.streamed.append(delta)
    if (!this.#texts.append(id, delta)) {
      this.#lost('ai-sdk-text-part', id, 'output_item.added of the message', `text of ${id}, which is not open`)
    }
  }

  #reasoning(id: string, part: number, delta: string): void {
    this.seen.reasoning.append(delta)
    if (this.#reasonings.append(`${id}:${part}`, delta)) return
    const what = part > 0 && this.#summaries.has(id) ? 'reasoning_summary_part.added' : 'output_item.added'
    this.#lost('ai-sdk-reasoning-part', `${id}:${part}`, what, `a summary at index ${part} of ${id}, which is not open`)
  }

  #addSummary(id: string, part: number): void {
    const parts = this.#summaries.get(id)
    if (part <= 0 || parts === undefined) return
    parts.set(part, 'active')
    for (const [before, state] of parts) {
      if (state !== 'can-conclude') continue
      this.#endReasoning(id, before)
      parts.set(before, 'concluded')
    }
    this.#reasonings.start(`${id}:${part}`)
  }

  #endReasoning(id: string, part: number): void {
    if (this.#reasonings.end(`${id}:${part}`)) return
    this.#lost('ai-sdk-reasoning-part', `${id}:${part}`, 'reasoning_summary_part.added', `part ${part} is not open`)
  }

  /** Reports a part that ai does not find. */
  #lost(rule: string, id: string, expected: string, words: string): void {
    if (this.#missing !== id) this.reportBreak(rule, expected, undefined, words)
    this.#missing = id
    this.#ownError(`${rule === 'ai-sdk-text-part' ? 'text' : 'reasoning'} part not found`)
  }

  #cite(annotation: Fields): void {
    this.#annotations.push(annotation)
    const isLate = annotation['type'] === 'url_citation' || annotation['type'] === 'file_citation'
    const sources = isLate ? this.#lateSources : this.#sources
    for (const source of citationSources([annotation])) sources.push(source)
  }

  #idOf({ item_id, output_index }: StreamEvent): string {
    const known = typeof output_index === 'number' ? this.#ids.get(output_index) : undefined
    return known ?? (item_id as string)
  }
}

/** Returns the ending for the reason in incomplete_details. */
function endingFor(reason: unknown, hasCall: boolean): Ending {
  // A refusal has the finish reason `content-filter`, and a call `tool-calls`: the response is complete.
  if (reason === undefined || reason === null) return 'completed'
  if (reason === 'max_output_tokens' || reason === 'content_filter') return 'incomplete'
  return hasCall ? 'completed' : 'incomplete'
}
