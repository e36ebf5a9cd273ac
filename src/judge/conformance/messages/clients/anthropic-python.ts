import { type Fields, isFields } from '../../../../shared/fields.js'
import { rulesOf, type SeenCall, seenCall } from '../../clients/client.js'
import { indexInPython, isTrueInPython, listInPython, shownInPython } from '../../clients/python-values.js'
import { TextHash } from '../../clients/text-hash.js'
import { ThrowingReader } from '../../clients/throwing-reader.js'
import { Thrown } from '../../clients/thrown.js'
import { type AnthropicBlock, isCall } from './anthropic-block.js'
import { begunJson } from './anthropic-python/begun-json.js'
import { pageIn, pagesIn } from './citation.js'
import type { MessagesClientModel } from './client.js'
import { messageIn } from './error-message.js'
import { endingBy } from './stop-reasons.js'

const RAISES = 'messages.stream() of the Anthropic SDK for Python raises otherwise'

const RULES = rulesOf({
  'messages-anthropic-python-event': `An event is an object, with the block, the delta and the usage that its type has: ${RAISES}.`,
  'messages-anthropic-python-start': `A message_start has a message with a list of content and usage: ${RAISES}. It drops what comes before.`,
  'messages-anthropic-python-index': `The deltas and the stop of a block have its index, from 0 in the order of the blocks: ${RAISES}.`,
  'messages-anthropic-python-text': `The text, the thinking and the input of a delta are texts, and continue one, as citations continue a list or nothing; no character is divided between deltas of an input: ${RAISES}.`,
  'messages-anthropic-python-input': {
    sentence: `The input of a call is the beginning of JSON at each delta: ${RAISES}.`,
    fault: 'model',
  },
})

/**
 * The Anthropic SDK for Python, used through its helper `messages.stream()`: text and thinking come from its events,
 * everything else from `get_final_message()`. It does not say so if an answer has no end.
 */
export const anthropicPython: MessagesClientModel = {
  client: 'anthropic-python',
  name: 'The Anthropic SDK for Python',
  versions: { 'anthropic for Python': '2.14.0' },
  rules: RULES,
  begin: (reportBreak) => new AnthropicPythonReader(reportBreak),
}

/** Its text is undefined if it is none. */
type Block = AnthropicBlock<TextHash | undefined, string>

class AnthropicPythonReader extends ThrowingReader<unknown> {
  /** The message of message_start; undefined until it came. */
  #message: Fields | undefined
  #blocks: Block[] | undefined
  #reason: unknown

  protected take(event: unknown): void {
    if (!isFields(event)) throw new Thrown('messages-anthropic-python-event', 'an event as an object', event)
    const { type, message } = event
    if (type === 'ping') return
    if (type === 'error') {
      this.isOver = true
      this.seen.ending = 'failed'
      this.seen.error = messageIn(event)
    } else if (this.#message !== undefined) this.#takeInMessage(event)
    else if (type === 'message_start') {
      if (!isFields(message)) throw new Thrown('messages-anthropic-python-start', 'a message', message)
      const { content, stop_reason: reason } = message
      this.#message = message
      this.#reason = reason
      this.#blocks = Array.isArray(content) ? content.map(blockOf) : undefined
    }
  }

  #takeInMessage(event: Fields): void {
    switch (event['type']) {
      case 'content_block_start':
        this.#content.push(blockOf(event['content_block']))
        break
      case 'content_block_delta':
        this.#delta(this.#blockAt(event['index']), event['delta'])
        break
      case 'content_block_stop': {
        const block = this.#blockAt(event['index'])
        if (block.json !== '') inputOf(block)
        break
      }
      case 'message_delta':
        this.#end(event)
    }
  }

  get #content(): Block[] {
    if (this.#blocks === undefined)
      throw new Thrown(
        'messages-anthropic-python-start',
        'a message with a list of content',
        this.#message?.['content'],
      )
    return this.#blocks
  }

