import { isFields, type StreamEvent, textOf } from '../stream-event.js'
import { type Breaks, type ClientModel, type ClientReader, type ClientRule, type Ending, Seen } from './client.js'
import { appended } from './grown-text.js'
import { Accumulator, resultTextOf, type Snapshot } from './openai/accumulator.js'
import { TextHash } from './text-hash.js'
import { Thrown } from './thrown.js'

const SENTENCES: Readonly<Record<string, string>> = {
  'openai-known-event':
    'The openai SDK knows the event: responses.stream() throws at any other, create({ stream: true }) passes it on.',
  'openai-error-key': 'Only an error event has an error: the openai SDK throws it, whatever the event is.',
  'openai-created-first':
    'The first event is response.created: responses.stream() of the openai SDK throws at any other.',
  'openai-response':
    'An event of the response has the response as an object: responses.stream() of the openai SDK throws without.',
  'openai-response-id':
    'All events have the same response.id: responses.stream() of the openai SDK throws when it changes.',
  'openai-output':
    'The output of a response is an array, of the items that were streamed: responses.stream() of the openai SDK ' +
    'throws at anything else. Where it is null or missing, the SDK takes what is done.',
  'openai-item-fields':
    'An item has a type and an id, and a call a call_id: responses.stream() of the openai SDK throws without. Only ' +
    'function and custom tool calls may have no id; none may have null.',
  'openai-item-twice':
    'No two items have the same id, nor two calls the same call_id: responses.stream() of the openai SDK throws.',
  'openai-item-constant':
    'An item keeps its type, id and call_id when it is done and in the response: responses.stream() of the openai ' +
    'SDK throws when they change.',
  'openai-output-index':
    'An item has an output_index of its own, and its events have the same: responses.stream() of the openai SDK ' +
    'throws otherwise. Gaps are fine.',
  'openai-item-id':
    'The item_id of an event is the id of the item at its output_index: responses.stream() of the openai SDK throws ' +
    'otherwise.',
  'openai-item-type': 'An event is of an item of its type: responses.stream() of the openai SDK throws otherwise.',
  'openai-content':
    'The content of a message is an array of parts: responses.stream() of the openai SDK throws otherwise.',
  'openai-part': 'An event of a part is of one of its type: responses.stream() of the openai SDK throws otherwise.',
  'openai-part-index':
    'A part is added before its text, and each at the next index: responses.stream() of the openai SDK throws ' +
    'otherwise. The same holds of annotations and commands.',
  'openai-part-text': 'A part has its text: responses.stream() of the openai SDK throws at null, or without.',
  'openai-items-done':
    'An item that is open when the response is completed is in its output: responses.stream() of the openai SDK ' +
    'throws otherwise.',
}

const RULES: readonly ClientRule[] = Object.entries(SENTENCES).map(([id, sentence]) => ({
  id,
  sentence,
  severity: 'error',
}))

/**
 * The openai SDK, by its helper `responses.stream()`: the text as its delta events show it, the rest as the response of
 * `finalResponse()` has it. `create({ stream: true })` throws at less: at `error` events and keys alone, at which the
 * helper throws, too.
 *
 * An `error` event is how a server says that the response failed, and an exception how the SDK says it to its user: that
 * is no fault.
 */
export const openai: ClientModel = {
  client: 'openai',
  name: 'The openai SDK',
  versions: { openai: '7.57.0' },
  reads: {
    streamed: true,
    final: true,
    refusals: false,
    rawReasoning: true,
    summaries: true,
    functionCalls: true,
    customCalls: true,
    namespaces: true,
    citations: true,
    incomplete: 'incomplete',
    failed: 'failed',
  },
  rules: RULES,
  begin: (breaks) => new OpenAIReader(breaks),
}

class OpenAIReader implements ClientReader {
  readonly seen = new Seen()
  readonly #breaks: Breaks
  readonly #response = new Accumulator()
  /** Reasoning as its events show it. */
  readonly #raw = new TextHash()
  readonly #summary = new TextHash()
  #streamsReasoning = false
  #isOver = false

  constructor(breaks: Breaks) {
    this.#breaks = breaks
  }

  read(event: StreamEvent): void {
    if (this.#isOver) return
    this.#try(() => this.#read(event))
  }

  end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#try(() => {
      const snapshot = this.#response.end()
      if (snapshot === undefined) throw new Thrown('openai-created-first', 'response.created', undefined, 'no event')
      this.#finish(snapshot)
    })
  }

  #try(read: () => void): void {
    try {
      read()
    } catch (thrown) {
      if (!(thrown instanceof Thrown)) throw thrown
      this.#isOver = true
      this.seen.ending = 'threw'
      this.seen.error = `expected ${thrown.expected}`
      this.#breaks(thrown.rule, thrown.expected, thrown.got, thrown.words)
    }
  }

  #read(event: StreamEvent): void {
    const { type, error, delta } = event
    if (type === 'error' || error) {
      this.#isOver = true
      this.seen.ending = 'failed'
      this.seen.error = textOf(isFields(error) ? error['message'] : event['message'])
      if (textOf(type).startsWith('response.')) this.#breaks('openai-error-key', 'no error', error)
      return
    }
    this.#response.take(event)
    if (type === 'response.output_text.delta') this.seen.streamed.append(appended(delta))
    else if (type === 'response.reasoning_text.delta') this.#raw.append(appended(delta))
    else if (type === 'response.reasoning_summary_text.delta') this.#summary.append(appended(delta))
    if (/^response\.reasoning_(summary_)?text\./.test(type)) this.#streamsReasoning = true
  }

  #finish(snapshot: Snapshot): void {
    const { output, status, error } = snapshot
    const { seen } = this
    for (const { type, content, otherContent } of output) {
      if (type !== 'message' || content !== undefined) continue
      throw new Thrown('openai-content', 'a message whose content is an array of parts', otherContent)
    }
    seen.ending = ENDINGS.has(status) ? (status as Ending) : 'open'
    if (isFields(error)) seen.error = textOf(error['message'])
    seen.final = resultTextOf(snapshot)
    const [raw, summary, all] = [new TextHash(), new TextHash(), new TextHash()]
    for (const item of output) {
      const { call } = item
      if (call !== undefined && item.fields['status'] !== 'incomplete') seen.calls.push(call)
      if (item.type === 'message') {
        for (const part of item.content ?? []) {
          if (part?.type === 'output_text') seen.citations.push(...(part.annotations ?? []).filter((source) => source))
        }
      } else if (item.type === 'reasoning') {
        for (const [parts, text] of [
          [item.content, raw],
          [item.summary, summary],
        ] as const) {
          for (const part of parts ?? []) {
            if (part?.text.text === undefined) continue
            text.join(part.text.text)
            all.join(part.text.text)
          }
        }
      }
    }
    // What the events show is reasoning that the user sees, too: where it differs, both are what is seen.
    if (this.#streamsReasoning && !(raw.equals(this.#raw) && summary.equals(this.#summary))) {
      seen.reasoning.join(this.#raw).join(this.#summary).append('\n')
    }
    seen.reasoning.join(all)
  }
}

const ENDINGS: ReadonlySet<unknown> = new Set(['completed', 'incomplete', 'failed'])
