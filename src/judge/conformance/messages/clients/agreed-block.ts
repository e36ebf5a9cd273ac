import { type Fields, isFields } from '../../../../shared/fields.js'
import { seenCall } from '../../clients/client.js'
import { TextHash } from '../../clients/text-hash.js'
import type { EventRef } from '../../clients/votes.js'
import { jsonHash } from '../../json-hash.js'
import { isEncodedTwice } from '../../json-text.js'
import { parseJson } from '../../read/parse-json.js'
import { asFields, asString, lookUp } from '../../stream-event.js'
import { pagesIn } from './citation.js'

/** The kind of a block for the user of a client; `other` is not shown by any client of this API. */
export type BlockKind = 'text' | 'thinking' | 'call' | 'other'

/** A value that no client can read. */
export interface Unreadable {
  readonly what: string
  readonly got: unknown
  readonly at: EventRef
}

/** The types of blocks that are not results: none but the first three is shown to the user, or run. */
const BLOCK_KINDS: Readonly<Record<string, BlockKind>> = {
  text: 'text',
  thinking: 'thinking',
  tool_use: 'call',
  redacted_thinking: 'other',
  server_tool_use: 'other',
  mcp_tool_use: 'other',
  mcp_tool_listing: 'other',
  container_upload: 'other',
  compaction: 'other',
  fallback: 'other',
}

/**
 * Returns the kind of a block: by its type or, for an unknown type, by its fields; undefined if its deltas must decide.
 */
export function blockKindOf(block: Fields): BlockKind | undefined {
  const { type, id, text, thinking, server_name, tool_use_id, data } = block
  const known = typeof type === 'string' ? lookUp(BLOCK_KINDS, type) : undefined
  if (known !== undefined) return known
  if (typeof text === 'string') return 'text'
  if (typeof thinking === 'string') return 'thinking'
  const isServed = [server_name, tool_use_id, data].some((field) => field !== undefined)
  if (isServed || asString(id).startsWith('srvtoolu_') || asString(type).endsWith('_result')) return 'other'
  return nameIn(block) === '' ? undefined : 'call'
}

/** The name of a call, also where Chat Completions has it. */
export const nameIn = ({ name, function: named }: Fields): string => asString(name) || asString(asFields(named)['name'])

/** The limit of a call's input, in UTF-16 code units. */
const MAX_INPUT = 1 << 20

/** A block as its start and its deltas state it, regardless of the client. */
export class AgreedBlock {
  kind: BlockKind
  readonly index: unknown
  id = ''
  name = ''
  /** The event that began it. */
  readonly at: EventRef
  /** Whether a start began it, not a delta without a block. */
  hasStart: boolean
  /** Whether its stop has come, or another block has begun. */
  isStopped = false
  /** Whether another block began after it. */
  isFollowed = false
  /** Whether its start came twice, as its deltas may have. */
  isDoubled = false
  hasSignature = false
  /** Whether its input came before it. */
  isOutOfOrder = false
  #hasProse: boolean | undefined
  /** A delta of a call that no client can read. The first one is often empty, which is decided at the end. */
  #lost: { readonly what: Unreadable; readonly isFirst: boolean } | undefined
  /** The content of deltas of another type than its own. */
  stray: AgreedBlock | undefined
  /** The content of its start. */
  #begun = new TextHash()
  readonly #deltas = new TextHash()
  /** The pages that its start cites, and its deltas. */
  #begunPages: readonly string[] = []
  readonly #pages: string[] = []
  /** The input that its start has; undefined if that is empty. */
  #given: string | undefined
  #input = ''
  /** The last delta, unless it came again. */
  #last: string | undefined
  #isLong = false
  #isSettled = false

  /** @param start - the block as its start has it; undefined if a delta began it */
  constructor(kind: BlockKind, index: unknown, at: EventRef, start?: Fields) {
    this.hasStart = start !== undefined
    this.kind = kind
    this.index = index
    this.at = at
    if (start !== undefined) this.begin(start)
  }

  /** Takes its start, which may come behind its deltas. */
  begin(start: Fields): void {
    this.hasStart = true
    this.id = asString(start['id'])
    this.name = nameIn(start)
    this.#begun = TextHash.of(asString(start[this.kind === 'call' ? '' : this.kind]))
    const isGiven = this.kind === 'call' && Object.keys(asFields(start['input'])).length > 0
    this.#given = isGiven ? JSON.stringify(start['input']) : undefined
    this.#begunPages = pagesIn(start['citations'])
  }

  /** Whether nothing has come but its start, and that is empty. */
  get isBare(): boolean {
    const isEmpty = this.#deltas.length + this.#begun.length + this.pages.length === 0
    return this.hasStart && isEmpty && this.#given === undefined
  }

  /** Whether its deltas are an answer's text, and not its input under another type: by the first of them. */
  hasProse({ text, thinking }: Fields): boolean {
    const said = asString(text) || asString(thinking)
    if (said !== '') this.#hasProse ??= !/^\s*[{"]/.test(said)
    return this.#hasProse === true
  }

