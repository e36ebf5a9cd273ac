import { isFields } from '../../../shared/fields.js'
import { asString, type StreamEvent } from '../stream-event.js'
import { type ClientModel, type Ending, rulesOf } from './client.js'
import { concatenated } from './mutable-text.js'
import { Accumulator, resultText, type Snapshot } from './openai/accumulator.js'
import { routeOf } from './openai/event-route.js'
import { OPENAI_READS } from './openai/reads.js'
import { TextHash } from './text-hash.js'
import { ThrowingReader } from './throwing-reader.js'
import { Thrown } from './thrown.js'

const RULES = rulesOf({
  'openai-known-event':
    'The openai SDK knows the event: responses.stream() throws at any other, create({ stream: true }) passes it on.',
  'openai-error-key': 'Only an error event has an error: the openai SDK throws it, whatever the event is.',
  'openai-created-first':
    'The first event is response.created: responses.stream() of the openai SDK throws at any other.',
  'openai-response':
    'An event about the response has the response as an object: responses.stream() of the openai SDK throws otherwise.',
  'openai-response-id':
    'All events have the same response.id: responses.stream() of the openai SDK throws when it changes.',
  'openai-output':
    'The output of a response is an array of the streamed items: responses.stream() of the openai SDK throws otherwise. ' +
    'If it is null or missing, the SDK uses the done items.',
  'openai-item-fields':
    'An item has a type and an id, and a call has a call_id: responses.stream() of the openai SDK throws otherwise. Only ' +
    'function and custom tool calls may have no id; null is never allowed.',
  'openai-item-twice':
    'No two items have the same id, and no two calls the same call_id: responses.stream() of the openai SDK throws ' +
    'otherwise.',
  'openai-item-constant':
    'An item keeps its type, id and call_id when it is done and in the response: responses.stream() of the openai ' +
    'SDK throws when they change.',
  'openai-output-index':
    'An item has a unique output_index, and its events have the same one: responses.stream() of the openai SDK throws ' +
    'otherwise. Gaps are fine.',
  'openai-item-id':
    'The item_id of an event is the id of the item at its output_index: responses.stream() of the openai SDK throws ' +
    'otherwise.',
  'openai-item-type':
    'The type of an event fits the type of its item: responses.stream() of the openai SDK throws otherwise.',
  'openai-content':
    'The content of a message is an array of parts: responses.stream() of the openai SDK throws otherwise.',
  'openai-part':
    'The type of an event fits the type of its part: responses.stream() of the openai SDK throws otherwise.',
  'openai-part-index':
    'A part is added before its text, at the next index: responses.stream() of the openai SDK throws otherwise. The same ' +
    'holds for annotations and commands.',
  'openai-part-text':
    'The text of a part is not null or missing: responses.stream() of the openai SDK throws otherwise.',
  'openai-items-done':
    'An item that is open when the response is completed is in its output: responses.stream() of the openai SDK ' +
    'throws otherwise.',
})

/**
 * The openai SDK, used through its helper `responses.stream()`: the text comes from its delta events, everything else
 * from the response of `finalResponse()`. `create({ stream: true })` is not modelled.
 *
 * An `error` event is the server's way to report a failed response, and an exception the SDK's way to pass that on, so
 * it breaks no rule.
 */
export const openai: ClientModel = {
  client: 'openai',
  name: 'The openai SDK',
  versions: { openai: '7.59.0' },
  reads: OPENAI_READS,
  rules: RULES,
  begin: (reportBreak) => new OpenAIReader(reportBreak),
}

class OpenAIReader extends ThrowingReader<StreamEvent> {
  readonly #response = new Accumulator()
  /** The reasoning in delta events. */
  readonly #raw = new TextHash()
  readonly #summary = new TextHash()
  #streamsReasoning = false

  protected take(event: StreamEvent): void {
    const { type, error, delta } = event
    if (type === 'error' || error) {
      this.isOver = true
      this.seen.ending = 'failed'
      this.seen.error = asString(isFields(error) ? error['message'] : event['message'])
      // There is no result. The content of earlier events stays.
      this.seen.reasoning.join(this.#raw).join(this.#summary)
      if (asString(type).startsWith('response.')) this.reportBreak('openai-error-key', 'no error', error)
      return
    }
    this.#response.take(event)
    if (type === 'response.output_text.delta') this.seen.streamed.append(concatenated(delta))
    else if (type === 'response.reasoning_text.delta') this.#raw.append(concatenated(delta))
    else if (type === 'response.reasoning_summary_text.delta') this.#summary.append(concatenated(delta))
    if (routeOf(asString(type)).isReasoning) this.#streamsReasoning = true
  }

  protected finish(): void {
    const snapshot = this.#response.end()
    if (snapshot === undefined) throw new Thrown('openai-created-first', 'response.created', undefined, 'no event')
    this.#show(snapshot)
  }

  #show(snapshot: Snapshot): void {
    const { output, status, error } = snapshot
    const { seen } = this
    for (const { type, content, otherContent } of output) {
      if (type !== 'message' || content !== undefined) continue
      throw new Thrown('openai-content', 'a message whose content is an array of parts', otherContent)
    }
    seen.ending = ENDINGS.has(status) ? (status as Ending) : 'open'
    if (isFields(error)) seen.error = asString(error['message'])
    seen.final = resultText(snapshot)
    const [raw, summary, all] = [new TextHash(), new TextHash(), new TextHash()]
    for (const item of output) {
      const { call } = item
      if (call !== undefined && item.fields['status'] !== 'incomplete') seen.calls.push(call)
      if (item.type === 'message') {
        for (const part of item.content ?? []) {
          const sources = part?.type === 'output_text' ? (part.annotations ?? []) : []
          for (const source of sources) if (source) seen.citations.push(source)
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
    // The user sees the reasoning of the events, too. If it differs from that of the response, both count as seen.
    if (this.#streamsReasoning && !(raw.equals(this.#raw) && summary.equals(this.#summary))) {
      seen.reasoning.join(this.#raw).join(this.#summary).append('\n')
    }
    seen.reasoning.join(all)
  }
}

const ENDINGS: ReadonlySet<unknown> = new Set(['completed', 'incomplete', 'failed', 'cancelled'])
