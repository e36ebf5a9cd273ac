import type { HarmonyMessage } from '../harmony/events.js'
import { parseArguments } from '../recipients/arguments.js'
import { replacedByServer } from '../recipients/builtin-tools.js'
import { type Recipient, recipientKey } from '../recipients/recipient.js'
import { commandLineOf, commandOf } from '../recipients/shell-command.js'
import { objectIn, undeclaredArguments } from '../recipients/written-arguments.js'
import type { TokenTable } from '../tokens/token-table.js'
import { placesBack, type ReadMessage } from './conversation.js'
import { FreePlaces } from './free-places.js'
import { renderMessages } from './render-messages.js'
import type { SampledMessage } from './sampled-form.js'
import type { TaughtTools } from './taught-tools.js'
import { readTranscript, type TranscriptMessage } from './transcript.js'

/**
 * What the host knows of an earlier response:
 *
 * - `tokens`: its transcript, everything that stood after the prompt: sampled ids and the host's own, such as tool
 *   messages and the `<|start|>assistant` of later turns. Where the conversation was compacted, everything since then.
 *   Messages of the request that say the same are rendered with these ids, so that engines find them in their prefix
 *   cache.
 * - `sealed`: an `encrypted_content`, the text that it holds, and its `form`, if it has one: how the response's
 *   messages were sampled. What the form says is used like a transcript's ids, for messages that say the same.
 */
export type HistoryEntry =
  | { readonly tokens: ArrayLike<number> }
  | { readonly sealed: string; readonly text: string; readonly form?: string | undefined }

/** The most ids that one seal tells of: some 150 kB. What would go beyond is rendered from its items. */
const MOST_IDS = 32_768

/** Where a message stands: which transcript, which of its messages. */
interface Place {
  readonly transcript: number
  readonly index: number
}

/**
 * Finds the messages of a request in the transcripts of earlier responses. A transcript's ids are used for a message
 * that says the same and for nothing else: what the client changed is rendered as the client sent it. Messages of one
 * transcript come in its order, whatever the order of the items. A message without a text is the one beside its
 * neighbour, or left out.
 */
export function recall(
  messages: readonly ReadMessage[],
  history: readonly HistoryEntry[],
  tools: TaughtTools,
  tokenTable: TokenTable,
): ReadMessage[] {
  const read = history.flatMap((entry) => ('tokens' in entry ? [readTranscript(entry.tokens, tokenTable)] : []))
  const transcripts = sinceSummary(read, messages)
  const places = transcripts.length === 0 ? [] : findPlaces(messages, transcripts, tools)
  const found = messages.flatMap((message, at): Found[] => {
    const place = places[at]
    const known = place && { place, said: transcripts[place.transcript]?.[place.index] }
    const { place: where, said } = known ?? sealedPlace(message, transcripts.length, tools, tokenTable) ?? {}
    return said === undefined && message.missing === 'omitted' ? [] : [{ message, place: where, said }]
  })
  return inTranscriptOrder(found).map(({ message, said }) => {
    if (said === undefined) return message
    const { item } = message
    return { ...said.message, ...(item !== undefined && { item }), tokens: said.tokens }
  })
}

/**
 * The transcripts from the latest on that begins with the summary of a conversation that was compacted: nothing of those
 * before it is left, but the same may have been said in them.
 */
function sinceSummary(
  transcripts: readonly (readonly TranscriptMessage[])[],
  messages: readonly ReadMessage[],
): readonly (readonly TranscriptMessage[])[] {
  const summary = messages.findLast(({ isSummary }) => isSummary)
  if (summary === undefined) return transcripts
  const latest = transcripts.findLastIndex((list) =>
    list.some(({ message }) => message.role === 'user' && message.content === summary.content),
  )
  return transcripts.slice(Math.max(latest, 0))
}

/**
 * Where a message stood in its response, as a seal tells it, and its ids. A seal's messages are as a transcript of their
 * own. Undefined if what was sampled says something else, or has a control token where none belongs: a client may have
 * changed the item, or have put the seal beside others.
 */
