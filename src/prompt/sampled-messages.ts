import type { Recipient } from '../recipients/recipient.js'
import type { RequestTools } from '../recipients/request-tools.js'
import { atOnce, createWork } from '../slices.js'
import type { TokenTable } from '../tokens/token-table.js'
import { placesBack, type ReadMessage } from './conversation.js'
import { findPlaces } from './find-places.js'
import { calleeOf } from './message-key.js'
import { renderMessages } from './render-messages.js'
import type { SampledMessage } from './sampled-form.js'
import type { TranscriptMessage } from './transcript.js'

/** The most ids that one seal tells of: some 150 kB. What would go beyond is rendered from its items. */
const MOST_IDS = 32_768

export interface FormOptions {
  readonly tools: RequestTools
  readonly tokenTable: TokenTable
  /** Whether the sealed item has no message of its own. */
  readonly isAlone: boolean
  /** As in `SampledForm`. */
  readonly replaces?: number
  /** Up to where in the transcript earlier seals tell how it was sampled: how many of its tokens. Default: 0. */
  readonly told?: number
  /** Whether the client sends the arguments of calls back as objects: their spelling and their order may be lost. */
  readonly areCallsParsed?: boolean
}

/**
 * The messages that a transcript writes with other ids than their items do, or in another order: those that a seal has
 * to tell of for the same prompt to come of it.
 *
 * @param messages - of the items that the seal tells of
 * @param transcript - what the model and the host wrote meanwhile
 */
export function sampledMessages(
  messages: readonly ReadMessage[],
  transcript: readonly TranscriptMessage[],
  { tools, tokenTable, isAlone, told = 0, areCallsParsed = false }: FormOptions,
): SampledMessage[] {
  const sought = { transcripts: [transcript], ownerOf: () => undefined }
  const places = atOnce(findPlaces(messages, sought, tools, createWork()))
  const isKept = (message: ReadMessage): boolean => !areCallsParsed || hasOneSpelling(message, tools)
  const backs = new Map(placesBack(messages, isAlone))
  const found = messages.flatMap((message, at) => {
    const index = places[at]?.index
    const said = index === undefined ? undefined : transcript[index]
    if (index === undefined || said === undefined) return []
    // Of what was told before, the place alone may be another than it seemed.
    const isKnown =
      said.end <= told || said.isRepaired || (isKept(message) && isRenderedTo(said.tokens, message, tokenTable))
    const place = { back: backs.get(at) as number, isResult: message.role === 'tool' }
    return [{ index, sampled: { ...place, ...(!isKnown && { tokens: said.tokens }) } }]
  })
  const isInOrder = found.every(({ index }, at) => at === 0 || index > (found[at - 1]?.index as number))
  const ordered = found.sort((a, b) => a.index - b.index).map(({ sampled }) => sampled)
  const fitting = bounded(ordered)
  return isInOrder ? fitting.filter(({ tokens }) => tokens !== undefined) : fitting
}

/** Those whose ids there is room for, and the places of the others. */
function bounded(messages: readonly SampledMessage[]): SampledMessage[] {
  let room = MOST_IDS
  return messages.map(({ tokens, ...place }) => {
    if (tokens === undefined || tokens.length > room) return place
    room -= tokens.length
    return { ...place, tokens }
  })
}

/** The calls whose arguments are objects where clients parse them. */
const PARSED: readonly Recipient['kind'][] = ['function_call', 'mcp_call']

/** Whether a client that parses what a call says, and writes it anew, cannot but write the same. */
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

/** Whether there is an object in it whose fields could stand in another order. */
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
