import { jsonHash } from '../../json-hash.js'
import { asString } from '../../stream-event.js'
import { type SeenCall, seenCall } from '../client.js'
import { concatenated } from '../mutable-text.js'
import { TextHash } from '../text-hash.js'
import { Merged } from './merge.js'
import { partialJson } from './partial-json.js'

/** A piece of a call. */
export interface CallChunk {
  readonly index: unknown
  readonly id?: unknown
  readonly name?: unknown
  readonly args: unknown
  readonly isCustom?: boolean
}

/** A call as merged from chunks with its index. */
export class MergedCall {
  readonly index: unknown
  id: unknown
  name: unknown
  isCustom: boolean
  /** The arguments up to `MAX_ARGUMENTS`; they are parsed at the end. */
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

  /** Whether the arguments are longer than `MAX_ARGUMENTS`. */
  get isLong(): boolean {
    return this.#args.text.length > this.args.length && this.#args.kind === 'string'
  }

  get digest(): TextHash {
    return this.#args.text
  }

  #keep(args: unknown): void {
    const more = typeof args === 'number' && args !== 0 ? String(args) : asString(args)
    if (this.args.length + more.length <= MAX_ARGUMENTS) this.args += more
  }
}

/** How many UTF-16 code units of a call's arguments to keep. */
const MAX_ARGUMENTS = 1 << 20

/**
 * The call that the application gets. One without an id is an invalid tool call that cannot be attributed, as a delta is
 * that names no call. A call whose arguments are not valid JSON is also invalid, and has their text.
 */
export function callsIn(group: readonly MergedCall[], texts: ReadonlyMap<number, readonly TextHash[]>): SeenCall[] {
  const [first] = group
  const id = group.find((call) => Boolean(call.id))?.id
  const name = concatenated(first?.name ?? '')
  if (name === COMPUTER) return []
  if (first?.isLong) return [{ name, arguments: first.digest, value: jsonHash(first.digest.key) }]
  const joined = group.map(({ printed }) => printed).join('')
  if (!id) return [{ ...seenCall(name, joined), isInvalid: true }]
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
