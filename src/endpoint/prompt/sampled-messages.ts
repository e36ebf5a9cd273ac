import type { Recipient } from '../../core/recipients/recipient.js'
import type { RequestTools } from '../../core/recipients/request-tools.js'
import type { CitableFiles } from '../../core/responses/call-result.js'
import type { TokenTable } from '../../core/tokens/token-table.js'
import { atOnce, createWork } from '../../shared/slices.js'
import { placesBack, type ReadMessage } from './conversation.js'
import { findPlaces } from './find-places.js'
import { calleeOf } from './message-key.js'
import { renderMessages } from './render-messages.js'
import type { SampledMessage } from './sampled-form.js'
import type { TranscriptMessage } from './transcript.js'

/** The maximum number of ids that one seal records: some 150 kB. Messages beyond it are rendered from their items. */
const MAX_IDS = 32_768

export interface FormOptions {
  readonly tools: RequestTools
  readonly tokenTable: TokenTable
  /** Whether the sealed item has no message of its own. */
  readonly isAlone: boolean
  /** As in `SampledForm`. */
  readonly replaces?: number
  /** The number of tokens in the transcript that earlier seals cover. Default: 0. */
  readonly recorded?: number
  /** Whether the client sends the arguments of calls back as objects, which may lose their spelling and order. */
  readonly areCallsParsed?: boolean
  /** The files that the conversation's searches found. Default: none. */
  readonly files?: CitableFiles
}

/**
 * Returns the messages whose ids or order in a transcript differ from those of their items: a seal has to record them
 * for the prompt to be the same.
 *
 * @param messages - of the items that the seal covers
 * @param transcript - the messages that the model and the host wrote meanwhile
 */
export function sampledMessages(
  messages: readonly ReadMessage[],
  transcript: readonly TranscriptMessage[],
  { tools, tokenTable, isAlone, recorded = 0, areCallsParsed = false }: FormOptions,
): SampledMessage[] {
  const sought = { transcripts: [transcript], ownerOf: () => undefined }
  const places = atOnce(findPlaces(messages, sought, tools, createWork()))
  const isKept = (message: ReadMessage): boolean => !areCallsParsed || hasOneSpelling(message, tools)
  const backs = new Map(placesBack(messages, isAlone))
  const found = messages.flatMap((message, at) => {
    const index = places[at]?.index
    const original = index === undefined ? undefined : transcript[index]
    if (index === undefined || original === undefined) return []
    // An earlier record remains valid unless the message's place has changed.
    const isKnown =
      original.end <= recorded ||
      original.isRepaired ||
      (isKept(message) && isRenderedTo(original.tokens, message, tokenTable))
    const place = { back: backs.get(at) as number, isResult: message.role === 'tool' }
    return [{ index, sampled: { ...place, ...(!isKnown && { tokens: original.tokens }) } }]
  })
  const isInOrder = found.every(({ index }, at) => at === 0 || index > (found[at - 1]?.index as number))
  const ordered = found.sort((a, b) => a.index - b.index).map(({ sampled }) => sampled)
  const fitting = bounded(ordered)
  return isInOrder ? fitting.filter(({ tokens }) => tokens !== undefined) : fitting
}

/** Returns the messages whose ids fit, and the places of the others. */
function bounded(messages: readonly SampledMessage[]): SampledMessage[] {
  let room = MAX_IDS
  return messages.map(({ tokens, ...place }) => {
    if (tokens === undefined || tokens.length > room) return place
    room -= tokens.length
    return { ...place, tokens }
  })
}

/** The calls whose arguments become objects in clients that parse them. */
const PARSED: readonly Recipient['kind'][] = ['function_call', 'mcp_call']

/** Whether a client that parses a call and writes it again necessarily produces the same text. */
function hasOneSpelling(message: ReadMessage, tools: RequestTools): boolean {
  const { role, content } = message
  const isParsed = role === 'assistant' && PARSED.includes(calleeOf(message, tools).kind)
  if (!isParsed) return true
  try {
    return JSON.stringify(JSON.parse(content)) === content && !hasOrder(JSON.parse(content))
  } catch {
    return true
  }
}

/** Whether it contains an object whose fields could be reordered. */
function hasOrder(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const parts = Object.values(value)
  return (!Array.isArray(value) && parts.length > 1) || parts.some(hasOrder)
}

function isRenderedTo(tokens: readonly number[], message: ReadMessage, tokenTable: TokenTable): boolean {
  if (message.missing === 'omitted') return false
  const rendered = renderMessages([message], { tokenTable }).tokens
  return rendered.length === tokens.length && tokens.every((id, at) => id === rendered[at])
}
