import { digest } from '../digest.js'
import { type Fields, fieldsOf, isFields, listOf, type StreamEvent, textOf } from '../stream-event.js'
import type { Ending } from './client.js'
import { TextDigest } from './text-digest.js'
import { Votes } from './votes.js'

/** Where a stream says what an item is. Most is said in several places, and a damaged one is outvoted. */
export type Place = 'added' | 'deltas' | 'told' | 'part' | 'done' | 'terminal'

/** A part of a message or of reasoning. */
interface AgreedPart {
  readonly deltas: TextDigest
  hasDeltas: boolean
  readonly kind: Votes<string>
  readonly text: Votes<TextDigest>
  readonly announced: string[]
  readonly citations: Votes<readonly string[]>
}

/** An item, as all places of the stream together say that it is. */
interface AgreedItem {
  readonly type: Votes<string>
  readonly name: Votes<string>
  readonly status: Votes<string>
  readonly deltas: TextDigest
  hasDeltas: boolean
  readonly arguments: Votes<TextDigest>
  readonly content: Map<number, AgreedPart>
  readonly summary: Map<number, AgreedPart>
}

/** What a call's own text is called, in its item and in its events. */
const CALL_FIELD: Readonly<Record<string, string>> = { function_call: 'arguments', custom_tool_call: 'input' }

/**
 * What a stream says was made, whoever reads it: each fact is said in several places (deltas, `*.done` events, the item
 * when it is done, the terminal response), and what most of them say holds. It keeps digests, and no text.
 */
export class Agreement {
  /** In the order of their first appearance. */
  readonly #items: AgreedItem[] = []
  readonly #byId = new Map<string, AgreedItem>()
  readonly #byIndex = new Map<number, AgreedItem>()
  readonly #ending = new Votes<Ending>((ending) => ending)
  /** All text deltas of messages as they came. */
  readonly #streamed = new TextDigest()
  #hasError = false

  take(event: StreamEvent): void {
    const { type } = event
    if (typeof type !== 'string') return
    if (type === 'response.output_item.added') this.#item(event, 'added')
    else if (type === 'response.output_item.done') this.#item(event, 'done')
    else if (/^response\.(completed|incomplete|failed)$/.test(type)) this.#terminal(event)
    else if (type === 'error') this.#hasError = true
    else if (/^response\.(created|queued|in_progress)$/.test(type)) return
    else this.#inner(event, type)
  }

  /** The stream is over, or about to be: what is still open was streamed as far as it was. */
  end(): void {
    for (const item of this.#items) closeDeltas(item)
  }

  /** How the response ended; undefined where nothing says so. */
  get ending(): Ending | undefined {
    if (this.#hasError && this.#ending.isEmpty) return 'failed'
    return this.#ending.winner
  }

  /** The texts of messages, part by part, and whether their deltas are what the other places say. */
  get messages(): readonly {
    readonly text: Votes<TextDigest>
    readonly isRefusal: boolean
    readonly wasStreamed: boolean
  }[] {
    return this.#items
      .filter(({ type }) => type.winner === 'message')
      .flatMap(({ content }) => partsOf(content))
      .map(({ text, kind, deltas }) => ({
        text,
        isRefusal: kind.winner === 'refusal',
        wasStreamed: text.winner?.equals(deltas) ?? true,
      }))
  }

  /** The streamed text in the order of its deltas: what is shown where messages are interleaved. */
  get streamed(): TextDigest {
    return this.#streamed
  }

  get reasoning(): readonly { readonly text: Votes<TextDigest>; readonly isSummary: boolean }[] {
    return this.#items
      .filter(({ type }) => type.winner === 'reasoning')
      .flatMap(({ content, summary }) => [
        ...partsOf(content).map(({ text }) => ({ text, isSummary: false })),
        ...partsOf(summary).map(({ text }) => ({ text, isSummary: true })),
      ])
  }

  get calls(): readonly {
    readonly type: string
    readonly name: Votes<string>
    readonly arguments: Votes<TextDigest>
    readonly isCut: boolean
  }[] {
    return this.#items
      .filter(({ type }) => CALL_FIELD[type.winner ?? ''] !== undefined)
      .map(({ type, name, arguments: given, status }) => ({
        type: type.winner as string,
        name,
        arguments: given,
        isCut: status.winner === 'incomplete',
      }))
  }

  get citations(): readonly Votes<readonly string[]>[] {
    return this.#items
      .filter(({ type }) => type.winner === 'message')
      .flatMap(({ content }) => partsOf(content))
      .map(({ citations }) => citations)
  }

  #item(event: StreamEvent, place: 'added' | 'done'): void {
    if (!isFields(event['item'])) return
    const item = this.#find(event['item']['id'], event['output_index'], place === 'added')
    this.#say(item, event['item'], place)
  }

  #terminal(event: StreamEvent): void {
    const response = fieldsOf(event['response'])
    const { status, error, incomplete_details, output } = response
    this.end()
    this.#ending.add(event.type.slice('response.'.length) as Ending)
    if (status === 'completed' || status === 'incomplete' || status === 'failed') this.#ending.add(status)
    if (isFields(error)) this.#ending.add('failed')
    else if (isFields(incomplete_details)) this.#ending.add('incomplete')
    else if (error === null && incomplete_details === null) this.#ending.add('completed')
    for (const [index, item] of listOf(output).entries()) {
      if (isFields(item)) this.#say(this.#find(item['id'], index, true), item, 'terminal')
    }
  }

