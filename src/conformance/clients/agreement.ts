import { ownerOf as ownerOfType } from '../event-kind.js'
import { type Fields, fieldsOf, isFields, listOf, type StreamEvent, textOf } from '../stream-event.js'
import type { AgreedItem, AgreedPart } from './agreed-item.js'
import type { Ending } from './client.js'
import { ItemFinder } from './item-finder.js'
import { TextHash } from './text-hash.js'
import { type Vote, Votes, type Where } from './votes.js'

export { citationsOf } from './agreed-item.js'

/** A message's text, or a piece of reasoning: a part of an item. */
export interface AgreedPassage {
  readonly item: AgreedItem
  readonly part: AgreedPart
  readonly text: TextHash
  readonly isRefusal: boolean
  readonly isSummary: boolean
}

/** A call for the application. */
export interface AgreedCall {
  readonly item: AgreedItem
  readonly type: string
  readonly name: string
  /** The namespace of its tool, where it has one. */
  readonly namespace: string | undefined
  readonly arguments: TextHash
  /** The model did not come to its end: nobody is to run it. */
  readonly isCut: boolean
}

/** How a response ended is said by the event's type, by the status, and by what it says of errors. */
type EndingVotes = Votes<Exclude<Ending, 'threw' | 'open'>>

/**
 * What a stream says was made, whoever reads it. Each fact is said in several places (deltas, `*.done` events, the item
 * when it is done, the terminal response), and what most of them say holds; a place that is left out contradicts
 * nobody. Work for each event is constant, and it keeps digests, no text. To be asked after `end()`.
 *
 * - An event is about the item that its id and its index name. Where they name two, about the open one of the right
 *   type; where they name none, about the last open one.
 * - Of as many places, the last one to speak is believed, and of names the one that the request's tools declare.
 * - An item, or a part, is there if it was streamed with more than one event, or is listed where all are.
 */
export class Agreement {
  readonly #finder = new ItemFinder()
  readonly #ending: EndingVotes = new Votes((ending) => ending)
  readonly #message: Votes<string> = new Votes((message) => message)
  readonly #tools = new Set<string>()
  #hasError = false
  /** Whether a terminal response lists items: one that lists none may leave them out. */
  #isListed = false
  #position = 0
  /** Text deltas as they came, of all items. */
  readonly streamed: Readonly<Record<'text' | 'refusals' | 'both', TextHash>> = {
    text: new TextHash(),
    refusals: new TextHash(),
    both: new TextHash(),
  }
  /** Deltas of reasoning as they came. */
  readonly thought: Readonly<Record<'raw' | 'summary' | 'both', TextHash>> = {
    raw: new TextHash(),
    summary: new TextHash(),
    both: new TextHash(),
  }

  /** @param position - the number of the event; default: one more than that before */
  take(event: StreamEvent, position: number = this.#position): void {
    this.#position = position + 1
    const type = textOf(event.type)
    const at = { position, type }
    if (type === 'response.output_item.added') this.#added(event, at)
    else if (type === 'response.output_item.done') this.#done(event, at)
    else if (type === 'error') this.#error(event, at)
    else if (/^response\.(created|queued|in_progress)$/.test(type)) this.#request(event)
    else if (ENDING.test(type) || isFields(event['response'])) this.#terminal(event, at)
    else if (type !== '') this.#inner(event, at)
  }

  /** The stream is over: what is still open was streamed as far as it was. */
  end(): void {
    for (const item of this.#finder.items) item.end()
  }

  /** How the response ended; undefined where nothing says so. */
  get ending(): Ending | undefined {
    return this.#ending.winner ?? (this.#hasError ? 'failed' : undefined)
  }

  /** The events that say otherwise of the end than the others. */
  get endingDissent(): readonly Vote<Ending>[] {
    return this.#ending.against(this.#ending.elected())
  }

  /** What a failed response says went wrong; its beginning, if it is long. */
  get errorMessage(): string | undefined {
    return this.#errorElected?.value
  }

  /** What fewer places say went wrong: where two say two things, nobody knows which is right. */
  get errorDissent(): readonly Vote<string>[] {
    const elected = this.#errorElected
    const most = elected?.places.length ?? 0
    return this.#message.against(elected).filter(({ places }) => places.length < most)
  }

  /** No message says nothing. */
  get #errorElected(): Vote<string> | undefined {
    return this.#message.elected((message) => message !== '')
  }

