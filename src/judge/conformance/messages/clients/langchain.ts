import { type Fields, isFields } from '../../../../shared/fields.js'
import { rulesOf } from '../../clients/client.js'
import { isMergeable, MergeError } from '../../clients/langchain/merge.js'
import { LangchainMessage } from '../../clients/langchain/message.js'
import { ThrowingReader } from '../../clients/throwing-reader.js'
import { Thrown } from '../../clients/thrown.js'
import { asFields, asList, asString } from '../../stream-event.js'
import { pageIn } from './citation.js'
import type { MessagesClientModel } from './client.js'
import { messageIn } from './error-message.js'
import { endingBy } from './stop-reasons.js'

const RULES = rulesOf({
  'messages-langchain-event':
    'message_start has a message with usage, content_block_start a block, content_block_delta a delta, and message_delta a delta and usage, and no citation is null: ChatAnthropic throws a TypeError otherwise.',
  'messages-langchain-merges':
    'A field that LangChain merges from chunk to chunk (text, thinking, input, names, the message) has the same type in all of them: it throws otherwise.',
  'messages-langchain-stop-reason': {
    sentence: 'One event has a stop_reason: LangChain concatenates several to one text, which is no valid reason.',
    explainsLosses: true,
  },
  'messages-langchain-citation': {
    sentence:
      'The title, the cited_text and the encrypted_index of a page that is cited are texts: LangChain makes no annotation of it otherwise.',
    explainsLosses: true,
  },
  'messages-langchain-call-id': {
    sentence: 'A call has an id: without one, LangChain passes it on as an invalid tool call.',
    explainsLosses: true,
  },
})

/**
 * LangChain: `ChatAnthropic` with tools and thinking, streamed, with concatenated chunks. It reads no
 * content_block_stop and no message_stop. Of calls it reads only the input in deltas.
 */
export const langchain: MessagesClientModel = {
  client: 'langchain',
  name: 'LangChain',
  versions: { '@langchain/anthropic': '1.5.11', '@langchain/core': '1.4.0' },
  rules: RULES,
  begin: (reportBreak) => new LangchainReader(reportBreak),
}

class LangchainReader extends ThrowingReader<unknown> {
  readonly #message = new LangchainMessage()
  #hasChunk = false
  #reasons = 0
  #hasNullCitation = false

  protected take(event: unknown): void {
    const fields = asFields(event)
    if (fields['type'] === 'error') {
      this.isOver = true
      this.seen.ending = 'failed'
      this.seen.error = messageIn(fields)
      return
    }
    try {
      if (this.#chunk(fields)) {
        this.#message.chunk()
        this.#hasChunk = true
      }
    } catch (thrown) {
      if (!(thrown instanceof MergeError)) throw thrown
      const { field, previous, next } = thrown
      throw new Thrown('messages-langchain-merges', `${field} to stay a ${previous}`, undefined, `a ${next}`)
    }
  }

  protected finish(): void {
    const { seen } = this
    if (!this.#hasChunk) return
    // Read with the text of the whole message.
    if (this.#hasNullCitation) throw new Thrown('messages-langchain-event', 'a citation', null)
    // The input of a tool that the server runs becomes a call without an id, also in good streams.
    this.#message.show(seen, false)
    seen.ending = endingBy(this.#message.fieldText('stop_reason')?.plain)
    if (this.#reasons > 1)
      this.reportBreak('messages-langchain-stop-reason', 'one stop_reason', undefined, `${this.#reasons} of them`)
  }

  /** Reads an event. Returns whether it makes a chunk. */
  #chunk(event: Fields): boolean {
    switch (event['type']) {
      case 'message_start':
        this.#start(event['message'])
        return true
      case 'message_delta':
        this.#end(event)
        return true
      case 'content_block_start':
        return this.#begin(event['index'], objectIn(event, 'content_block'))
      case 'content_block_delta':
        return this.#delta(event['index'], objectIn(event, 'delta'))
      default:
        return false
    }
  }

  #start(message: unknown): void {
    if (message === null || message === undefined)
      throw new Thrown('messages-langchain-event', 'a message in message_start', message)
    const { usage, content, ...rest } = asFields(message)
    if (usage === null || usage === undefined)
      throw new Thrown('messages-langchain-event', 'usage in the message', usage)
    this.#kwargs(rest)
  }

  #end({ delta, usage }: Fields): void {
    if (usage === null || usage === undefined || (typeof usage !== 'object' && typeof usage !== 'undefined'))
      throw new Thrown('messages-langchain-event', 'usage in message_delta', usage)
    if (typeof delta !== 'object' || delta === null)
      throw new Thrown('messages-langchain-event', 'a delta in message_delta', delta)
    this.#kwargs(asFields(delta))
  }

  #kwargs(fields: Fields): void {
    if (typeof fields['stop_reason'] === 'string' && fields['stop_reason'] !== '') this.#reasons++
    for (const [name, value] of Object.entries(fields)) this.#message.field(name, value)
  }