  append(text: string): void {
    if (this.#isAgain(text)) return
    this.#deltas.append(text)
    // Kept for a text too: until its block is settled, it may turn out to be the input of a call.
    if (this.#isSettled && this.kind !== 'call') return
    if (this.#input.length + text.length <= MAX_INPUT) this.#input += text
    else this.#isLong = true
  }

  /** Adds a page that its text cites. */
  cite(page: string): void {
    if (!this.#isAgain(page)) this.#pages.push(page)
  }

  /** Whether a delta is the last one, which came again. */
  #isAgain(content: string): boolean {
    const isAgain = this.isDoubled && content === this.#last
    this.#last = isAgain ? undefined : content
    return isAgain
  }

  /**
   * Interprets the block's stray deltas once all have come: they are a block of their own if this block has deltas of
   * its type; otherwise either their type or this block's is wrong.
   *
   * @returns the block of their own
   */
  settle(): AgreedBlock | undefined {
    const { stray } = this
    this.stray = undefined
    const own = stray && this.#resolve(stray)
    this.#keep()
    if (own !== undefined) own.#keep()
    return own
  }

  /** Keeps only the input of a call: for a text, the hash is enough. */
  #keep(): void {
    this.#isSettled = true
    if (this.kind !== 'call') this.#input = ''
  }

  #resolve(stray: AgreedBlock): AgreedBlock | undefined {
    if (this.#deltas.length > 0) return stray
    if (this.hasSignature) this.kind = 'thinking'
    else if (this.kind === 'thinking' || stray.kind === 'call') this.kind = stray.kind
    this.#deltas.join(stray.#deltas)
    for (const page of stray.#pages) this.#pages.push(page)
    this.#input = stray.#input
    this.#isLong = stray.#isLong
    return undefined
  }

  /** Its text. A start with the complete text adds nothing to the deltas. */
  get text(): TextHash {
    if (this.#begun.length === 0 || this.#begun.equals(this.#deltas)) return this.#deltas
    return TextHash.joined([this.#begun, this.#deltas])
  }

  /** The pages that its text cites. A start with all of them adds nothing to the deltas. */
  get pages(): readonly string[] {
    const begun = this.#begunPages
    return begun.join('\n') === this.#pages.join('\n') ? this.#pages : [...begun, ...this.#pages]
  }

  /** The input of a call, as it was given. */
  get arguments(): TextHash {
    if (this.#isLong) return this.#deltas
    return TextHash.of(this.#json)
  }

  /** Whether it is the call that a client has: some clients close the brackets of an incomplete input. */
  isGiven(value: number): boolean {
    return this.#isLong || value === seenCall('', this.#json).value || value === this.closed
  }

  /** Whether its input is the JSON of an object, if it is not encoded twice. */
  get isObject(): boolean {
    return this.#isLong || this.isEncodedTwice || isFields(parseJson(this.#json)?.value)
  }

  /** The hash of the value of an input that lacks only its last brackets; undefined for any other. */
  get closed(): number | undefined {
    const value = this.#closedValue
    return value === undefined ? undefined : jsonHash(value)
  }

  /** Whether that value is an object. */
  get closesToObject(): boolean {
    return isFields(this.#closedValue)
  }

  get #closedValue(): unknown {
    return this.#isLong ? undefined : parseJson(`${this.#json}${missingBrackets(this.#json)}`)?.value
  }

  /** Whether it has the same content as another block. */
  says(other: AgreedBlock): boolean {
    const isNamed = this.kind === other.kind && this.id === other.id && this.name === other.name
    return isNamed && this.text.equals(other.text) && this.pages.join('\n') === other.pages.join('\n')
  }

  /** @param isSaid - whether the delta is certainly not empty */
  lose(what: Unreadable, isSaid: boolean): void {
    this.#lost ??= { what, isFirst: !isSaid && this.#input === '' }
  }

  /** The lost part of its input. */
  get lost(): Unreadable | undefined {
    const isWhole = this.#lost?.isFirst === true && (this.#input !== '' || this.#given !== undefined)
    return isWhole ? undefined : this.#lost?.what
  }

  /** Whether its input is JSON that is encoded twice. */
  get isEncodedTwice(): boolean {
    return isEncodedTwice(this.#json)
  }

  get #json(): string {
    if (this.#input.trim() !== '') return once(this.#input)
    return this.#given ?? '{}'
  }
}

/** An object that came twice, once. */
function once(json: string): string {
  const half = json.slice(0, json.length / 2)
  return half.startsWith('{') && json === half + half && isFields(parseJson(half)?.value) ? half : json
}

/** The brackets that are open at the end of a text, outside of strings. */
function missingBrackets(json: string): string {
  const open: string[] = []
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/gs)) {
    if (token === '{' || token === '[') open.push(token === '{' ? '}' : ']')
    else if (token === '}' || token === ']') open.pop()
  }
  return open.reverse().join('')
}
