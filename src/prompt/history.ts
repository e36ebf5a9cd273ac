import type { HarmonyMessage } from '../harmony/events.js'
import { patchText, readPatch } from '../recipients/apply-patch.js'
import { parseArguments } from '../recipients/arguments.js'
import { replacedByServer } from '../recipients/builtin-tools.js'
import { toolNamed } from '../recipients/declared-tools.js'
import { type Recipient, recipientKey } from '../recipients/recipient.js'
import type { RequestTools } from '../recipients/request-tools.js'
import { commandLineOf, commandOf } from '../recipients/shell-command.js'
import { objectIn, undeclaredArguments } from '../recipients/written-arguments.js'
import { atOnce, createWork, type Slices, type Work } from '../slices.js'
import type { TokenTable } from '../tokens/token-table.js'
import { placesBack, type ReadMessage } from './conversation.js'
import { FreePlaces } from './free-places.js'
import { renderMessages } from './render-messages.js'
import type { SampledMessage } from './sampled-form.js'
import { readTranscript, readTranscriptInSlices, type TranscriptMessage, type TranscriptOptions } from './transcript.js'

/**
 * What the host knows of an earlier response:
 *
 * - `tokens`: its transcript, everything that stood after the prompt: sampled ids and the host's own, such as tool
 *   messages and the `<|start|>assistant` of later turns. Where the conversation was compacted, everything since then.
 *   Messages of the request that say the same are rendered with these ids, so that engines find them in their prefix
 *   cache. `items`: the ids of the items that the response had. Their messages are looked for in this transcript alone,
 *   and no others are. Default: all messages are looked for in it.
 * - `sealed`: an `encrypted_content`, the text that it holds, and its `form`, if it has one: how the response's
 *   messages were sampled. What the form says is used like a transcript's ids, for messages that say the same.
 */
export type HistoryEntry =
  | { readonly tokens: ArrayLike<number>; readonly items?: readonly string[] | undefined }
  | { readonly sealed: string; readonly text: string; readonly form?: string | undefined }

/** The most ids that one seal tells of: some 150 kB. What would go beyond is rendered from its items. */
const MOST_IDS = 32_768

/** Where a message stands: which transcript, which of its messages. */
interface Place {
  readonly transcript: number
  readonly index: number
}

/** The messages of a transcript. */
export interface ReadHistory {
  readonly messages: readonly TranscriptMessage[]
  /** The ids of the items that they became; undefined if they may be those of any item. */
  readonly items: ReadonlySet<string> | undefined
}

/** The id of an item of the request, by its index. */
export type IdOf = (item: number) => string | undefined

/** Where messages were found. */
export interface Findings {
  readonly transcripts: readonly (readonly TranscriptMessage[])[]
  /** For each message, its place; undefined if no transcript says it. */
  readonly places: readonly (Place | undefined)[]
}

/**
 * Finds the messages of a request in the transcripts of earlier responses. A transcript's ids are used for a message
 * that says the same and for nothing else: what the client changed is rendered as the client sent it. Messages of one
 * transcript come in its order, whatever the order of the items. A message without a text is the one beside its
 * neighbour, or left out.
 */
export function* recall(
  messages: readonly ReadMessage[],
  history: readonly HistoryEntry[],
  idOf: IdOf,
  tools: RequestTools,
  tokenTable: TokenTable,
  work: Work,
): Slices<readonly ReadMessage[]> {
  return recalled(messages, yield* findIn(messages, history, idOf, tools, tokenTable, work), tools, tokenTable)
}

/** The first half of {@link recall}: where the messages stand. */
export function* findIn(
  messages: readonly ReadMessage[],
  history: readonly HistoryEntry[],
  idOf: IdOf,
  tools: RequestTools,
  tokenTable: TokenTable,
  work: Work,
): Slices<Findings> {
  const read: ReadHistory[] = []
  for (const entry of history) {
    if (!('tokens' in entry)) continue
    const list = yield* readTranscriptInSlices(entry.tokens, readingOf(tools, tokenTable), work)
    read.push({ messages: list, items: entry.items && new Set(entry.items) })
  }
  const known = sinceSummary(read, messages)
  const transcripts = known.map((one) => one.messages)
  if (transcripts.length === 0) return { transcripts, places: [] }
  const owners = ownersOf(known)
  const ownerOf = ({ item }: ReadMessage): number | undefined => {
    const id = owners.size === 0 || item === undefined ? undefined : idOf(item)
    return id === undefined ? undefined : owners.get(id)
  }
  const isOpen = known.map(({ items }) => items === undefined)
  return { transcripts, places: yield* findPlaces(messages, { transcripts, ownerOf, isOpen }, tools, work) }
}

