import { type Fields, isFields } from '../../../shared/fields.js'
import { asFields, asList, asString, type StreamEvent } from '../stream-event.js'
import { type ClientModel, type Ending, rulesOf } from './client.js'
import { OPENAI_READS } from './openai/reads.js'
import {
  fieldsOfItem,
  identityOf,
  isCompatible,
  itemOf,
  itemsIn,
  type OpenItem,
  partOf,
} from './openai-python/items.js'
import { callInPython, indexInPython, isTrueInPython, listInPython, shownInPython } from './python-values.js'
import { TextHash } from './text-hash.js'
import { ThrowingReader } from './throwing-reader.js'
import { Thrown } from './thrown.js'

const RAISES = 'responses.stream() of openai for Python raises otherwise'

const SENTENCES: Readonly<Record<string, string>> = {
  'openai-python-error-key': 'Only an error event has an `error`: openai for Python raises it, whatever the event is.',
  'openai-python-created-first': `The first event is response.created, with a response as an object: ${RAISES}.`,
  'openai-python-response-id': `All events about the response have one with the same id: ${RAISES}.`,
  'openai-python-item': `An item is an object, and so is each part of a message: ${RAISES}.`,
  'openai-python-output-index': `Each item has an output_index of its own, which its events have as well: ${RAISES}.`,
  'openai-python-identity': `An item keeps its type, id and call_id when it is done and in the response, and no two items have the same: ${RAISES}.`,
  'openai-python-items-done': `An item that is open when the response is completed is in its output: ${RAISES}.`,
  'openai-python-part': `A text comes behind the content_part.added of its part, which is output_text: ${RAISES}.`,
  'openai-python-text': `A delta of text or arguments is a text, and continues one: ${RAISES}.`,
  'openai-python-content': `The content of a message is a list of parts whose texts are texts: ${RAISES}.`,
  'openai-python-error':
    'The error of a response is an object: an application for Python that reads `response.error.message` raises otherwise.',
  'openai-python-terminal':
    'A stream ends with response.completed, or with response.incomplete or response.failed: get_final_response() of openai ' +
    'for Python raises otherwise.',
}

/**
 * openai for Python, used through its helper `responses.stream()`: text and reasoning come from the delta events,
 * everything else from the response of the terminal event.
 */
export const openaiPython: ClientModel = {
  client: 'openai-python',
  name: 'The openai SDK for Python',
  versions: { 'openai for Python': '3.57.0' },
  reads: OPENAI_READS,
  rules: rulesOf(SENTENCES),
  begin: (reportBreak) => new OpenAIPythonReader(reportBreak),
}

const LIFECYCLE = /^response\.(created|queued|in_progress|completed|failed|incomplete)$/

class OpenAIPythonReader extends ThrowingReader<StreamEvent> {
  /** The id of the response that was created. */
  #id: unknown
  #hasBegun = false
  readonly #open = new Map<unknown, OpenItem>()
  readonly #done = new Map<unknown, OpenItem & { readonly fields: Fields }>()
  /** The output_index of each item that is done, by its identity. */
  readonly #places = new Map<string, unknown>()
  /** The reasoning that its events showed, by the item and whether it is a summary. */
  readonly #thoughts = new Map<string, TextHash>()
  #failure: string | undefined
  /** The response of the terminal event, with its items. */
  #end: Fields | undefined

  protected take(event: StreamEvent): void {
    const { error } = event
    if (isTrueInPython(error)) {
      this.isOver = true
      this.seen.ending = 'failed'
      this.seen.error = asString(asFields(error)['message'])
      this.#showThoughts()
      if (asString(event.type).startsWith('response.')) this.reportBreak('openai-python-error-key', 'no error', error)
      return
    }
    if (!this.#hasBegun) this.#begin(event)
    else if (LIFECYCLE.test(asString(event.type))) this.#lifecycle(event)
    else this.#inOutput(event)
  }

  #begin({ type, response }: StreamEvent): void {
    const isBegin = type === 'response.created' && isFields(response)
    if (!isBegin) throw new Thrown('openai-python-created-first', 'response.created with its response', type)
    this.#hasBegun = true
    this.#id = response['id'] ?? null
    const { output } = response
    if (isGiven(output) && !Array.isArray(output)) throw new Thrown('openai-python-content', 'output as a list', output)
    for (const [index, item] of itemsIn(output).entries()) this.#open.set(index, item)
  }

