import { type Fields, isFields } from '../../shared/fields.js'
import { duplicateItem, invalidValue, RequestError } from '../../shared/request-error.js'
import { fieldOf, objectIn, objectsAt, optionalTextIn, TEXT_OR_OBJECTS, textIn } from '../../shared/request-fields.js'
import type { SkipContent } from './content.js'
import { isForeignResult, readForeignResult } from './foreign-calls.js'
import type { MessagesRequestOptions } from './request-options.js'
import { readCode, readCodeResult, readMcpResult, readSearch } from './server-tools.js'
import { inItemOrder, type PlacedSeal, readSignature } from './signature.js'

/** An item with its origin. */
export interface MadeItem {
  readonly item: object
  readonly at: string
  /** The places of the item's fields in the body, if they have other names there. */
  readonly fields?: { readonly [ours: string]: string }
}

/** The host's record of a conversation, as far as no block shows it. */
export interface KnownTurns extends MessagesRequestOptions {
  /**
   * The ids of the calls that the conversation already contains, and those of the client's calls that were looked up.
   */
  readonly taken: Set<string>
  /** Adds deferred tools of these names to those of the request, each once, and returns them. */
  readonly teach: (names: readonly string[]) => readonly object[]
  readonly skip: SkipContent
}

/** Returns the item that teaches tools at its place, so that the prompt before it stays the same. */
export function taught(tools: readonly object[], at: string): MadeItem[] {
  return tools.length === 0 ? [] : [{ item: { type: 'additional_tools', role: 'developer', tools }, at }]
}

interface Block {
  readonly made: MadeItem
  readonly kind: 'text' | 'call' | 'thinking' | 'unanswered'
  /** How many blocks it is made of, if not one: a text that cites has one for each citation. */
  readonly width?: number
  /** What stands behind it: the result of a call that another server ran, and the tools that it found. */
  readonly after?: readonly MadeItem[]
}

/** A turn of the model, as its items: reasoning, texts, calls, and the seals in their places. */
export class AssistantTurn {
  readonly #known: KnownTurns
  /** Everything but seals. Thinking does not count as a block. */
  readonly #blocks: Block[] = []
  readonly #seals: { readonly seal: PlacedSeal; readonly made: MadeItem }[] = []
  /** The number of blocks before the last hidden call. */
  #beforeHidden = 0
  /** The places of the server's calls among the blocks, by their ids: their results stand behind them. */
  readonly #served = new Map<string, number>()
  #summary: MadeItem | undefined
  /** The last block's text if it ends with a citation: the next text continues it. */
  #cited: string | undefined

  constructor(known: KnownTurns) {
    this.#known = known
  }

  /** Whether it has a summary of another server that stands for all that came before it. */
  get isCompacted(): boolean {
    return this.#summary !== undefined
  }

