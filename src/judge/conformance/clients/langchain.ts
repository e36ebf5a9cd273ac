import { asFields, asString, type StreamEvent, stringOrDescription } from '../stream-event.js'
import { CitationSpans } from './citation-spans.js'
import { BaseReader, type ClientModel, rulesOf } from './client.js'
import { COMPUTER } from './langchain/calls.js'
import { checkOutput, LangchainError, requireItem, requireResponse } from './langchain/demands.js'
import { MergeError } from './langchain/merge.js'
import { LangchainMessage, type SummaryPart } from './langchain/message.js'
import { concatenated } from './mutable-text.js'
import type { EventRef } from './votes.js'

/**
 * LangChain: `ChatOpenAI` with `useResponsesApi`, streamed, with concatenated chunks. It reads `output_item.added` and
 * deltas, `output_item.done` for hosted calls only, and the terminal response except its output. It does not read the
 * `.done` events of texts and arguments.
 */
export const langchain: ClientModel = {
  client: 'langchain',
  name: 'LangChain',
  versions: { '@langchain/openai': '1.6.0', '@langchain/core': '1.4.0' },
  reads: {
    streamed: true,
    final: true,
    refusals: false,
    rawReasoning: false,
    summaries: true,
    functionCalls: true,
    customCalls: true,
    namespaces: false,
    citations: true,
    incomplete: 'incomplete',
    failed: 'threw',
    cancelled: 'cancelled',
  },
  rules: rulesOf({
    'langchain-error-key':
      'Only the event `error` has a field `error`: the openai SDK under LangChain throws at any other.',
    'langchain-hears-failure':
      'An `error` event precedes response.failed: LangChain ignores response.failed, and the run looks like one that ended early.',
    'langchain-item': 'output_item.added and output_item.done carry an item: LangChain throws a TypeError without one.',
    'langchain-response':
      'response.created, response.completed and response.incomplete carry the response: LangChain throws a TypeError without one.',
    'langchain-output':
      'The output of the terminal response is a list of complete items, with lists of content and annotations: LangChain converts all of it, although it shows none of it, and throws a TypeError if a list is missing.',
    'langchain-response-error':
      'The error of a response that is completed or incomplete is null: LangChain throws any other value.',
    'langchain-summary':
      'The summary of a reasoning item is a list of parts, or absent, and an added part is an object: LangChain throws a TypeError otherwise.',
    'langchain-annotation': 'An added annotation is an object: LangChain throws a TypeError otherwise.',
    'langchain-citation-span':
      'The span of an added annotation is that of the done part and item: LangChain shows it from the event, and the citation stands at another place otherwise.',
    'langchain-call-id': 'An added call has a call_id: without one, LangChain passes it on as an invalid tool call.',
    'langchain-merges':
      'A field that LangChain merges from chunk to chunk (text, arguments, names, ids, summary parts, the response) has the same type in all of them: it throws otherwise.',
  }),
  begin: (reportBreak) => new LangchainReader(reportBreak),
}

/** The metadata that LangChain adds to every chunk. */
const PROVIDER = { model_provider: 'openai' }

class LangchainReader extends BaseReader {
  readonly #message = new LangchainMessage()
  /** The event with the error that it threw at, if it threw because of one. */
  #errorEvent: StreamEvent | undefined
  /** The number of the current event. */
  #position = -1
  /** The first response.failed: without another error event or ending, LangChain does not notice it. */
  #failed: EventRef | undefined
  /** The events that added calls without a call_id, by output_index: LangChain learns their call_id only later. */
  readonly #nameless = new Map<unknown, EventRef>()
  readonly #spans = new CitationSpans()
  /** The id of the response. */
  #id: unknown