  #begin(index: unknown, block: Fields): boolean {
    const { type, text, thinking, signature, name, id } = block
    switch (type) {
      case 'tool_use':
        if (!id) this.reportBreak('messages-langchain-call-id', 'a call with an id', id)
        this.#message.call({ index, id, name, args: '' })
        return true
      case 'server_tool_use':
        return true
      case 'text':
        if (text === undefined) return false
        this.#say(index, text, block['citations'])
        return true
      case 'thinking':
        this.#message.block({ type: 'reasoning', index, text: thinking })
        this.#sign(index, signature)
        this.#think(thinking)
        return true
      default:
        return type === 'redacted_thinking'
    }
  }

  #delta(index: unknown, delta: Fields): boolean {
    const { type, text, thinking, signature, partial_json } = delta
    switch (type) {
      case 'text_delta':
        this.#say(index, text)
        return true
      case 'citations_delta':
        this.#cite(index, delta)
        return true
      case 'thinking_delta':
        this.#message.block({ type: 'reasoning', index, text: thinking })
        this.#think(thinking)
        return true
      case 'signature_delta':
        this.#sign(index, signature)
        return true
      case 'input_json_delta':
        this.#message.call({ index, args: partial_json })
        return true
      default:
        return false
    }
  }

  /** Only the type of a signature matters: it is merged with that of its block. */
  #sign(index: unknown, signature: unknown): void {
    if (isMergeable(index)) this.#message.field(`signature of block ${index}`, signature)
  }

  /** Merges values that are not text without showing them. */
  #say(index: unknown, text: unknown, citations?: unknown): void {
    // An empty text is dropped where there is none to merge it with.
    if (isMergeable(index) && text !== '') {
      this.#message.field(`text of block ${index}`, text)
      this.#message.field(`citations of block ${index}`, citations)
    }
    if (typeof text !== 'string') return
    this.#message.block({ type: 'text', index, text, citations: this.#pagesIn(citations) })
    this.seen.streamed.append(text)
  }

  #cite(index: unknown, delta: Fields): void {
    if (!('citation' in delta)) return
    const citations = [delta['citation']]
    this.#hasNullCitation ||= citations[0] === null
    if (isMergeable(index)) this.#message.field(`citations of block ${index}`, citations)
    this.#message.block({ type: 'text', index, citations: this.#pagesIn(citations) })
  }

  /** The pages of citations that it makes annotations of. */
  #pagesIn(citations: unknown): string[] {
    return asList(citations).flatMap((citation) => {
      const page = pageIn(citation)
      if (page === undefined) return []
      const { title, cited_text, encrypted_index } = asFields(citation)
      const wrong = Object.entries({ title, cited_text, encrypted_index }).find(
        ([, value]) => typeof value !== 'string',
      )
      if (wrong === undefined) return [page]
      this.reportBreak('messages-langchain-citation', `${wrong[0]} of a citation as a text`, wrong[1])
      return []
    })
  }

  #think(thinking: unknown): void {
    if (typeof thinking === 'string') this.seen.reasoning.append(thinking)
  }
}

/** A field of which LangChain reads the type: it throws where there is none to read from. */
function objectIn(event: Fields, name: string): Fields {
  const value = event[name]
  if (value === null || value === undefined)
    throw new Thrown('messages-langchain-event', `${name} in ${asString(event['type'])}`, value)
  return isFields(value) ? value : {}
}