  /** The items that there are, in the order of the response. */
  get items(): readonly AgreedItem[] {
    return this.#finder.inOrder.filter((item) => this.#isThere(item))
  }

  get messages(): readonly AgreedPassage[] {
    return this.items.filter(({ kind }) => kind === 'message').flatMap((item) => passages(item, item.content.all))
  }

  get reasoning(): readonly AgreedPassage[] {
    return this.items
      .filter(({ kind }) => kind === 'reasoning')
      .flatMap((item) => [...passages(item, item.content.all), ...passages(item, item.summary.all, true)])
  }

  get calls(): readonly AgreedCall[] {
    return this.items
      .filter(({ isCall }) => isCall)
      .map((item) => ({
        item,
        type: item.kind as string,
        name: item.name.elected((name) => this.#tools.has(name))?.value ?? '',
        namespace: item.namespace.winner,
        arguments: item.arguments.text,
        isCut: this.#isCut(item),
      }))
  }

  #added(event: StreamEvent, at: Where): void {
    const fields = event['item']
    if (isFields(fields)) this.#finder.added(fields['id'], event['output_index']).say(fields, 'added', at)
  }

  #done(event: StreamEvent, at: Where): void {
    const fields = event['item']
    if (!isFields(fields)) return
    const { id, type } = fields
    const item = this.#finder.about(id, event['output_index'], typeof type === 'string' ? type : undefined)
    item.say(fields, 'done', at)
  }

  #error(event: StreamEvent, at: Where): void {
    this.#hasError = true
    this.#ending.add('failed', 'told', at)
    const { message } = isFields(event['error']) ? event['error'] : event
    this.#says(message, 'told', at)
  }

  /** Servers send the tools of the request back. */
  #request(event: StreamEvent): void {
    for (const tool of listOf(fieldsOf(event['response'])['tools'])) {
      const { name, tools } = fieldsOf(tool)
      for (const one of [name, ...listOf(tools).map((inner) => fieldsOf(inner)['name'])]) {
        if (typeof one === 'string' && this.#tools.size < MOST_TOOLS) this.#tools.add(one)
      }
    }
  }

  #terminal(event: StreamEvent, at: Where): void {
    const response = fieldsOf(event['response'])
    const { status, error, incomplete_details, output } = response
    const type = ENDING.exec(at.type)?.[1]
    // An event of another type may carry a response that is over: whoever mistyped it meant its end.
    if (type === undefined && !isEnding(status)) return
    if (isEnding(type)) this.#ending.add(type, 'terminal', at)
    if (isEnding(status)) this.#ending.add(status, 'done', at)
    if (isFields(error)) {
      this.#ending.add('failed', 'part', at)
      this.#says(error['message'], 'part', at)
    } else if (isFields(incomplete_details)) this.#ending.add('incomplete', 'part', at)
    else if (error === null && incomplete_details === null) this.#ending.add('completed', 'part', at)

    const listed = listOf(output).filter(isFields)
    if (listed.length > 0) this.#isListed = true
    const found = this.#finder.listed(listed.map(({ id, type }) => ({ id, type })))
    for (const [index, item] of found.entries()) item?.say(listed[index] as Fields, 'terminal', at)
  }

  #says(message: unknown, place: 'told' | 'part', at: Where): void {
    if (typeof message === 'string') this.#message.add(message.slice(0, LONGEST_MESSAGE), place, at)
  }

  #inner(event: StreamEvent, at: Where): void {
    if (!('output_index' in event || 'item_id' in event)) return
    const owner = ownerOf(event)
    const item = this.#finder.about(event['item_id'], event['output_index'], owner)
    item.places.add('deltas')
    if (owner !== undefined) item.type.add(owner, 'deltas', at)
    const text = TEXT.exec(event.type)
    const part = PART.exec(event.type)
    const call = CALL.exec(event.type)
    if (text !== null) this.#text(partOf(item, event), text[1] as string, text[2] === 'delta', event, at)
    else if (part !== null) {
      partOf(item, event).say(fieldsOf(event['part']), part[1] === 'added' ? 'added' : 'part', at)
    } else if (event.type === 'response.output_text.annotation.added') {
      partOf(item, event).announce(event['annotation'], at)
    } else if (call?.[1] === 'delta') item.arguments.append(event['delta'], at)
    else if (call !== null) {
      item.arguments.say(event['arguments'] ?? event['input'], 'told', at)
      if (typeof event['name'] === 'string') item.name.add(event['name'], 'told', at)
    }
  }

  #text(part: AgreedPart, kind: string, isDelta: boolean, event: StreamEvent, at: Where): void {
    part.places.add(isDelta ? 'deltas' : 'told')
    const partKind = PART_KINDS[kind]
    if (partKind !== undefined) part.kind.add(partKind, isDelta ? 'deltas' : 'told', at)
    if (!isDelta) {
      part.text.say(event['text'] ?? event['refusal'], 'told', at)
      return
    }
    const { delta } = event
    part.text.append(delta, at)
    if (typeof delta !== 'string') return
    if (kind === 'output_text' || kind === 'refusal') {
      this.streamed[kind === 'refusal' ? 'refusals' : 'text'].append(delta)
      this.streamed.both.append(delta)
    } else {
      this.thought[kind === 'reasoning_summary_text' ? 'summary' : 'raw'].append(delta)
      this.thought.both.append(delta)
    }
  }

  /** Whether an item is there: it was streamed with more than one event, or is listed where all are. */
  #isThere({ places }: AgreedItem): boolean {
    if (places.has('terminal') || places.size > 1) return true
    // A single event that no other place knows of.
    return !this.#isListed && this.ending !== 'completed'
  }

  /** What is open when the response is cut off was not made to its end. */
  #isCut(item: AgreedItem): boolean {
    const status = item.status.elected((one) => (one === 'incomplete') === (this.ending === 'incomplete'))?.value
    if (status !== undefined) return status === 'incomplete'
    return !item.places.has('done') && this.ending !== 'completed'
  }
}