  read(event: StreamEvent): void {
    this.#position++
    const moved = this.#spans.closed(event)
    if (moved !== undefined) {
      const { expected, got, at } = moved
      this.reportBreak('langchain-citation-span', `the span ${expected} of the done part`, undefined, got, at)
    }
    if (this.seen.ending === 'threw') {
      this.#afterError(event)
      return
    }
    if (event.type === 'error' || event['error']) {
      // The openai SDK throws before LangChain sees the event. For a failed response that is correct.
      this.#errorEvent = event
      this.#throw(errorMessageIn(event))
      return
    }
    try {
      this.#take(event)
    } catch (error) {
      if (error instanceof LangchainError) this.reportBreak(error.rule, error.expected, error.got)
      else if (error instanceof MergeError) {
        const { field, previous: had, next: came } = error
        const place = `as its ${field} was a ${had} before`
        this.reportBreak('langchain-merges', `${event.type} with a ${had}, ${place}`, undefined, `a ${came}`)
      } else throw error
      this.#throw(error.message)
    }
  }

  end(): void {
    for (const at of this.#nameless.values()) {
      this.reportBreak('langchain-call-id', 'a call_id', undefined, 'none', at)
    }
    if (this.seen.ending === 'threw') return
    this.#message.show(this.seen)
    if (this.#failed === undefined || this.seen.ending !== 'open') return
    this.reportBreak('langchain-hears-failure', 'an error event before it', undefined, 'none', this.#failed)
  }

  /** Reports an error that it threw at, if the response then ends without failing. */
  #afterError({ type, response }: StreamEvent): void {
    const event = this.#errorEvent
    if (event === undefined || !/^response\.(completed|incomplete)$/.test(type)) return
    const { id } = asFields(response)
    if (id !== undefined && this.#id !== undefined && id !== this.#id) return
    this.reportBreak('langchain-error-key', `no error in ${event.type}, as the response ends otherwise`, event['error'])
    this.#errorEvent = undefined
  }

  #throw(message: string): void {
    this.seen.ending = 'threw'
    this.seen.error = message
  }

  /** Turns an event into a chunk, and merges it into the message. */
  #take(event: StreamEvent): void {
    const { type } = event
    if (type === 'response.output_text.delta') this.#text(event)
    else if (type === 'response.output_text.annotation.added') this.#annotation(event)
    else if (type === 'response.output_item.added') this.#added(event)
    else if (type === 'response.output_item.done') this.#done(event)
    else if (type === 'response.created') this.#created(event)
    else if (type === 'response.completed' || type === 'response.incomplete') this.#terminal(event)
    else if (type === 'response.failed') {
      this.#failed ??= { position: this.#position, type }
    } else if (/^response\.(function_call_arguments|custom_tool_call_input)\.delta$/.test(type)) {
      const isCustom = type === 'response.custom_tool_call_input.delta'
      this.#message.call({ index: event['output_index'], args: event['delta'], isCustom })
      this.#message.chunk(PROVIDER)
    } else if (type === 'response.refusal.done') {
      this.#message.field('refusal', event['refusal'])
      this.#message.chunk(PROVIDER)
    } else if (type === 'response.reasoning_summary_part.added') this.#summaryPart(event)
    else if (type === 'response.reasoning_summary_text.delta') this.#summaryDelta(event)
    else if (HOSTED_PROGRESS.test(type)) this.#message.chunk({ ...PROVIDER, 'tool_outputs.id': event['item_id'] })
  }

