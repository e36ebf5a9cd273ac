import { jsonHash } from '../json-hash.js'
import { asString } from '../stream-event.js'
import { type Seen, type SeenCall, seenCall } from './client.js'
import { concatenated } from './mutable-text.js'
import { partialJson } from './partial-json.js'
import { TextHash } from './text-hash.js'

/** Thrown because the fields of two chunks have different types, at which LangChain throws. */
export class MergeError extends Error {
  readonly field: string
  readonly previous: Kind
  readonly next: Kind

  constructor(field: string, had: Kind, came: Kind) {
    super(`the field ${field} was a ${had}, and is a ${came}`)
    this.field = field
    this.previous = had
    this.next = came
  }
}

type Kind = 'nothing' | 'string' | 'number' | 'boolean' | 'object' | 'array'

/** A field that is merged across chunks. It keeps the hash of a text, and only the type of any other value. */
class Merged {
  readonly #field: string
  readonly text = new TextHash()
  kind: Kind = 'nothing'
  #sum = 0
  /** How a missing value is printed: `undefined` or `null`. */
  #nothing = 'undefined'

  constructor(field: string, value: unknown) {
    this.#field = field
    this.add(value)
  }

  add(value: unknown): void {
    const kind = valueType(value)
    if (kind === 'nothing') {
      if (this.kind === 'nothing') this.#nothing = concatenated(value)
      return
    }
    if (this.kind === 'nothing') this.kind = kind
    if (this.kind !== kind) throw new MergeError(this.#field, this.kind, kind)
    if (typeof value === 'string') this.text.append(value)
    else if (typeof value === 'number') this.#sum += value
  }

  /** The merged value as a string. */
  get printed(): TextHash {
    if (this.kind === 'string') return this.text
    if (this.kind === 'nothing') return TextHash.of(this.#nothing)
    return TextHash.of(this.kind === 'number' ? String(this.#sum) : this.kind === 'array' ? '' : '[object Object]')
  }
}

/** A content block of a message. Blocks with the same index and type are merged. */
export interface Block {
  readonly type: 'text' | 'reasoning'
  readonly index: unknown
  readonly text: unknown
  readonly phase?: unknown
  readonly citations?: readonly string[]
}

/** A piece of a call. */
export interface CallChunk {
  readonly index: unknown
  readonly id?: unknown
  readonly name?: unknown
  readonly args: unknown
  readonly isCustom?: boolean
}

/** The fields of `additional_kwargs.reasoning`, and of the parts of its summary. */
interface ReasoningChunk {
  readonly id?: unknown
  readonly encrypted_content?: unknown
  readonly summary?: readonly SummaryPart[]
}

export interface SummaryPart {
  readonly type?: unknown
  readonly text?: unknown
  readonly index: unknown
}

/**
 * The message that an application gets when it concatenates the chunks of a stream. Indexes decide which blocks are
 * merged. LangChain throws if the types of merged fields differ.
 */
export class LangchainMessage {
  /** Whether the first chunk is still being built: nothing can be merged into it. */
  #isFirst = true
  readonly #blocks: MergedBlock[] = []
  readonly #calls: MergedCall[] = []
  /** Fields of `response_metadata`, and others whose type alone matters. */
  readonly #fields = new Map<string, Merged>()
  #summary: MergedPart[] | undefined
  /** The arguments of done items as texts, by the hash of their parsed value. */
  readonly #texts = new Map<number, TextHash[]>()

  /** Ends a chunk with these metadata fields. */
  chunk(fields: Readonly<Record<string, unknown>> = {}): void {
    for (const [name, value] of Object.entries(fields)) this.field(name, value)
    this.#isFirst = false
  }

  field(path: string, value: unknown): void {
    const known = this.#fields.get(path)
    if (known === undefined) this.#fields.set(path, new Merged(path, value))
    else known.add(value)
  }

  /** The merged status of the response. */
  get status(): TextHash | undefined {
    return this.fieldText('status')
  }

  /** The merged text of a field; undefined if it is none. */
  fieldText(path: string): TextHash | undefined {
    const field = this.#fields.get(path)
    return field?.kind === 'string' ? field.text : undefined
  }

  block(block: Block): void {
    const { type, index, text, phase, citations = [] } = block
    const target = this.#isFirst || !isMergeable(index) ? undefined : this.#blockAt(index, type)
    if (target !== undefined) {
      target.text.add(text)
      target.phase.add(phase)
      target.citations.push(...citations)
      return
    }
    // LangChain drops an empty text, with its other fields, if there is no block to merge it into.
    if (!this.#isFirst && type === 'text' && text === '') return
    const last = this.#blocks.at(-1)
    // Joins blocks that nothing can be merged into, so that a stream of them does not fill the memory.
    if (last !== undefined && last.type === type && !isMergeable(index) && !isMergeable(last.index)) {
      last.before.join(last.text.printed)
      last.text = new Merged('text', text)
      last.citations.push(...citations)
      return
    }
    this.#blocks.push({
      type,
      index,
      before: new TextHash(),
      text: new Merged(type, text),
      phase: new Merged('phase', phase),
      citations: [...citations],
    })
  }

  reasoning({ summary, ...fields }: ReasoningChunk): void {
    for (const [name, value] of Object.entries(fields)) this.field(`reasoning.${name}`, value)
    if (summary === undefined) return
    if (this.#summary === undefined) this.#summary = summary.map(partOf)
    else for (const part of summary) mergePart(this.#summary, part)
  }

  call(chunk: CallChunk): void {
    const target = this.#callFor(chunk)
    if (target === undefined) {
      this.#calls.push(new MergedCall(chunk))
      return
    }
    target.add(chunk)
  }

  /**
   * Adds the arguments of a done call. LangChain does not read them, but applications get the parsed value. So a text
   * with the same value, such as one that lacks the last bracket, which LangChain adds, counts as equal.
   */
  addDoneArguments(given: string): void {
    const value = partialJson(given)
    if (value === undefined) return
    const key = jsonHash(value)
    const text = TextHash.of(given)
    const known = this.#texts.get(key)
    if (known === undefined) this.#texts.set(key, [text])
    else if (!known.some((one) => one.equals(text))) known.push(text)
  }

  /** Writes what an application sees of the message to `seen`. */
  show(seen: Seen): void {
    seen.final = new TextHash()
    for (const { type, before, text, citations } of this.#blocks) {
      if (type !== 'text') continue
      seen.final.join(before).join(text.printed)
      seen.citations.push(...citations)
    }
    seen.calls.push(...this.#collapsed().flatMap((group) => callsIn(group, this.#texts)))
    const status = this.status
    for (const ending of ['completed', 'incomplete', 'failed'] as const) {
      if (status?.equals(TextHash.of(ending))) seen.ending = ending
    }
  }

  #blockAt(index: unknown, type: Block['type']): MergedBlock | undefined {
    return this.#blocks.find((block) => block.index === index && block.type === type)
  }

  #callFor({ index, id }: CallChunk): MergedCall | undefined {
    if (this.#isFirst || (!isMergeable(index) && !hasId(id))) return undefined
    return this.#calls.find((call) => {
      const both = hasId(id) && hasId(call.id)
      if (isMergeable(index) && isMergeable(call.index)) return call.index === index && (!both || call.id === id)
      return !isMergeable(index) && !isMergeable(call.index) && both && call.id === id
    })
  }

  /** Groups the unmerged chunks by call. The last step of LangChain has its own rules for that. */
  #collapsed(): MergedCall[][] {
    const groups: MergedCall[][] = []
    for (const call of this.#calls) {
      const group = groups.find(([first]) => {
        const [hasOwnId, hasIndex] = [Boolean(call.id), call.index !== undefined]
        const sameIndex = call.index === first?.index
        if (!hasOwnId) return hasIndex && sameIndex
        return call.id === first?.id && (!hasIndex || sameIndex)
      })
      if (group === undefined) groups.push([call])
      else group.push(call)
    }
    return groups
  }
}

interface MergedBlock {
  readonly type: Block['type']
  readonly index: unknown
  /** The joined text of the unmergeable blocks before it. */
  readonly before: TextHash
  text: Merged
  readonly phase: Merged
  readonly citations: string[]
}

interface MergedPart {
  readonly index: unknown
  readonly typeName: unknown
  readonly type: Merged
  readonly text: Merged
}

class MergedCall {
  readonly index: unknown
  id: unknown
  name: unknown
  isCustom: boolean
  /** The arguments up to `LONGEST`; they are parsed at the end. */
  args = ''
  readonly #args: Merged
  readonly #name: Merged

  constructor({ index, id, name, args, isCustom = false }: CallChunk) {
    this.index = index
    this.id = id
    this.name = name
    this.isCustom = isCustom
    this.#args = new Merged('args', args)
    this.#name = new Merged('name', name)
    this.#keep(args)
  }

  add({ id, name, args, isCustom = false }: CallChunk): void {
    this.#args.add(args)
    this.#name.add(name)
    this.#keep(args)
    if (this.id === undefined || this.id === null || (typeof id === 'string' && id !== '')) this.id = id ?? this.id
    if (this.name === undefined || this.name === null || (typeof name === 'string' && name !== '')) {
      this.name = name ?? this.name
    }
    this.isCustom ||= isCustom
  }

  /** The arguments as LangChain joins them with those of other chunks. */
  get printed(): string {
    return this.#args.kind === 'object' || this.#args.kind === 'array' ? '[object Object]' : this.args
  }

  /** Whether the arguments are longer than `LONGEST`. */
  get isLong(): boolean {
    return this.#args.text.length > this.args.length && this.#args.kind === 'string'
  }

  get digest(): TextHash {
    return this.#args.text
  }

  #keep(args: unknown): void {
    const more = typeof args === 'number' && args !== 0 ? String(args) : asString(args)
    if (this.args.length + more.length <= LONGEST) this.args += more
  }
}

/** How many UTF-16 code units of a call's arguments to keep. */
const LONGEST = 1 << 20

/**
 * The call that the application gets. There is none without an id, which makes it an invalid tool call that cannot be
 * attributed. A call whose arguments are not valid JSON is also invalid, and has their text.
 */
function callsIn(group: readonly MergedCall[], texts: ReadonlyMap<number, readonly TextHash[]>): SeenCall[] {
  const [first] = group
  const id = group.find((call) => Boolean(call.id))?.id
  const name = concatenated(first?.name ?? '')
  if (!id || name === COMPUTER) return []
  if (first?.isLong) return [{ name, arguments: first.digest, value: jsonHash(first.digest.key) }]
  const joined = group.map(({ printed }) => printed).join('')
  if (group.some(({ isCustom }) => isCustom)) return [seenCall(name, joined)]
  const given = joined.trim() === '' ? '{}' : joined
  const value = partialJson(given.trim())
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ ...seenCall(name, given.trim()), isInvalid: true }]
  const key = jsonHash(value)
  return [{ name, arguments: TextHash.of(given), value: key, sameValue: texts.get(key) ?? [] }]
}