  #lifecycle({ type, response }: StreamEvent): void {
    if (!isFields(response) || (response['id'] ?? null) !== this.#id)
      throw new Thrown('openai-python-response-id', `response.id ${String(this.#id)}`, asFields(response)['id'])
    const { output } = response
    if (type === 'response.completed') this.#complete(response)
    else if (type === 'response.incomplete' || type === 'response.failed') {
      this.#end = isGiven(output) ? response : { ...response, output: this.#doneItems }
    } else {
      requireList(output)
      const identities = itemsIn(output).map(identityOf)
      if (new Set(identities).size < identities.length)
        throw new Thrown('openai-python-identity', 'each item of a response once', undefined, 'one twice')
    }
  }

  #complete(response: Fields): void {
    const { output } = response
    requireList(output)
    const final = new Map(itemsIn(output).map((item) => [identityOf(item), item]))
    for (const item of this.#done.values()) {
      const last = final.get(identityOf(item))
      if (last !== undefined && !isCompatible(item, last))
        throw new Thrown('openai-python-identity', `the id ${String(item.id)} at the end`, last.id)
    }
    for (const [index, item] of this.#open) {
      if (this.#done.has(index)) continue
      const last = final.get(identityOf(item))
      if (last === undefined || !isCompatible(item, last))
        throw new Thrown(
          'openai-python-items-done',
          `response.output_item.done of item ${String(index)}`,
          undefined,
          'none',
        )
    }
    // The SDK parses such a response, and takes whatever is empty for an empty list.
    const items = (isGiven(output) ? asList(output) : this.#doneItems).map(asFields)
    this.#end = {
      ...response,
      output: items.map((item) => {
        const { type, content } = item
        return type === 'message' ? { ...item, content: requireParts(content || []) } : item
      }),
    }
  }

  /** The items that are done, by their indexes. */
  get #doneItems(): Fields[] {
    const items = [...this.#done].sort(([one], [other]) => Number(one) - Number(other))
    return items.map(([, { fields }]) => fields)
  }