  #blockAt(given: unknown): Block {
    const index = indexInPython(given)
    const block = Number.isInteger(index) ? this.#content.at(index as number) : undefined
    if (block === undefined) throw new Thrown('messages-anthropic-python-index', 'the index of a block', given)
    return block
  }

  #delta(block: Block, delta: unknown): void {
    if (!isFields(delta)) throw new Thrown('messages-anthropic-python-event', 'a delta', delta)
    const { type, text, thinking, partial_json, citation } = delta
    if (type === 'text_delta' && block.type === 'text') this.seen.streamed.append(appended(block.text, text))
    if (type === 'thinking_delta' && block.type === 'thinking')
      this.seen.reasoning.append(appended(block.text, thinking))
    if (type === 'citations_delta' && block.type === 'text') {
      if (block.citations === undefined)
        throw new Thrown(
          'messages-anthropic-python-text',
          'a list of citations in its block',
          undefined,
          'another value',
        )
      const page = pageIn(citation)
      if (page !== undefined) block.citations.push(page)
    }
    if (type !== 'input_json_delta' || !isCall(block)) return
    // The SDK encodes each delta of an input.
    if (typeof partial_json !== 'string' || /\p{Surrogate}/u.test(partial_json))
      throw new Thrown('messages-anthropic-python-text', 'partial_json as a text of whole characters', partial_json)
    block.json += partial_json
    // The SDK parses at each delta. Of containers, each longer text has the faults of its beginning.
    if (block.json !== '' && block.json.length <= MAX_SCALAR && !/^\s*[[{]/.test(block.json)) inputOf(block)
  }

  #end({ delta, usage }: Fields): void {
    const has = this.#message?.['usage']
    if (!isFields(delta)) throw new Thrown('messages-anthropic-python-event', 'a delta in message_delta', delta)
    if (!isFields(usage)) throw new Thrown('messages-anthropic-python-event', 'usage in message_delta', usage)
    if (!isFields(has)) throw new Thrown('messages-anthropic-python-start', 'a message with usage', has)
    this.#reason = delta['stop_reason']
  }

  protected finish(): void {
    if (this.#message === undefined)
      throw new Thrown('messages-anthropic-python-start', 'message_start', undefined, 'none')
    const { seen } = this
    const isEmpty = listInPython(this.#message['content'])?.length === 0
    const blocks = isEmpty ? (this.#blocks ?? []) : this.#content
    for (const block of blocks.filter(isCall)) {
      const call = callOf(block)
      if (block.type === 'tool_use') seen.calls.push(call)
    }
    seen.ending = endingBy(this.#reason)
    seen.citations = blocks.flatMap(({ type, citations = [] }) => (type === 'text' ? citations : []))
    seen.final = TextHash.joined(blocks.flatMap(({ type, text }) => (type === 'text' ? [text ?? NO_TEXT] : [])))
  }
}

/** The longest input that is neither an object nor a list of which the beginnings are parsed. */
const MAX_SCALAR = 5000

/** How an application shows a text that is none. */
const NO_TEXT = TextHash.of('null')

function blockOf(given: unknown): Block {
  if (!isFields(given)) throw new Thrown('messages-anthropic-python-event', 'a block as an object', given)
  const { type, name, text, thinking, input, citations: cited } = given
  const begun = type === 'thinking' ? thinking : text
  const citations = Array.isArray(cited) || !isTrueInPython(cited) ? pagesIn(cited) : undefined
  return { type, name, text: typeof begun === 'string' ? TextHash.of(begun) : undefined, input, json: '', citations }
}

function appended(text: TextHash | undefined, delta: unknown): string {
  if (text === undefined || typeof delta !== 'string')
    throw new Thrown('messages-anthropic-python-text', 'a text and its delta', delta)
  text.append(delta)
  return delta
}

/** The input of a call. */
function inputOf({ input, json }: Block): unknown {
  if (json === '') return input ?? null
  try {
    return begunJson(json)
  } catch {
    throw new Thrown('messages-anthropic-python-input', 'JSON as the input of a call', json)
  }
}

const callOf = (block: Block): SeenCall => seenCall(shownInPython(block.name), JSON.stringify(inputOf(block)))