  /** @param isCited - whether a citation ends it: a text behind it is of the same message */
  text(text: string, at: string, isCited = false): void {
    if (text === '') return
    const begun = this.#cited === undefined ? undefined : this.#blocks.pop()
    const whole = (this.#cited ?? '') + text
    const content = [{ type: 'output_text', text: whole }]
    const made = { item: { type: 'message', role: 'assistant', content }, at: begun?.made.at ?? at }
    this.#blocks.push({ made, kind: 'text', width: (begun?.width ?? 0) + 1 })
    this.#cited = isCited ? whole : undefined
  }

  block(block: Fields, at: string): void {
    const type = textIn(block, 'type', at)
    const read = Object.hasOwn(this.#readers, type) ? this.#readers[type] : undefined
    if (type !== 'text') this.#cited = undefined
    if (read !== undefined) read(block, at)
    else if (isForeignResult(type)) this.#foreignResult(block, at)
    else if (!SKIPPED.includes(type)) {
      this.#known.skip(at, type, [...Object.keys(this.#readers), ...SKIPPED])
      this.text(optionalTextIn(block, 'text', at) ?? '', at)
    }
  }

  readonly #readers: { readonly [type: string]: (block: Fields, at: string) => void } = {
    text: (block, at) => this.text(textIn(block, 'text', at), at, isCited(block)),
    thinking: (block, at) =>
      this.#thinking(textIn(block, 'thinking', at), optionalTextIn(block, 'signature', at), at, 'signature'),
    redacted_thinking: (block, at) => this.#thinking('', textIn(block, 'data', at), at, 'data'),
    tool_use: (block, at) => this.#call(block, at),
    server_tool_use: (block, at) => this.#serverCall(block, 'server_tool_use', at),
    mcp_tool_use: (block, at) => this.#serverCall(block, 'mcp_tool_use', at),
    web_search_tool_result: (block, at) => this.#serverResult(block, 'web_search_tool_result', at),
    mcp_tool_result: (block, at) => this.#serverResult(block, 'mcp_tool_result', at),
    compaction: (block, at) => this.#compaction(block, at),
    image: (_, at) => this.text('[image]', at),
    document: (_, at) => this.text('[file]', at),
  }

  items(): MadeItem[] {
    const lastCall = this.#blocks.findLastIndex(({ kind }) => kind === 'call')
    const last = this.#blocks.findLastIndex(({ kind }) => kind === 'text')
    const items: MadeItem[] = this.#summary === undefined ? [] : [this.#summary]
    let before = 0
    const seals = inItemOrder(this.#seals, ({ seal }) => seal)
    const hasThinking = seals.length > 0 || this.#blocks.some(({ kind }) => kind === 'thinking')
    let taken = 0
    const sealsUpTo = (place: number): void => {
      for (let next = seals[taken]; next !== undefined && next.seal.before <= place; next = seals[++taken]) {
        items.push(next.made)
      }
    }
    for (const [at, { made, kind, width = 1, after = [] }] of this.#blocks.entries()) {
      if (kind !== 'thinking') sealsUpTo(before)
      if (kind !== 'thinking') before += width
      if (kind === 'call') for (const item of this.#missing(made, hasThinking)) items.push(item)
      // A call that was cut off before its result is dropped.
      if (kind === 'unanswered') continue
      // The model makes its calls before its answer, and answers once.
      const isPreamble = at < Math.max(lastCall, last) || before <= this.#beforeHidden
      const phase = isPreamble ? 'commentary' : 'final_answer'
      items.push(kind === 'text' ? { ...made, item: { ...made.item, phase } } : made)
      for (const item of after) items.push(item)
    }
    sealsUpTo(Number.MAX_SAFE_INTEGER)
    return items
  }

  /** @param signature - seals, if it is ours; another server's cannot be read here */
  #thinking(text: string, signature: string | undefined, at: string, field: 'signature' | 'data'): void {
    const fields = { encrypted_content: field }
    const seals = signature === undefined || signature === '' ? undefined : readSignature(signature)
    let rest = text
    for (const seal of seals ?? []) {
      const calls = this.#known.opened?.(seal.sealed)
      for (const item of calls ?? []) if (this.#isNew(item)) this.#seals.push({ seal, made: { item, at } })
      if (calls !== undefined) {
        this.#beforeHidden = Math.max(this.#beforeHidden, seal.before)
        continue
      }
      // A server that has lost its key reads the text.
      this.#seals.push({ seal, made: { item: reasoning(rest, seal.sealed), at, fields } })
      rest = ''
    }
    if (seals !== undefined || (text === '' && !signature)) return
    this.#blocks.push({ made: { item: reasoning(text, signature), at, fields }, kind: 'thinking' })
  }

  /** Returns the model's work before a call to the client that no block of the turn has brought back. */
  #missing({ item, at }: MadeItem, hasThinking: boolean): MadeItem[] {
    const { type, call_id: id } = item as { readonly type: string; readonly call_id?: string }
    if (type !== 'function_call' || id === undefined || this.#known.taken.has(id)) return []
    this.#known.taken.add(id)
    const items = (this.#known.before?.(id) ?? []) as readonly { readonly type?: string }[]
    const missing = items.filter((each) => (each.type === 'reasoning' ? !hasThinking : this.#isNew(each)))
    return missing.map((each) => ({ item: each, at }))
  }

  /** Whether the conversation has no item of this id yet: a client may send a turn twice. */
  #isNew(item: object): boolean {
    const { type, id } = item as { readonly type?: string; readonly id?: string }
    const key = `${type} ${id}`
    if (this.#known.taken.has(key)) return false
    this.#known.taken.add(key)
    return true
  }

  #serverCall(block: Fields, type: 'server_tool_use' | 'mcp_tool_use', at: string): void {
    const id = textIn(block, 'id', at)
    if (this.#served.has(id)) throw duplicateItem(id, `${at}.id`)
    this.#served.set(id, this.#blocks.length)
    const input = inputOf(block, at)
    const name = textIn(block, 'name', at)
    const text = JSON.stringify(input)
    const item =
      type === 'mcp_tool_use'
        ? { type: 'mcp_call', name, server_label: textIn(block, 'server_name', at), arguments: text }
        : name === 'web_search'
          ? { type: 'web_search_call', action: readSearch(input, `${at}.input`) }
          : (readCode(id, name, input) ?? { type: 'function_call', call_id: id, name, arguments: text })
    const fields = {
      server_label: 'server_name',
      arguments: 'input',
      action: 'input',
      code: 'input.code',
      call_id: 'id',
    }
    this.#blocks.push({ made: { item, at, fields }, kind: 'unanswered' })
  }

  #serverResult(block: Fields, type: 'web_search_tool_result' | 'mcp_tool_result', at: string): void {
    const { place, made } = this.#answered(block, type === 'mcp_tool_result' ? 'mcp_call' : 'web_search_call', at)
    const result =
      type === 'mcp_tool_result'
        ? readMcpResult(textOf(block, at), fieldOf(block, 'is_error') === true)
        : { status: Array.isArray(fieldOf(block, 'content')) ? 'completed' : 'failed' }
    this.#blocks[place] = { made: { ...made, item: { ...made.item, ...result } }, kind: 'call' }
  }

  #foreignResult(block: Fields, at: string): void {
    if (this.#codeResult(block, at)) return
    const { place, made } = this.#answered(block, 'function_call', at)
    const { output, found } = readForeignResult(block, at, this.#known.skip)
    const { call_id } = made.item as { readonly call_id: string }
    const result = { item: { type: 'function_call_output', call_id, output }, at, fields: RESULT }
    const after = [result, ...taught(this.#known.teach(found), at)]
    this.#blocks[place] = { made, kind: 'call', after }
  }

  /** Reads the result of code that ran here. @returns whether it is one */
  #codeResult(block: Fields, at: string): boolean {
    const place = this.#served.get(textIn(block, 'tool_use_id', at)) ?? -1
    if (Object(this.#blocks[place]?.made.item).type !== 'code_interpreter_call') return false
    const { made } = this.#answered(block, 'code_interpreter_call', at)
    const result = readCodeResult(objectIn(block, 'content', at), `${at}.content`)
    this.#blocks[place] = { made: { ...made, item: { ...made.item, ...result } }, kind: 'call' }
    return true
  }

  /** Returns the unanswered call of a result. @throws RequestError if there is none of this kind */
  #answered(block: Fields, kind: string, at: string): { readonly place: number; readonly made: MadeItem } {
    const id = textIn(block, 'tool_use_id', at)
    const place = this.#served.get(id)
    const call = place === undefined ? undefined : this.#blocks[place]
    const { type } = Object(call?.made.item) as { readonly type?: unknown }
    if (place === undefined || call?.kind !== 'unanswered' || type !== kind) throw withoutCall(id, at)
    return { place, made: call.made }
  }

  /** Reads a summary by another server, which stands for all that came before it. A failed one has no text. */
  #compaction(block: Fields, at: string): void {
    const summary = optionalTextIn(block, 'content', at)
    if (summary === undefined) return
    this.#blocks.length = 0
    this.#seals.length = 0
    this.#served.clear()
    this.#beforeHidden = 0
    const content = [{ type: 'input_text', text: `${SUMMARY}\n\n${summary}` }]
    this.#summary = { item: { type: 'message', role: 'user', content }, at, fields: { content: 'content' } }
  }

  #call(block: Fields, at: string): void {
    const input = inputOf(block, at)
    const item = {
      type: 'function_call',
      call_id: textIn(block, 'id', at),
      name: textIn(block, 'name', at),
      arguments: JSON.stringify(input),
    }
    this.#blocks.push({ made: { item, at, fields: { call_id: 'id', arguments: 'input' } }, kind: 'call' })
  }
}

/** Blocks of other servers without meaning here: their listings, as ours are asked again, and changes of the model. */
const SKIPPED: readonly string[] = ['mcp_tool_listing', 'fallback']

/** The fields of a result, by their names in its item. */
const RESULT = { call_id: 'tool_use_id', output: 'content' } as const

/** What precedes a summary, as in a compaction of this server. */
const SUMMARY = 'A summary of the conversation so far:'

function isCited(block: Fields): boolean {
  const citations = fieldOf(block, 'citations')
  return Array.isArray(citations) && citations.length > 0
}

function inputOf(block: Fields, at: string): Fields {
  const input = fieldOf(block, 'input') ?? {}
  if (!isFields(input)) throw invalidValue(`${at}.input`, input, [])
  return input
}

/** Returns the text of a result. */
function textOf(block: Fields, at: string): string {
  const content = fieldOf(block, 'content') ?? ''
  if (typeof content === 'string') return content
  const texts = objectsAt(content, `${at}.content`, TEXT_OR_OBJECTS).map((part, index) =>
    textIn(part, 'text', `${at}.content[${index}]`),
  )
  return texts.join('\n')
}

function withoutCall(id: string, at: string): RequestError {
  const message = `No tool call found for the result of '${id.slice(0, 80)}' in this message.`
  return new RequestError(message, { param: `${at}.tool_use_id`, code: 'invalid_value' })
}

function reasoning(text: string, sealed: string | undefined): object {
  const content = text === '' ? [] : [{ type: 'reasoning_text', text }]
  return { type: 'reasoning', summary: [], content, ...(sealed && { encrypted_content: sealed }) }
}