/** The transcripts of items, by their ids. */
function ownersOf(history: readonly ReadHistory[]): ReadonlyMap<string, number> {
  const owners = new Map<string, number>()
  for (const [transcript, { items = [] }] of history.entries()) for (const id of items) owners.set(id, transcript)
  return owners
}

/** How transcripts are read: as the translator read them when they were written. */
export function readingOf({ declared }: RequestTools, tokenTable: TokenTable): TranscriptOptions {
  return { tokenTable, toolNamed: (word) => toolNamed(word, declared) }
}

/** The second half of {@link recall}: the messages as they were sampled, where they were found. */
export function recalled(
  messages: readonly ReadMessage[],
  { transcripts, places }: Findings,
  tools: RequestTools,
  tokenTable: TokenTable,
): readonly ReadMessage[] {
  const isKnown = transcripts.length > 0 || messages.some(({ sampled, missing }) => sampled || missing === 'omitted')
  if (!isKnown) return messages
  const found = messages.flatMap((message, at): Found[] => {
    const place = places[at]
    const known = place && { place, said: sampledAt(transcripts[place.transcript], place.index) }
    const { place: where, said } = known ?? sealedPlace(message, transcripts.length, tools, tokenTable) ?? {}
    return said === undefined && message.missing === 'omitted' ? [] : [{ message, place: where, said }]
  })
  return inTranscriptOrder(found).map(({ message, said }) => {
    if (said === undefined) return message
    const { item } = message
    return { ...said.message, ...(item !== undefined && { item }), tokens: said.tokens }
  })
}

/** What stands at a place, to be written again. Undefined if it had to be repaired, or there is nothing. */
function sampledAt(transcript: readonly TranscriptMessage[] | undefined, index: number): TranscriptMessage | undefined {
  const said = transcript?.[index]
  return said?.isRepaired ? undefined : said
}

/**
 * The transcripts from the latest on that begins with the summary of a conversation that was compacted: nothing of those
 * before it is left, but the same may have been said in them.
 */
