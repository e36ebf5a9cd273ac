import { type Fields, isFields } from '../../../shared/fields.js'
import { parseJson } from '../../conformance/read/parse-json.js'
import { asFields, asList, asString } from '../../conformance/stream-event.js'
import type { AnswerContent } from '../conversation/api-server.js'

/** A message as received so far, assembled like in clients. */
export interface AssembledMessage extends AnswerContent {
  readonly content: readonly Fields[]
  readonly stopSequence: unknown
  readonly usage: Fields
}

/** The field to which the deltas of a block are appended, by their type. */
const FIELDS: Readonly<Record<string, string>> = { text_delta: 'text', thinking_delta: 'thinking' }

/** Assembles the events of a stream. */
export function messageOfEvents(events: readonly Fields[]): AssembledMessage {
  const content: Record<string, unknown>[] = []
  let json = ''
  let end: Fields = {}
  let usage: Fields = {}
  for (const { type, content_block, delta, message, usage: counted } of events) {
    const block = content.at(-1)
    const { type: kind, partial_json, signature, ...deltaFields } = asFields(delta)
    if (type === 'message_start') usage = asFields(asFields(message)['usage'])
    else if (type === 'content_block_start') content.push({ ...asFields(content_block) })
    else if (type === 'content_block_delta' && block !== undefined) {
      const field = FIELDS[asString(kind)]
      if (field !== undefined) block[field] = asString(block[field]) + asString(deltaFields[field])
      if (kind === 'signature_delta') block['signature'] = signature
      if (kind === 'input_json_delta') json += asString(partial_json)
    } else if (type === 'content_block_stop') {
      if (block !== undefined && json !== '') block['input'] = (parseJson(json) ?? { value: json }).value
      json = ''
    } else if (type === 'message_delta') {
      if (typeof deltaFields['stop_reason'] === 'string') end = deltaFields
      usage = { ...usage, ...asFields(counted) }
    }
  }
  return messageOfAnswer({ ...end, content, usage })
}

/** Returns the content of an answer that was not streamed. */
export function messageOfAnswer({
  content: blocks,
  stop_reason,
  stop_sequence,
  usage: counts,
}: Fields): AssembledMessage {
  const content = asList(blocks).filter(isFields)
  const [ending, usage] = [asString(stop_reason), asFields(counts)]
  return {
    content,
    usage,
    stopSequence: stop_sequence,
    text: blocksOf({ content }, 'text')
      .map(({ text }) => asString(text))
      .join(''),
    calls: blocksOf({ content }, 'tool_use').map(({ id, name, input }) => ({
      id: asString(id),
      name: asString(name),
      arguments: JSON.stringify(input ?? {}),
    })),
    ending,
    isCut: ending === 'max_tokens',
    isRefusal: ending === 'refusal',
    outputTokens: usage['output_tokens'],
  }
}

/** The blocks of a type. */
export const blocksOf = ({ content }: Pick<AssembledMessage, 'content'>, type: string): readonly Fields[] =>
  content.filter((block) => block['type'] === type)