  #inOutput(event: StreamEvent): void {
    const { type, item, part, delta } = event
    const index = indexInPython(event['output_index']) ?? null
    switch (type) {
      case 'response.output_item.added':
        if (item === null || item === undefined) return
        if (this.#open.has(index))
          throw new Thrown('openai-python-output-index', 'an output_index that is not taken', index)
        this.#open.set(index, itemOf(item))
        return
      case 'response.content_part.added': {
        const { type: of, parts } = this.#itemAt(index)
        if (of !== 'message') return
        if (parts === undefined) throw new Thrown('openai-python-content', 'content as a list', undefined)
        if (!isFields(part)) throw new Thrown('openai-python-part', 'a part as an object', part)
        parts.push(partOf(part))
        return
      }
      case 'response.output_text.delta':
        this.#textPart(event, index)
        this.seen.streamed.append(asString(delta))
        return
      case 'response.output_text.done':
        this.#textPart(event, index)
        return
      case 'response.function_call_arguments.delta': {
        const { type: of, hasArguments } = this.#itemAt(index)
        if (of !== 'function_call')
          throw new Thrown('openai-python-output-index', 'the index of a function call', index)
        if (!hasArguments || typeof delta !== 'string')
          throw new Thrown('openai-python-text', 'arguments and their delta as texts', delta)
        return
      }
      case 'response.output_item.done':
        this.#finish(index, item)
        return
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta': {
        const of = `${type} ${shownInPython(index)}`
        const thought = this.#thoughts.get(of) ?? new TextHash()
        this.#thoughts.set(of, thought.append(shownInPython(delta)))
        return
      }
      case 'error':
        this.#failure = asString(event['message'])
    }
  }

  #textPart(event: StreamEvent, index: unknown): void {
    const { type: of, parts } = this.#itemAt(index)
    const at = indexInPython(event['content_index'])
    const part = Number.isInteger(at) ? parts?.at(at as number) : undefined
    if (of !== 'message' || part === undefined)
      throw new Thrown('openai-python-part', 'a part of a message that was added', at)
    if (part.type !== 'output_text') throw new Thrown('openai-python-part', 'a part of type output_text', part.type)
    if (event.type === 'response.output_text.done') return
    if (!part.hasText || typeof event['delta'] !== 'string')
      throw new Thrown('openai-python-text', 'a text and its delta', event['delta'])
  }

  #itemAt(index: unknown): OpenItem {
    const item = this.#open.get(index)
    if (item === undefined) throw new Thrown('openai-python-output-index', 'the output_index of an added item', index)
    return item
  }

  #finish(index: unknown, given: unknown): void {
    const item = itemOf(given)
    const added = this.#open.get(index)
    if (added !== undefined && (identityOf(added) !== identityOf(item) || !isCompatible(added, item)))
      throw new Thrown('openai-python-identity', 'the type, id and call_id of the added item', given)
    const identity = identityOf(item)
    const place = this.#places.get(identity)
    if (this.#places.has(identity) && place !== index)
      throw new Thrown('openai-python-identity', `the output_index ${String(place)} of the item`, index)
    const before = this.#done.get(index)
    if (before !== undefined) this.#places.delete(identityOf(before))
    this.#done.set(index, { ...item, fields: fieldsOfItem(given) })
    this.#places.set(identity, index)
  }

  #showThoughts(): void {
    for (const thought of this.#thoughts.values()) this.seen.reasoning.join(thought)
  }

  protected finish(): void {
    const { seen } = this
    this.#showThoughts()
    if (this.#end === undefined) {
      if (this.#failure === undefined)
        throw new Thrown('openai-python-terminal', 'response.completed', undefined, 'the end of the stream')
      seen.ending = 'failed'
      seen.error = this.#failure
      return
    }
    const { status, error, output } = this.#end
    const items = listInPython(output)
    if (items === undefined) throw new Thrown('openai-python-content', 'output as a list', output)
    seen.ending = ENDINGS.has(status) ? (status as Ending) : 'open'
    if (isGiven(error) && !isFields(error)) throw new Thrown('openai-python-error', 'an error as an object', error)
    if (isFields(error)) seen.error = asString(error['message'])
    seen.final = new TextHash()
    for (const item of items.map(fieldsOfItem)) this.#show(item)
  }

  #show(item: Fields): void {
    const { type, status, name, namespace } = item
    if (type === 'message') {
      for (const { type: of, text, annotations } of requireParts(item['content'])) {
        if (of !== 'output_text') continue
        if (text !== undefined && text !== null && typeof text !== 'string')
          throw new Thrown('openai-python-content', 'a text in a part', text)
        this.seen.final?.append(asString(text))
        for (const { url, file_id } of asList(annotations).map(asFields)) {
          const source = url || file_id
          if (typeof source === 'string' && source !== '') this.seen.citations.push(source)
        }
      }
    } else if ((type === 'function_call' || type === 'custom_tool_call') && status !== 'incomplete') {
      const given = type === 'function_call' ? item['arguments'] : item['input']
      const called = isGiven(namespace) ? `${shownInPython(namespace)}.${shownInPython(name)}` : name
      this.seen.calls.push(callInPython(called, given))
    }
  }
}

/** An output that the SDK goes through, unless there is none. */
function requireList(output: unknown): void {
  if (output && listInPython(output) === undefined)
    throw new Thrown('openai-python-content', 'output as a list', output)
}

/** The parts of a message. */
function requireParts(content: unknown): readonly Fields[] {
  const parts = listInPython(content)
  if (parts === undefined || !parts.every(isFields))
    throw new Thrown('openai-python-content', 'the content of a message as a list of parts', content)
  return parts
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

const ENDINGS: ReadonlySet<unknown> = new Set(['completed', 'incomplete', 'failed', 'cancelled'])