function sinceSummary(transcripts: readonly ReadHistory[], messages: readonly ReadMessage[]): readonly ReadHistory[] {
  const summary = messages.findLast(({ isSummary }) => isSummary)
  if (summary === undefined) return transcripts
  const latest = transcripts.findLastIndex((one) =>
    one.messages.some(({ message }) => message.role === 'user' && message.content === summary.content),
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
  tools: RequestTools,
  tokenTable: TokenTable,
): Pick<Found, 'place' | 'said'> | undefined {
  if (message.sampled === undefined) return undefined
  const { seal, index, tokens } = message.sampled
  const place = { transcript: transcripts + seal, index }
  if (tokens === undefined) return { place, said: undefined }
  const [said, ...others] = readTranscript(tokens, readingOf(tools, tokenTable))
  if (said === undefined || said.isRepaired || others.length > 0 || said.end !== tokens.length) return undefined
  const key = message.missing === undefined ? keyOf : speakerOf
  return key(said.message, tools) === key(message, tools) ? { place, said } : undefined
}

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
  const all: Sought = { transcripts: [transcript], ownerOf: () => undefined, isOpen: [true] }
  const places = atOnce(findPlaces(messages, all, tools, createWork()))
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

/** JSON in a spelling and an order of its own: clients parse what a call says. Any other text as it is. */
function respelled(text: string): string {
  try {
    return JSON.stringify(ordered(JSON.parse(text)))
  } catch {
    return text
  }
}

/** Lists that say what they are: of an object its fields by their names, which an array of pairs is not equal to. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return ['array', ...value.map(ordered)]
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return ['object', ...fields.map(([name, field]) => [name, ordered(field)])]
}

function isRenderedTo(tokens: readonly number[], message: ReadMessage, tokenTable: TokenTable): boolean {
  if (message.missing === 'omitted') return false
  const rendered = renderMessages([message], { tokenTable }).tokens
  return rendered.length === tokens.length && tokens.every((id, at) => id === rendered[at])
}

/** Where messages are looked for. */
interface Sought {
  readonly transcripts: readonly (readonly TranscriptMessage[])[]
  /** In which transcript alone a message may be; undefined if it may be in any that is open. */
  ownerOf(message: ReadMessage): number | undefined
  /** Whether a transcript may have messages of any item. */
  readonly isOpen: readonly boolean[]
}

function* findPlaces(
  messages: readonly ReadMessage[],
  { transcripts, ownerOf, isOpen }: Sought,
  tools: RequestTools,
  work: Work,
): Slices<(Place | undefined)[]> {
  const sayings = new Sayings(tools)
  yield* sayings.addAll(transcripts, isOpen, work)
  const taken = transcripts.map(() => new Set<number>())
  const take = (place: Place | undefined): Place | undefined => {
    if (place !== undefined) taken[place.transcript]?.add(place.index)
    return place
  }
  const isIn = (message: ReadMessage, transcript: number): boolean => {
    const owner = ownerOf(message)
    return owner === undefined ? isOpen[transcript] === true : owner === transcript
  }
  const places: (Place | undefined)[] = messages.map(() => undefined)
  // From the last message back: what is dropped of a conversation is its beginning, or what its responses ended with.
  function* find(isOne: (message: ReadMessage) => boolean, keyOfOne: (message: ReadMessage) => string): Slices<void> {
    let next = Number.POSITIVE_INFINITY
    for (let at = messages.length - 1; at >= 0; at--) {
      work.left -= COMPARED
      if (work.left <= 0) yield* work.pause()
      const message = messages[at] as ReadMessage
      if (places[at] === undefined && message.missing === undefined && isOne(message)) {
        places[at] = take(sayings.takeBefore(keyOfOne(message), ownerOf(message), next))
      }
      const place = places[at]
      if (place !== undefined) next = Math.min(next, sayings.nthOf(place))
    }
  }
  yield* find(
    ({ role }) => role !== 'tool',
    (message) => keyOf(message, tools),
  )
  // A preamble was shown as reasoning where the answer had to be JSON.
  yield* find(isThought, (message) => keyOf({ ...message, channel: 'commentary' }, tools))
  // A result comes after its call, and after whatever else the model wrote in that turn.
  let call = -1
  for (const [at, message] of messages.entries()) {
    work.left -= COMPARED
    if (work.left <= 0) yield* work.pause()
    const place = places[at]
    if (place !== undefined) call = sayings.nthOf(place)
    else if (message.role === 'tool' && message.missing === undefined)
      places[at] = take(sayings.takeAfter(keyOf(message, tools), ownerOf(message), call))
  }
  // The result of a call comes after it, though not always at once: several calls may wait side by side.
  const results = resultsBySpeaker(transcripts, taken, tools)
  for (const [at, message] of messages.entries()) {
    const call = places[at - 1]
    if (message.missing === undefined || message.role !== 'tool' || call === undefined) continue
    if (!isIn(message, call.transcript)) continue
    const index = results.get(`${call.transcript} ${speakerOf(message, tools)}`)?.takeAfter(call.index)
    places[at] = index === undefined ? undefined : take({ transcript: call.transcript, index })
  }
  // Reasoning comes right before or after what the item beside it became.
  const fill = (order: readonly number[], step: 1 | -1): void => {
    for (const at of order) {
      const neighbour = places[at - step]
      const message = messages[at]
      if (places[at] !== undefined || message?.missing === undefined || neighbour === undefined) continue
      if (!isIn(message, neighbour.transcript)) continue
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

/** Where each thing is said in the transcripts. Each place is taken once. */
class Sayings {
  readonly #tools: RequestTools
  readonly #all: Place[] = []
  /** The number of each transcript's first message among those of all. */
  readonly #firsts: number[] = []
  /** By what a tool says, and in which transcript if it has items of its own, the numbers in their order; by what others say, their negatives from the last back. */
  readonly #free = new Map<string, FreePlaces>()

  constructor(tools: RequestTools) {
    this.#tools = tools
  }

  *addAll(
    transcripts: readonly (readonly TranscriptMessage[])[],
    isOpen: readonly boolean[],
    work: Work,
  ): Slices<void> {
    for (const [transcript, list] of transcripts.entries()) {
      this.#firsts.push(this.#all.length)
      for (const index of list.keys()) this.#all.push({ transcript, index })
    }
    for (const isForward of [true, false]) {
      for (let nth = 0; nth < this.#all.length; nth++) {
        work.left -= COMPARED
        if (work.left <= 0) yield* work.pause()
        const at = isForward ? nth : this.#all.length - 1 - nth
        const { transcript, index } = this.#all[at] as Place
        const message = transcripts[transcript]?.[index]?.message as HarmonyMessage
        const owner = isOpen[transcript] ? undefined : transcript
        if ((message.role === 'tool') === isForward) this.#add(message, owner, isForward ? at : -at)
      }
    }
  }

  #add(message: HarmonyMessage, owner: number | undefined, number: number): void {
    const key = owned(keyOf(message, this.#tools), owner)
    const free = this.#free.get(key) ?? new FreePlaces()
    this.#free.set(key, free)
    free.add(number)
  }

  nthOf({ transcript, index }: Place): number {
    return (this.#firsts[transcript] as number) + index
  }

  /** What no tool says: the last place before another one; if there is none, the last of all. */
  takeBefore(key: string, owner: number | undefined, next: number): Place | undefined {
    return this.#all[-(this.#take(owned(key, owner), -next) ?? Number.NaN)]
  }

  /** What a tool says: the first place after another one; if there is none, the first of all. */
  takeAfter(key: string, owner: number | undefined, call: number): Place | undefined {
    return this.#all[this.#take(owned(key, owner), call) ?? Number.NaN]
  }

  #take(key: string, border: number): number | undefined {
    const free = this.#free.get(key)
    return free?.takeAfter(border) ?? free?.takeAfter(Number.NEGATIVE_INFINITY)
  }
}

/** What is said in the transcript that alone has a message; in all that are open, if none has. */
function owned(key: string, owner: number | undefined): string {
  return owner === undefined ? key : `${owner} ${key}`
}

/** Where each tool speaks in each transcript, but for the places that are taken. */
function resultsBySpeaker(
  transcripts: readonly (readonly TranscriptMessage[])[],
  taken: readonly ReadonlySet<number>[],
  tools: RequestTools,
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

/** What looking for a message takes, in characters that are encoded. */
export const COMPARED = 16

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
export function keyOf(message: HarmonyMessage, tools: RequestTools): string {
  const callee = message.role === 'assistant' ? calleeOf(message, tools) : undefined
  return `${speakerOf(message, tools)} ${callee === undefined ? message.content : saidTo(callee, message.content)}`
}

/** Who speaks, and to whom. */
function speakerOf(message: HarmonyMessage, tools: RequestTools): string {
  if (message.role === 'tool') return `tool ${recipientKey(addressee(message.name, tools))}`
  if (message.role !== 'assistant') return message.role
  const callee = calleeOf(message, tools)
  return `assistant ${recipientKey(callee)}${callee.kind === 'message' ? callee.phase : ''}`
}

function calleeOf({ recipient, channel }: HarmonyMessage, { classifyPast }: RequestTools): Recipient {
  return classifyPast(recipient, channel)
}

function addressee(name: string | undefined, { classifyPast }: RequestTools): Recipient {
  return classifyPast(name, undefined)
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
    case 'apply_patch_call': {
      const { operation } = readPatch(content) ?? {}
      return operation === undefined ? content : patchText(operation)
    }
    // As their items show them. The item of a call without arguments has empty ones.
    case 'function_call':
      if (content.trim() === '') return respelled('{}')
      return respelled((callee.declared ? objectIn(content) : undeclaredArguments(callee.name, content)).shown)
    case 'mcp_call':
    case 'mcp_approval_request':
      if (replacedByServer(callee.serverLabel) !== undefined) return content
      return respelled(content.trim() === '' ? '{}' : objectIn(content).shown)
    default:
      return content
  }
}