const ENDING = /^response\.(completed|incomplete|failed)$/
const TEXT = /^response\.(output_text|refusal|reasoning_text|reasoning|reasoning_summary_text)\.(delta|done)$/
const PART = /^response\.(?:content|reasoning_summary|reasoning)_part\.(added|done)$/
const CALL = /^response\.(?:function_call_arguments|custom_tool_call_input)\.(delta|done)$/

/** The type of the items that an event is for, where it says so. */
function ownerOf({ type, part }: StreamEvent): string | undefined {
  if (!type.startsWith('response.content_part.')) return ownerOfType(type)
  return fieldsOf(part)['type'] === 'reasoning_text' ? 'reasoning' : undefined
}

/** What kind of part a text event is about. */
const PART_KINDS: Readonly<Record<string, string>> = {
  output_text: 'output_text',
  refusal: 'refusal',
  reasoning_text: 'reasoning_text',
  reasoning_summary_text: 'summary_text',
}

/** A request has as many tools at the most whose names are remembered. */
const MOST_TOOLS = 1000

const LONGEST_MESSAGE = 1000

const isEnding = (value: unknown): value is 'completed' | 'incomplete' | 'failed' =>
  value === 'completed' || value === 'incomplete' || value === 'failed'

function partOf(item: AgreedItem, event: StreamEvent): AgreedPart {
  const isSummary = event.type.startsWith('response.reasoning_summary_')
  return isSummary ? item.summary.at(event['summary_index']) : item.content.at(event['content_index'])
}

function passages(item: AgreedItem, parts: readonly AgreedPart[], isSummary = false): AgreedPassage[] {
  return parts.map((part) => ({ item, part, text: part.text.text, isRefusal: part.isRefusal, isSummary }))
}