/** LangChain's name for computer calls, which are not calls of the application's tools. */
export const COMPUTER = 'computer_use'

function partOf({ type, text, index }: SummaryPart): MergedPart {
  return { index, typeName: type, type: new Merged('type', type), text: new Merged('text', text) }
}

function mergePart(parts: MergedPart[], part: SummaryPart): void {
  const { type, text, index } = part
  const target = isMergeable(index)
    ? parts.find(({ index: other, typeName }) => {
        const differs = typeof typeName === 'string' && typeof type === 'string' && typeName !== type
        return other === index && !differs
      })
    : undefined
  if (target !== undefined) {
    if (valueType(type) !== 'nothing' && target.type.kind !== 'nothing' && target.type.kind !== valueType(type)) {
      throw new MergeError('type', target.type.kind, valueType(type))
    }
    target.text.add(text)
  } else if (text !== '' && isMergeable(index)) parts.push(partOf(part))
}

const isMergeable = (index: unknown): boolean => typeof index === 'number' || typeof index === 'string'

const hasId = (id: unknown): boolean => id !== undefined && id !== null && id !== ''

export function valueType(value: unknown): Kind {
  if (value === undefined || value === null) return 'nothing'
  if (Array.isArray(value)) return 'array'
  return typeof value as Kind
}
