import { type Fields, fieldsOf, textOf } from '../stream-event.js'
import { AgreedText } from './agreed-text.js'
import { type Place, type Vote, Votes, type Where } from './votes.js'

const byItself = (value: string): string => value

/** A part of a message or of reasoning, as all places together say that it is. */
export class AgreedPart {
  readonly kind: Votes<string> = new Votes(byItself)
  readonly text: AgreedText = new AgreedText()
  /** The places that speak of it. */
  readonly places: Set<Place> = new Set()
  readonly #citations = new Votes<readonly string[]>((urls) => JSON.stringify(urls))
  readonly #announced: string[] = []
  #firstAnnounced: Where | undefined

  /** An event carries it, or an item that is over. */
  say(fields: Fields, place: Place, at: Where): void {
    const { type, text, refusal, annotations } = fields
    this.places.add(place)
    if (typeof type === 'string') this.kind.add(type, place, at)
    if (place === 'added') return
    this.text.say(text ?? refusal, place, at)
    // No citations say nothing: servers announce them, and leave the lists empty, or the other way round.
    if (Array.isArray(annotations) && annotations.length > 0) this.#citations.add(citationsOf(annotations), place, at)
  }

  announce(annotation: unknown, at: Where): void {
    this.#firstAnnounced ??= at
    this.#announced.push(...citationsOf([annotation]))
  }

  end(): void {
    this.text.end()
    if (this.#firstAnnounced !== undefined) this.#citations.add(this.#announced, 'deltas', this.#firstAnnounced)
  }

  get isRefusal(): boolean {
    return this.kind.winner === 'refusal'
  }

  /** URLs, or ids of files. */
  get citations(): readonly string[] {
    return this.#citations.winner ?? []
  }

  get citationDissent(): readonly Vote<readonly string[]>[] {
    return this.#citations.against(this.#citations.elected())
  }

  get hasAnnounced(): boolean {
    return this.#firstAnnounced !== undefined
  }
}

/** The parts of an item, by their index: of its content, or of its summary. */
export class AgreedParts {
  readonly #parts = new Map<number, AgreedPart>()
  /** How many parts the places have that carry all of them. */
  readonly #lists = new Map<Place, number>()
  #last = 0

  /** The part at an index; where it is none, the part of the event before. */
  at(index: unknown): AgreedPart {
    const at = typeof index === 'number' ? index : this.#last
    this.#last = at
    let part = this.#parts.get(at)
    if (part === undefined) {
      part = new AgreedPart()
      this.#parts.set(at, part)
    }
    return part
  }

  /** An item that is over carries all its parts. */
  say(list: unknown, place: Place, at: Where): void {
    if (!Array.isArray(list)) return
    this.#lists.set(place, list.length)
    const indexes = this.#streamedIndexes()
    // Servers that count the parts of all items together (vLLM has) stream the first part of an item at another index.
    const isShifted = indexes.length === list.length
    for (const [index, part] of list.entries()) {
      this.at(isShifted ? indexes[index] : index).say(fieldsOf(part), place, at)
    }
  }

  /** Where parts were streamed: one event with the index of another part does not make that part. */
  #streamedIndexes(): number[] {
    return [...this.#parts]
      .filter(([, { places }]) => STREAMED.filter((place) => places.has(place)).length > 1)
      .map(([index]) => index)
      .sort((a, b) => a - b)
  }

