import { asFields, asList, asString } from '../../conformance/stream-event.js'
import { type Fields, isFields } from '../../fields.js'

/** A message as far as it came, put together as clients do it. */
export interface PutTogether {
  readonly content: readonly Fields[]
  readonly stopReason: string
  readonly usage: Fields
}

/** What the deltas of a block are added to. */
const FIELDS: Readonly<Record<string, string>> = { text_delta: 'text', thinking_delta: 'thinking' }

/** Puts the events of a stream together. */
export function messageOfEvents(events: readonly Fields[]): PutTogether {
  const content: Record<string, unknown>[] = []
  let json = ''
  let stopReason = ''
  let usage: Fields = {}
  for (const { type, content_block, delta, message, usage: counted } of events) {
    const block = content.at(-1)
    const { type: kind, partial_json, signature, stop_reason, ...said } = asFields(delta)
    if (type === 'message_start') usage = asFields(asFields(message)['usage'])
    else if (type === 'content_block_start') content.push({ ...asFields(content_block) })
    else if (type === 'content_block_delta' && block !== undefined) {
      const field = FIELDS[asString(kind)]
      if (field !== undefined) block[field] = asString(block[field]) + asString(said[field])
      if (kind === 'signature_delta') block['signature'] = signature
      if (kind === 'input_json_delta') json += asString(partial_json)
    } else if (type === 'content_block_stop') {
      if (block !== undefined && json !== '') block['input'] = parsed(json)
      json = ''
    } else if (type === 'message_delta') {
      stopReason = asString(stop_reason) || stopReason
      usage = { ...usage, ...asFields(counted) }
    }
  }
  return { content, stopReason, usage }
}

/** What an answer that was not streamed has. */
export function messageOfAnswer({ content, stop_reason, usage }: Fields): PutTogether {
  return { content: asList(content).filter(isFields), stopReason: asString(stop_reason), usage: asFields(usage) }
}

/** The blocks of a type. */
export const blocksOf = ({ content }: PutTogether, type: string): readonly Fields[] =>
  content.filter((block) => block['type'] === type)

/** The text of a message. */
export const textOf = (message: PutTogether): string =>
  blocksOf(message, 'text')
    .map(({ text }) => asString(text))
    .join('')

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}
