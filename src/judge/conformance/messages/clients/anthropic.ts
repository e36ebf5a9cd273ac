import { type Fields, isFields } from '../../../../shared/fields.js'
import { rulesOf, type SeenCall, seenCall } from '../../clients/client.js'
import { concatenated, MutableText } from '../../clients/mutable-text.js'
import { TextHash } from '../../clients/text-hash.js'
import { ThrowingReader } from '../../clients/throwing-reader.js'
import { Thrown } from '../../clients/thrown.js'
import { asFields } from '../../stream-event.js'
import { type AnthropicBlock, isCall } from './anthropic-block.js'
import { pageIn, pagesIn } from './citation.js'
import type { MessagesClientModel } from './client.js'
import { messageIn } from './error-message.js'
import { endingBy } from './stop-reasons.js'
import { wholeJson } from './whole-json.js'

const THROWS = 'messages.stream() of the Anthropic SDK throws otherwise'

const RULES = rulesOf({
  'messages-anthropic-event': `An event is an object, with the delta and the usage that its type has: ${THROWS}.`,
  'messages-anthropic-start': `There is one message_start, as the first event, whose message has a list of content and usage: ${THROWS}, or drops what comes before it.`,
  'messages-anthropic-blocks': `A block begins before its first delta, and with null or a list as the citations that deltas continue: ${THROWS}.`,
  'messages-anthropic-stop': `A message_stop ends the answer: ${THROWS} ("stream ended without producing a Message").`,
  'messages-anthropic-input': {
    sentence: `The input of a call is JSON when its block stops, if it is not cut off: ${THROWS}.`,
    fault: 'model',
  },
})

/**
 * The Anthropic SDK, used through its helper `messages.stream()`: text and thinking come from its events, everything else
 * from `finalMessage()`. `create({ stream: true })` is not modelled.
 */
export const anthropic: MessagesClientModel = {
  client: 'anthropic',
  name: 'The Anthropic SDK',
  versions: { '@anthropic-ai/sdk': '1.14.0' },
  rules: RULES,
  begin: (reportBreak) => new AnthropicReader(reportBreak),
}

/** The deltas of its input are undefined if there are none. */
type Block = AnthropicBlock<MutableText, string | undefined>

/** The message that was done last. */
interface Result {
  readonly reason: unknown
  readonly text: TextHash
  readonly thinking: TextHash
  readonly citations: string[]
  readonly calls: readonly Block[]
}

/** The deltas at which the SDK looks at the last block. */
const KNOWN_DELTAS: ReadonlySet<unknown> = new Set([
  'text_delta',
  'citations_delta',
  'input_json_delta',
  'thinking_delta',
  'signature_delta',
])

class AnthropicReader extends ThrowingReader<unknown> {
  /** The message of message_start; undefined until it came. */
  #message: unknown
  #blocks: Block[] = []
  #reason: unknown
  #result: Result | undefined
  /** The thinking that its events showed. */
  readonly #thought = new TextHash()