  #text({ delta, content_index: index }: StreamEvent): void {
    this.seen.streamed.append(concatenated(delta))
    this.#message.block({ type: 'text', index, text: delta })
    this.#message.chunk(PROVIDER)
  }

  #annotation(event: StreamEvent): void {
    const { annotation, content_index: index } = event
    if (annotation === undefined || annotation === null) {
      throw new LangchainError('langchain-annotation', 'an annotation', annotation)
    }
    this.#spans.added(event, { position: this.#position, type: event.type })
    const { type, url, file_id } = asFields(annotation)
    const source = type === 'url_citation' ? url : file_id
    const citations = CITATIONS.includes(type) && typeof source === 'string' ? [source] : []
    this.#message.block({ type: 'text', index, text: '', citations })
    this.#message.chunk(PROVIDER)
  }

  #added(event: StreamEvent): void {
    const item = requireItem(event)
    const { type, id, call_id, name, arguments: given, input, phase, summary } = item
    if (type === 'message') {
      if (phase) this.#message.block({ type: 'text', index: 0, text: '', phase })
    } else if (type === 'function_call' || type === 'custom_tool_call') {
      const isCustom = type === 'custom_tool_call'
      if (!call_id) this.#nameless.set(event['output_index'], { position: this.#position, type: event.type })
      this.#message.call({
        index: event['output_index'],
        id: call_id,
        name,
        args: isCustom ? input : given,
        isCustom,
      })
      this.#message.field(`ids of ${type}.${stringOrDescription(call_id)}`, id)
    } else if (type === 'reasoning') {
      if (summary !== undefined && summary !== null && !Array.isArray(summary)) {
        throw new LangchainError('langchain-summary', 'a list', summary)
      }
      const parts = (summary ?? undefined) as readonly unknown[] | undefined
      if (parts?.includes(null)) throw new LangchainError('langchain-summary', 'a list of parts', summary)
      const fields = parts?.map((part, index) => ({ ...asFields(part), index }) as SummaryPart)
      const text = (fields ?? []).map(({ text }) => (text ? concatenated(text) : '')).join('')
      if (text !== '') this.#reason(text, undefined)
      this.#message.reasoning({ id, ...(fields === undefined ? {} : { summary: fields }) })
    } else return
    this.#message.chunk(PROVIDER)
  }

  #done(event: StreamEvent): void {
    const { type, encrypted_content: sealed, call_id: id, arguments: given } = requireItem(event)
    // The added item turned out to be no call.
    if (type !== 'function_call' && type !== 'custom_tool_call') this.#nameless.delete(event['output_index'])
    if (type === 'function_call' && typeof given === 'string') this.#message.addDoneArguments(given)
    if (type === 'reasoning' && sealed) this.#message.reasoning({ encrypted_content: sealed })
    else if (type === 'computer_call') {
      this.#message.call({ index: event['output_index'], id, name: COMPUTER, args: '{}' })
    } else if (!HOSTED_DONE.includes(type)) return
    this.#message.chunk(PROVIDER)
  }

  #created({ response }: StreamEvent): void {
    const { id, model } = requireResponse(response)
    this.#id ??= id
    this.#message.chunk({ ...PROVIDER, id, model, model_name: model })
  }

  #terminal({ response }: StreamEvent): void {
    const fields = requireResponse(response)
    const { error, output } = fields
    if (error) throw new LangchainError('langchain-response-error', 'null', error)
    checkOutput(output)
    const { id: _, output: __, ...others } = fields
    // Includes fields that only some servers send, which are merged if two chunks have them.
    this.#message.chunk({ ...PROVIDER, ...others })
  }

  #summaryPart({ part, summary_index: index }: StreamEvent): void {
    if (part === undefined || part === null) throw new LangchainError('langchain-summary', 'a part', part)
    const { type, text } = asFields(part)
    if (text) this.#reason(text, index)
    this.#message.reasoning({ summary: [{ type, text, index }] })
    this.#message.chunk(PROVIDER)
  }

  #summaryDelta({ delta, summary_index: index }: StreamEvent): void {
    if (delta) this.#reason(delta, index)
    this.#message.reasoning({ summary: [{ type: 'summary_text', text: delta, index }] })
    this.#message.chunk(PROVIDER)
  }

  #reason(text: unknown, index: unknown): void {
    this.seen.reasoning.append(concatenated(text))
    this.#message.block({ type: 'reasoning', index, text })
  }
}

/** The message of the error that it throws; empty if there is none, as LangChain then throws the JSON of the event. */
function errorMessageIn(event: StreamEvent): string {
  const { message } = asFields(event['error'] ?? event)
  return asString(message)
}

/** The annotation types that become citations. */
const CITATIONS: readonly unknown[] = ['url_citation', 'file_citation', 'container_file_citation', 'file_path']

/** The hosted calls whose done items become `tool_outputs`. */
const HOSTED_DONE: readonly unknown[] = [
  'image_generation_call',
  'web_search_call',
  'file_search_call',
  'code_interpreter_call',
  'shell_call',
  'local_shell_call',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'custom_tool_call',
  'tool_search_call',
  'tool_search_output',
]

/** The progress events that become chunks. */
const HOSTED_PROGRESS =
  /^response\.((web_search_call|file_search_call)\.(in_progress|searching|completed)|image_generation_call\.(in_progress|generating|completed))$/