  end(): void {
    for (const part of this.#parts.values()) part.end()
  }

  /** Those that there are: an event with the number of another part does not make that part. */
  get all(): readonly AgreedPart[] {
    const parts = [...this.#parts].sort(([a], [b]) => a - b).map(([, part]) => part)
    const anyAdded = parts.some(({ places }) => places.has('added'))
    const anyStreamed = parts.some((part) => isStreamed(part))
    return parts.filter(({ places }) => {
      let [yes, no] = [0, 0]
      for (const place of this.#lists.keys()) places.has(place) ? yes++ : no++
      const moments = STREAMED.filter((place) => places.has(place)).length
      if (moments === 0) {
        if (anyStreamed) no++
        return yes > no
      }
      if (this.#lists.size === 0) return moments > 1 || places.has('added') || !anyAdded
      return yes + Math.min(moments, 2) >= no + (moments === 1 ? 1 : 0)
    })
  }
}

/** The places of a part that come while it is made. */
const STREAMED: readonly Place[] = ['added', 'deltas', 'told', 'part']

const isStreamed = ({ places }: AgreedPart): boolean => STREAMED.some((place) => places.has(place))

/** What a call's own text is called, in its item and in its events. */
const CALL_FIELD: Readonly<Record<string, string>> = { function_call: 'arguments', custom_tool_call: 'input' }

/** An item, as all places of the stream together say that it is. */
export class AgreedItem {
  readonly type: Votes<string> = new Votes(byItself)
  readonly name: Votes<string> = new Votes(byItself)
  readonly namespace: Votes<string> = new Votes(byItself)
  readonly status: Votes<string> = new Votes(byItself)
  readonly arguments: AgreedText = new AgreedText()
  /** It was announced with its arguments, which come after it. */
  announcedWhole: Where | undefined
  readonly content: AgreedParts = new AgreedParts()
  readonly summary: AgreedParts = new AgreedParts()
  /** The places that speak of it. */
  readonly places: Set<Place> = new Set()
  readonly #ids = new Map<string, number>()
  /** How often its events give which output index. */
  readonly #indexes = new Map<number, number>()

  /** An event carries it, or the terminal response. */
  say(fields: Fields, place: Place, at: Where): void {
    const { type, name, namespace, status, content, summary } = fields
    this.places.add(place)
    if (typeof type === 'string') this.type.add(type, place, at)
    if (typeof name === 'string') this.name.add(name, place, at)
    if (typeof namespace === 'string') this.namespace.add(namespace, place, at)
    if (place === 'added') {
      // What it is before it is over says nothing, and clients are not to believe it. Some do.
      if (textOf(fields['arguments'] ?? fields['input']) !== '') this.announcedWhole = at
      return
    }
    if (isStatus(status)) this.status.add(status, place, at)
    const { arguments: given, input } = fields
    this.arguments.say(CALL_FIELD[textOf(type)] === 'input' ? input : (given ?? input), place, at)
    this.content.say(content, place, at)
    this.summary.say(summary, place, at)
  }

  /** An event about it has an id. Returns whether it is one that it did not have. */
  knownAs(id: string): boolean {
    const count = this.#ids.get(id)
    if (count === undefined && this.#ids.size >= MOST_IDS) return false
    this.#ids.set(id, (count ?? 0) + 1)
    return count === undefined
  }

  /** How often its events have an id. */
  timesNamed(id: string): number {
    return this.#ids.get(id) ?? 0
  }

  number(index: unknown): void {
    if (typeof index === 'number' && (this.#indexes.size < MOST_IDS || this.#indexes.has(index)))
      this.#indexes.set(index, (this.#indexes.get(index) ?? 0) + 1)
  }

  /** The output index that most of its events give. */
  get index(): number | undefined {
    let best: number | undefined
    for (const [index, count] of this.#indexes) {
      if (best === undefined || count > (this.#indexes.get(best) as number)) best = index
    }
    return best
  }

  end(): void {
    this.arguments.end()
    this.content.end()
    this.summary.end()
  }

  get isOpen(): boolean {
    return !this.places.has('done') && !this.places.has('terminal')
  }

  /** What most places say that it is: of as many, a type that has a name in the API. */
  get kind(): string | undefined {
    return this.type.elected(isKnown)?.value
  }

  get isCall(): boolean {
    return CALL_FIELD[this.kind ?? ''] !== undefined
  }

  /** Whether an event of items of a type can be about it. */
  isOf(owner: string | undefined): boolean {
    return owner === undefined || this.type.isEmpty || this.kind === owner
  }
}

/** Some servers give each event a new id: no more are remembered of an item. */
const MOST_IDS = 8

const isKnown = (type: string): boolean =>
  /^(message|reasoning|compaction|program|\w+_(call|output|tools|request))$/.test(type)

const isStatus = (status: unknown): status is string =>
  typeof status === 'string' && /^(completed|incomplete|in_progress|failed|searching|generating)$/.test(status)

/** A list of citations as their URLs, or the ids of their files. */
export function citationsOf(annotations: readonly unknown[]): string[] {
  return annotations.flatMap((annotation) => {
    const { url, file_id } = fieldsOf(annotation)
    const source = url ?? file_id
    return typeof source === 'string' ? [source] : []
  })
}