  protected take(event: unknown): void {
    if (event === null || event === undefined) throw new Thrown('messages-anthropic-event', 'an event', event)
    const fields = asFields(event)
    const { type } = fields
    if (type === 'ping') return
    if (type === 'error') {
      this.isOver = true
      this.seen.ending = 'failed'
      this.seen.error = messageIn(fields)
      this.seen.reasoning.join(this.#thought)
      return
    }
    if (type === 'message_start') {
      if (this.#message) throw new Thrown('messages-anthropic-start', 'no second message_start', type)
      this.#message = fields['message']
      const { stop_reason: reason, content } = asFields(this.#message)
      this.#reason = reason
      if (Array.isArray(content)) this.#blocks = content.map(blockOf)
      return
    }
    if (this.#message) this.#takeInMessage(fields)
  }

  #takeInMessage(event: Fields): void {
    switch (event['type']) {
      case 'message_stop':
        this.#done()
        break
      case 'message_delta':
        this.#end(event)
        break
      case 'content_block_start':
        this.#content()
        this.#blocks.push(blockOf(event['content_block']))
        break
      case 'content_block_delta':
        this.#delta(event)
        break
      case 'content_block_stop': {
        this.#content()
        const block = this.#blockAt(event['index'])
        if (block?.json !== undefined && isCall(block)) inputOf(block)
      }
    }
  }

  /** Throws where the message has no list of content to look into. */
  #content(): void {
    const { content } = asFields(this.#message)
    if (!Array.isArray(content))
      throw new Thrown('messages-anthropic-start', 'a message with a list of content', content)
  }

  #end({ delta, usage }: Fields): void {
    const has = asFields(this.#message)['usage']
    if (delta === null || delta === undefined)
      throw new Thrown('messages-anthropic-event', 'a delta in message_delta', delta)
    if (usage === null || usage === undefined)
      throw new Thrown('messages-anthropic-event', 'usage in message_delta', usage)
    if (!isFields(has) && !Array.isArray(has)) throw new Thrown('messages-anthropic-start', 'a message with usage', has)
    this.#reason = asFields(delta)['stop_reason']
  }

  #delta({ index, delta }: Fields): void {
    this.#content()
    if (delta === null || delta === undefined)
      throw new Thrown('messages-anthropic-event', 'a delta in content_block_delta', delta)
    const { type, text, thinking, partial_json, citation } = asFields(delta)
    const block = this.#blockAt(index)
    if (type === 'citations_delta' && block?.type === 'text' && block.citations === undefined)
      throw new Thrown(
        'messages-anthropic-blocks',
        'null or a list as the citations of a block',
        undefined,
        'another value',
      )
    // If the index is not one of a list, the SDK's writes there are lost.
    if (block !== undefined && isElement(index, this.#blocks.length)) {
      if (type === 'text_delta' && block.type === 'text') block.text.append(text)
      if (type === 'thinking_delta' && block.type === 'thinking') block.text.append(thinking)
      const page = type === 'citations_delta' && block.type === 'text' ? pageIn(citation) : undefined
      if (page !== undefined) block.citations?.push(page)
      if (type === 'input_json_delta' && isCall(block)) block.json = `${block.json ?? ''}${concatenated(partial_json)}`
    }
    if (!KNOWN_DELTAS.has(type)) return
    const last = this.#blocks.at(-1)
    if (last === undefined) throw new Thrown('messages-anthropic-blocks', 'content_block_start before a delta', type)
    if (type === 'text_delta' && last.type === 'text') this.seen.streamed.append(concatenated(text))
    if (type === 'thinking_delta' && last.type === 'thinking') this.#thought.append(concatenated(thinking))
  }

  #blockAt(index: unknown): Block | undefined {
    const at = Math.trunc(Number(typeof index === 'object' && index !== null ? concatenated(index) : index))
    return this.#blocks.at(Number.isNaN(at) ? 0 : at)
  }

  /** The message is done, as far as it came. A later message_stop gives another one. */
  #done(): void {
    this.#content()
    const textsOf = (type: string): TextHash =>
      TextHash.joined(
        this.#blocks.filter((block) => block.type === type).map(({ text }) => text.text ?? TextHash.of(printed(text))),
      )
    const calls = this.#blocks.filter(({ type }) => type === 'tool_use').map((block) => ({ ...block }))
    const citations = this.#blocks.flatMap((block) => (block.type === 'text' ? (block.citations ?? []) : []))
    this.#result = { reason: this.#reason, text: textsOf('text'), thinking: textsOf('thinking'), citations, calls }
  }

  protected finish(): void {
    if (!this.#message) throw new Thrown('messages-anthropic-start', 'message_start', undefined, 'none')
    const result = this.#result
    if (result === undefined) {
      this.#content()
      throw new Thrown('messages-anthropic-stop', 'message_stop', undefined, 'the end of the stream')
    }
    const { seen } = this
    for (const call of result.calls) seen.calls.push(callOf(call))
    seen.citations = result.citations
    seen.ending = endingBy(result.reason)
    seen.final = result.text
    const isSame = this.#thought.equals(result.thinking)
    seen.reasoning.join(isSame ? this.#thought : TextHash.joined([this.#thought, TextHash.of('\n'), result.thinking]))
  }
}

/** A copy of a start's block, which JavaScript's spread makes an object even of a list or a text. */
function blockOf(given: unknown): Block {
  const { type, name, text, thinking, input, citations: cited } = asFields(given)
  // Nothing is kept of an empty text, whatever its type.
  const begun = type === 'thinking' ? thinking : text || ''
  // JavaScript spreads a text as well.
  const citations = typeof (cited ?? '') === 'string' || Array.isArray(cited) ? pagesIn(cited) : undefined
  return { type, name, text: new MutableText(begun), input, json: undefined, citations }
}

/** Whether an index is one of a list with so many elements, as JavaScript sees it: also as a text, or alone in a list. */
function isElement(index: unknown, length: number): boolean {
  const name = concatenated(index)
  return /^(?:0|[1-9]\d*)$/.test(name) && Number(name) < length
}

/** Returns how a value that is not a text is shown. */
const printed = ({ value }: MutableText): string => (value === null || value === undefined ? '' : concatenated(value))

/** The input of a call; the SDK closes open containers if it was cut off. */
function inputOf({ json, input }: Block): unknown {
  if (json === undefined) return input
  if (json === '') return {}
  try {
    return wholeJson(json)
  } catch {
    throw new Thrown('messages-anthropic-input', 'JSON as the input of a call', json)
  }
}

function callOf(block: Block): SeenCall {
  return seenCall(concatenated(block.name), JSON.stringify(inputOf(block)) ?? 'undefined')
}