  /** The item of an id; else the one at an index; else a new one. */
  #find(id: unknown, index: unknown, isNew: boolean): AgreedItem {
    const at = typeof index === 'number' ? index : undefined
    const known = typeof id === 'string' ? this.#byId.get(id) : undefined
    // An id that nobody knows yet at an index that is taken is a damaged one, unless both are new.
    const item = known ?? (at === undefined ? undefined : this.#byIndex.get(at)) ?? this.#open(isNew)
    if (typeof id === 'string' && known === undefined) this.#byId.set(id, item)
    if (at !== undefined && !this.#byIndex.has(at)) this.#byIndex.set(at, item)
    return item
  }

  /** Where nothing says of which item an event is, it is of the last one. */
  #open(isNew: boolean): AgreedItem {
    const last = this.#items.at(-1)
    if (!isNew && last !== undefined) return last
    const item: AgreedItem = {
      type: new Votes((type) => type),
      name: new Votes((name) => name),
      status: new Votes((status) => status),
      deltas: new TextDigest(),
      hasDeltas: false,
      arguments: new Votes((text) => text.key),
      content: new Map(),
      summary: new Map(),
    }
    this.#items.push(item)
    return item
  }

  #say(item: AgreedItem, fields: Fields, place: 'added' | 'done' | 'terminal'): void {
    const { type, name, namespace, status, content, summary } = fields
    if (typeof type === 'string') item.type.add(type)
    if (typeof name === 'string') item.name.add(typeof namespace === 'string' ? `${namespace}.${name}` : name)
    if (place === 'added') return
    if (place === 'done') closeDeltas(item)
    if (typeof status === 'string') item.status.add(status)
    const given = fields[CALL_FIELD[textOf(type)] ?? '']
    if (typeof given === 'string') item.arguments.add(TextDigest.of(given))
    for (const [parts, held] of [
      [item.content, listOf(content)],
      [item.summary, listOf(summary)],
    ] as const) {
      for (const [index, part] of held.entries()) sayPart(partAt(parts, index), fieldsOf(part))
    }
  }

  #inner(event: StreamEvent, type: string): void {
    if (!('output_index' in event || 'item_id' in event)) return
    const item = this.#find(event['item_id'], event['output_index'], false)
    const isSummary = type.startsWith('response.reasoning_summary_')
    const parts = isSummary ? item.summary : item.content
    const index = event[isSummary ? 'summary_index' : 'content_index']
    const at = typeof index === 'number' ? index : Math.max(0, parts.size - 1)
    const text = /^response\.(output_text|refusal|reasoning_text|reasoning|reasoning_summary_text)\.(delta|done)$/.exec(
      type,
    )
    if (text !== null) {
      const part = partAt(parts, at)
      if (text[2] === 'delta') {
        const delta = textOf(event['delta'])
        part.deltas.append(delta)
        part.hasDeltas = true
        if (text[1] === 'output_text') this.#streamed.append(delta)
      } else {
        const told = event['text'] ?? event['refusal']
        if (typeof told === 'string') part.text.add(TextDigest.of(told))
      }
    } else if (/^response\.(content|reasoning_summary|reasoning)_part\.done$/.test(type)) {
      sayPart(partAt(parts, at), fieldsOf(event['part']))
    } else if (type === 'response.output_text.annotation.added') {
      partAt(parts, at).announced.push(...citationsOf([event['annotation']]))
    } else if (/^response\.(function_call_arguments|custom_tool_call_input)\.delta$/.test(type)) {
      item.deltas.append(textOf(event['delta']))
      item.hasDeltas = true
    } else if (/^response\.(function_call_arguments|custom_tool_call_input)\.done$/.test(type)) {
      const told = event['arguments'] ?? event['input']
      if (typeof told === 'string') item.arguments.add(TextDigest.of(told))
    }
  }
}

/** A list of citations as their URLs, or the ids of their files. */
export function citationsOf(annotations: readonly unknown[]): string[] {
  return annotations.flatMap((annotation) => {
    const { url, file_id } = fieldsOf(annotation)
    const source = url ?? file_id
    return typeof source === 'string' ? [source] : []
  })
}

/** The deltas of an item are a vote once it is done: until then there may be more. */
function closeDeltas(item: AgreedItem): void {
  if (item.hasDeltas) item.arguments.add(item.deltas)
  item.hasDeltas = false
  for (const part of [...item.content.values(), ...item.summary.values()]) {
    if (part.hasDeltas) part.text.add(part.deltas)
    part.hasDeltas = false
    if (part.announced.length > 0) part.citations.add(part.announced)
  }
}

function partAt(parts: Map<number, AgreedPart>, index: number): AgreedPart {
  let part = parts.get(index)
  if (part === undefined) {
    part = {
      deltas: new TextDigest(),
      hasDeltas: false,
      kind: new Votes((kind) => kind),
      text: new Votes((text) => text.key),
      announced: [],
      citations: new Votes((urls) => String(digest(urls))),
    }
    parts.set(index, part)
  }
  return part
}

function sayPart(part: AgreedPart, { type, text, refusal, annotations }: Fields): void {
  if (typeof type === 'string') part.kind.add(type)
  const said = text ?? refusal
  if (typeof said === 'string') part.text.add(TextDigest.of(said))
  if (Array.isArray(annotations)) part.citations.add(citationsOf(annotations))
}

const partsOf = (parts: ReadonlyMap<number, AgreedPart>): AgreedPart[] =>
  [...parts].sort(([a], [b]) => a - b).map(([, part]) => part)