function sealedPlace(
  message: ReadMessage,
  transcripts: number,
  tools: TaughtTools,
  tokenTable: TokenTable,
): Pick<Found, 'place' | 'said'> | undefined {
  if (message.sampled === undefined) return undefined
  const { seal, index, tokens } = message.sampled
  const place = { transcript: transcripts + seal, index }
  if (tokens === undefined) return { place, said: undefined }
  const [said, ...others] = readTranscript(tokens, tokenTable)
  if (said === undefined || others.length > 0 || said.end !== tokens.length) return undefined
  const key = message.missing === undefined ? keyOf : speakerOf
  return key(said.message, tools) === key(message, tools) ? { place, said } : undefined
}

/**
 * The messages that a transcript writes with other ids than their items do, or in another order: those that a seal has
 * to tell of for the same prompt to come of it.
 *
 * @param messages - of the items since the last seal
 * @param transcript - what the model and the host wrote since then
 * @param isAlone - whether the sealed item has no message of its own
 */
export function sampledMessages(
  messages: readonly ReadMessage[],
  transcript: readonly TranscriptMessage[],
  isAlone: boolean,
  tools: TaughtTools,
  tokenTable: TokenTable,
): SampledMessage[] {
  const places = findPlaces(messages, [transcript], tools)
  const backs = new Map(placesBack(messages, isAlone))
  const found = messages.flatMap((message, at) => {
    const index = places[at]?.index
    const said = index === undefined ? undefined : transcript[index]
    if (index === undefined || said === undefined) return []
    const isSame =
      message.missing !== 'omitted' && areEqual(renderMessages([message], { tokenTable }).tokens, said.tokens)
    const place = { back: backs.get(at) as number, isResult: message.role === 'tool' }
    return [{ index, sampled: { ...place, ...(!isSame && { tokens: said.tokens }) } }]
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

function areEqual(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  return a.length === b.length && Array.from(a).every((id, at) => id === b[at])
}

function findPlaces(
  messages: readonly ReadMessage[],
  transcripts: readonly (readonly TranscriptMessage[])[],
  tools: TaughtTools,
): (Place | undefined)[] {
  const waiting = new Map<string, { places: Place[]; next: number }>()
  for (const [transcript, list] of transcripts.entries()) {
    for (const [index, { message }] of list.entries()) {
      const key = keyOf(message, tools)
      const queue = waiting.get(key) ?? { places: [], next: 0 }
      waiting.set(key, queue)
      queue.places.push({ transcript, index })
    }
  }
  const taken = transcripts.map(() => new Set<number>())
  const take = (place: Place | undefined): Place | undefined => {
    if (place !== undefined) taken[place.transcript]?.add(place.index)
    return place
  }
  const places = messages.map((message) => {
    const queue = message.missing !== undefined ? undefined : waiting.get(keyOf(message, tools))
    return queue && take(queue.places[queue.next++])
  })
  // A preamble was shown as reasoning where the answer had to be JSON.
  for (const [at, message] of messages.entries()) {
    if (places[at] !== undefined || message.missing !== undefined || !isThought(message)) continue
    const queue = waiting.get(keyOf({ ...message, channel: 'commentary' }, tools))
    places[at] = queue && take(queue.places[queue.next++])
  }
  // The result of a call comes after it, though not always at once: several calls may wait side by side.
  const results = resultsBySpeaker(transcripts, taken, tools)
  for (const [at, message] of messages.entries()) {
    const call = places[at - 1]
    if (message.missing === undefined || message.role !== 'tool' || call === undefined) continue
    const index = results.get(`${call.transcript} ${speakerOf(message, tools)}`)?.takeAfter(call.index)
    places[at] = index === undefined ? undefined : take({ transcript: call.transcript, index })
  }
  // Reasoning comes right before or after what the item beside it became.
  const fill = (order: readonly number[], step: 1 | -1): void => {
    for (const at of order) {
      const neighbour = places[at - step]
      const message = messages[at]
      if (places[at] !== undefined || message?.missing === undefined || neighbour === undefined) continue
      const place = { transcript: neighbour.transcript, index: neighbour.index + step }
      const there = transcripts[place.transcript]?.[place.index]
      if (there === undefined || taken[place.transcript]?.has(place.index)) continue
      if (speakerOf(there.message, tools) === speakerOf(message, tools)) places[at] = take(place)
    }
  }
  const order = [...messages.keys()]
  fill(order, 1)
  fill(order.reverse(), -1)
  return places
}

/** Where each tool speaks in each transcript, but for the places that are taken. */
function resultsBySpeaker(
  transcripts: readonly (readonly TranscriptMessage[])[],
  taken: readonly ReadonlySet<number>[],
  tools: TaughtTools,
): ReadonlyMap<string, FreePlaces> {
  const results = new Map<string, FreePlaces>()
  for (const [transcript, list] of transcripts.entries()) {
    for (const [index, { message }] of list.entries()) {
      if (message.role !== 'tool' || taken[transcript]?.has(index)) continue
      const key = `${transcript} ${speakerOf(message, tools)}`
      const places = results.get(key) ?? new FreePlaces()
      results.set(key, places)
      places.add(index)
    }
  }
  return results
}

interface Found {
  readonly message: ReadMessage
  readonly place: Place | undefined
  /** What stood there; undefined if the message is rendered from its item. */
  readonly said: TranscriptMessage | undefined
}

/**
 * Sorts the messages of each transcript among the positions that they have. What the client's tools returned in the
 * middle comes after the transcript: they ran when it was over.
 */
function inTranscriptOrder(found: readonly Found[]): Found[] {
  const positions = new Map<number, number[]>()
  for (const [at, { place }] of found.entries()) {
    if (place === undefined) continue
    const list = positions.get(place.transcript) ?? []
    positions.set(place.transcript, list)
    list.push(at)
  }
  const sorted = [...found]
  /** The position of each transcript's last message, by that of its first. */
  const lasts = new Map<number, number>()
  for (const list of positions.values()) {
    lasts.set(list[0] as number, list.at(-1) as number)
    const ordered = list.map((at) => found[at] as Found).sort((a, b) => (a.place?.index ?? 0) - (b.place?.index ?? 0))
    for (const [nth, at] of list.entries()) sorted[at] = ordered[nth] as Found
  }
  const result: Found[] = []
  let last = -1
  let late: Found[] = []
  for (const [at, each] of sorted.entries()) {
    last = Math.max(last, lasts.get(at) ?? -1)
    if (at < last && each.place === undefined && each.message.isOutput) late.push(each)
    else result.push(each)
    if (at < last) continue
    result.push(...late)
    late = []
  }
  return result
}

export function isThought({ role, recipient, channel }: HarmonyMessage): boolean {
  return role === 'assistant' && recipient === undefined && channel === 'analysis'
}

/** What a message says and to whom: equal for a message of a transcript and the item that was made of it. */
export function keyOf(message: HarmonyMessage, tools: TaughtTools): string {
  const callee = message.role === 'assistant' ? calleeOf(message, tools) : undefined
  return `${speakerOf(message, tools)} ${callee === undefined ? message.content : saidTo(callee, message.content)}`
}

/** Who speaks, and to whom. */
function speakerOf(message: HarmonyMessage, tools: TaughtTools): string {
  if (message.role === 'tool') return `tool ${recipientKey(addressee(message.name, tools))}`
  if (message.role !== 'assistant') return message.role
  const callee = calleeOf(message, tools)
  return `assistant ${recipientKey(callee)}${callee.kind === 'message' ? callee.phase : ''}`
}

function calleeOf({ recipient, channel }: HarmonyMessage, { classify }: TaughtTools): Recipient {
  return classify(recipient, channel)
}

function addressee(name: string | undefined, { classify }: TaughtTools): Recipient {
  return classify(name, undefined)
}

/** What of a call its item shows: of a search the query, of a shell the command. */
function saidTo(callee: Recipient, content: string): string {
  switch (callee.kind) {
    case 'web_search_call': {
      const main = { search: 'query', find_in_page: 'pattern', open_page: undefined }[callee.action]
      const said = main && parseArguments(content, main)?.[main]
      return typeof said === 'string' ? said : ''
    }
    case 'shell_call':
    case 'local_shell_call': {
      const command = commandOf(parseArguments(content, 'cmd') ?? {})
      return command === undefined ? '' : commandLineOf(command)
    }
    // As their items show them. The item of a call without arguments has empty ones.
    case 'function_call':
      if (content.trim() === '') return '{}'
      return (callee.declared ? objectIn(content) : undeclaredArguments(callee.name, content)).shown
    case 'mcp_call':
    case 'mcp_approval_request':
      return replacedByServer(callee.serverLabel) === undefined ? objectIn(content).shown : content
    default:
      return content
  }
}
