import { type Fields, isFields } from '../../fields.js'
import { duplicateItem, emptyArray, invalidValue, RequestError, unsupported } from '../../request-error.js'
import { fieldOf, objectsAt, optionalTextIn, textIn } from '../body/read.js'
import { blocksAt, readBlock, readBlocks } from './content.js'
import type { Draft } from './draft.js'
import { readMcpResult, readSearch } from './server-tools.js'
import { type PlacedSeal, readSignature } from './signature.js'

/** Items, with what they were made of. */
interface MadeItem {
  readonly item: object
  readonly at: string
  /** Where the item's fields are in the body, if they have other names there. */
  readonly fields?: { readonly [ours: string]: string }
}

const ROLES = ['user', 'assistant', 'system'] as const

/**
 * The messages as the items of a Responses request.
 *
 * @throws RequestError
 */
export function readMessages(value: unknown, draft: Draft): object[] {
  const messages = objectsAt(value, 'messages')
  if (messages.length === 0) throw emptyArray('messages')
  const conversation = new Conversation((name) => draft.load(name))
  for (const [index, message] of messages.entries()) {
    const param = `messages[${index}]`
    const role = textIn(message, 'role', param)
    if (role === 'user') conversation.user(message, param)
    else if (role === 'assistant') conversation.assistant(message, param)
    else if (role === 'system') conversation.system(message, param)
    else throw invalidValue(`${param}.role`, role, ROLES)
  }
  const made = conversation.finish()
  for (const { at, fields } of made) draft.origins.add('input', fields === undefined ? { at } : { at, fields })
  return made.map(({ item }) => item)
}

class Conversation {
  readonly #made: MadeItem[] = []
  /** What the model said in the messages since the last of another role: clients may cut one turn in several. */
  #turn: AssistantTurn | undefined
  #last: { readonly role: 'user' | 'assistant'; readonly param: string } | undefined
  /** The place of each call among those of its turn, by its id: results are read in the order of their calls. */
  readonly #order = new Map<string, number>()
  readonly #load: (name: string) => object | undefined

  /** @param load - makes a tool that was kept back one of the request's, once */
  constructor(load: (name: string) => object | undefined) {
    this.#load = load
  }

  user(message: Fields, param: string): void {
    this.#endTurn()
    this.#last = { role: 'user', param }
    const content = fieldOf(message, 'content')
    if (content === undefined || typeof content === 'string') {
      this.#add({
        item: { type: 'message', role: 'user', content: readBlocks(content ?? '', `${param}.content`) },
        at: param,
      })
      return
    }
    const blocks = blocksAt(content, `${param}.content`).map((block, index) => ({ block, index }))
    const isResult = ({ block }: { block: Fields }): boolean => block['type'] === 'tool_result'
    // Harmony has a result behind its call, whatever the user says beside it.
    const results = blocks.filter(isResult).sort((a, b) => this.#placeOf(a.block) - this.#placeOf(b.block))
    for (const { block, index } of results) this.#add(readResult(block, `${param}.content[${index}]`))
    this.#teach(
      results.flatMap(({ block }) => namesIn(block)),
      param,
    )
    const said = blocks.filter((each) => !isResult(each))
    if (said.length === 0) return
    const parts: object[] = []
    const fields: { [ours: string]: string } = {}
    for (const { block, index } of said) {
      const at = `content[${index}]`
      for (const part of readBlock(block, `${param}.${at}`)) {
        fields[`content[${parts.length}]`] = at
        parts.push(part)
      }
    }
    this.#add({ item: { type: 'message', role: 'user', content: parts }, at: param, fields })
  }

  /** Instructions stand where they stand: moved to the front, they would have all that follows read again. */
  system(message: Fields, param: string): void {
    this.#endTurn()
    const content = readBlocks(fieldOf(message, 'content') ?? '', `${param}.content`)
    this.#add({ item: { type: 'message', role: 'developer', content }, at: param })
  }

  assistant(message: Fields, param: string): void {
    this.#turn ??= new AssistantTurn()
    this.#last = { role: 'assistant', param }
    const content = fieldOf(message, 'content') ?? ''
    if (typeof content === 'string') this.#turn.text(content, `${param}.content`)
    else {
      for (const [index, block] of blocksAt(content, `${param}.content`).entries()) {
        this.#turn.block(block, `${param}.content[${index}]`)
      }
    }
  }

  /** @throws RequestError if the model would have to go on with a message of its own */
  finish(): readonly MadeItem[] {
    if (this.#last?.role === 'assistant') {
      const rule = 'This model does not support assistant message prefill.'
      const message = `${rule} The conversation must end with a user message.`
      throw new RequestError(message, { param: this.#last.param, code: 'unsupported_value' })
    }
    return this.#made
  }

  /** Teaches the tools that results have found behind them, so that the prompt in front stays what it was. */
  #teach(names: readonly string[], at: string): void {
    const tools = names.flatMap((name) => this.#load(name) ?? [])
    if (tools.length > 0) this.#add({ item: { type: 'additional_tools', role: 'developer', tools }, at })
  }

  #add(made: MadeItem): void {
    this.#made.push(made)
  }

  #endTurn(): void {
    const items = this.#turn?.items() ?? []
    this.#turn = undefined
    if (items.length > 0) this.#order.clear()
    for (const made of items) {
      const { type, call_id } = made.item as { readonly type: string; readonly call_id?: string }
      if (type === 'function_call' && call_id !== undefined) this.#order.set(call_id, this.#order.size)
      this.#add(made)
    }
  }

  #placeOf(block: Fields): number {
    const id = block['tool_use_id']
    return (typeof id === 'string' ? this.#order.get(id) : undefined) ?? Number.MAX_SAFE_INTEGER
  }
}

const OUTPUT = { call_id: 'tool_use_id', output: 'content' } as const

function readResult(block: Fields, at: string): MadeItem {
  const output = readBlocks(fieldOf(block, 'content') ?? '', `${at}.content`)
  if (fieldOf(block, 'is_error') === true) markFailed(output)
  const call_id = textIn(block, 'tool_use_id', at)
  return { item: { type: 'function_call_output', call_id, output }, at, fields: OUTPUT }
}

/** The tools that a result names. */
function namesIn({ content }: Fields): string[] {
  if (!Array.isArray(content)) return []
  return content.flatMap(({ type, tool_name: name }) => (type === 'tool_reference' ? [name as string] : []))
}

/** Harmony has no mark for it: the text has to say that the tool failed, unless it does. */
function markFailed(output: object[]): void {
  const { text = '' } = (output[0] ?? {}) as { readonly text?: string }
  if (!/^\W*\w*error/i.test(text)) output.unshift({ type: 'input_text', text: 'Error:' })
}

/** What the model said in one turn, as its items: reasoning, texts, calls, and the seals in their places. */
class AssistantTurn {
  /** Everything but seals. Thinking does not count as a block. */
  readonly #blocks: { readonly made: MadeItem; readonly kind: 'text' | 'call' | 'thinking' | 'unanswered' }[] = []
  readonly #seals: { readonly seal: PlacedSeal; readonly made: MadeItem }[] = []
  /** The places of the server's calls among the blocks, by their ids: their results stand behind them. */
  readonly #served = new Map<string, number>()

  text(text: string, at: string): void {
    if (text === '') return
    const content = [{ type: 'output_text', text }]
    this.#blocks.push({ made: { item: { type: 'message', role: 'assistant', content }, at }, kind: 'text' })
  }

  block(block: Fields, at: string): void {
    const type = textIn(block, 'type', at)
    if (type === 'text') this.text(textIn(block, 'text', at), at)
    else if (type === 'thinking')
      this.#thinking(textIn(block, 'thinking', at), optionalTextIn(block, 'signature', at), at, 'signature')
    else if (type === 'redacted_thinking') this.#thinking('', textIn(block, 'data', at), at, 'data')
    else if (type === 'tool_use') this.#call(block, at)
    else if (type === 'server_tool_use' || type === 'mcp_tool_use') this.#serverCall(block, type, at)
    else if (type === 'web_search_tool_result' || type === 'mcp_tool_result') this.#serverResult(block, type, at)
    else if (type === 'image' || type === 'document') throw unsupported(`${at}.type`, `${type}s of the assistant are`)
    // What the servers of other APIs listed: ours are asked.
    else if (type !== 'mcp_tool_listing') throw invalidValue(`${at}.type`, type, BLOCKS)
  }

  items(): MadeItem[] {
    const lastCall = this.#blocks.findLastIndex(({ kind }) => kind === 'call')
    const last = this.#blocks.findLastIndex(({ kind }) => kind === 'text')
    const items: MadeItem[] = []
    let before = 0
    const seals = [...this.#seals].sort((a, b) => a.seal.before - b.seal.before)
    let taken = 0
    const sealsUpTo = (place: number): void => {
      for (let next = seals[taken]; next !== undefined && next.seal.before <= place; next = seals[++taken]) {
        items.push(next.made)
      }
    }
    for (const [at, { made, kind }] of this.#blocks.entries()) {
      if (kind !== 'thinking') sealsUpTo(before++)
      // A call that was cut off before its result never happened.
      if (kind === 'unanswered') continue
      // The model calls before its answer alone, and answers once.
      const phase = at < Math.max(lastCall, last) ? 'commentary' : 'final_answer'
      items.push(kind === 'text' ? { ...made, item: { ...made.item, phase } } : made)
    }
    sealsUpTo(Number.MAX_SAFE_INTEGER)
    return items
  }

  /** @param signature - of ours it holds seals; of another server's nothing that can be read here */
  #thinking(text: string, signature: string | undefined, at: string, field: 'signature' | 'data'): void {
    const fields = { encrypted_content: field }
    const seals = signature === undefined || signature === '' ? undefined : readSignature(signature)
    for (const [nth, seal] of (seals ?? []).entries()) {
      // A server that has lost its key reads the text.
      const item = reasoning(nth === 0 ? text : '', seal.sealed)
      this.#seals.push({ seal, made: { item, at, fields } })
    }
    if (seals !== undefined || (text === '' && !signature)) return
    this.#blocks.push({ made: { item: reasoning(text, signature), at, fields }, kind: 'thinking' })
  }

  #serverCall(block: Fields, type: 'server_tool_use' | 'mcp_tool_use', at: string): void {
    const id = textIn(block, 'id', at)
    if (this.#served.has(id)) throw duplicateItem(id, `${at}.id`)
    this.#served.set(id, this.#blocks.length)
    const input = inputOf(block, at)
    const name = textIn(block, 'name', at)
    if (type === 'server_tool_use' && name !== 'web_search') throw unsupported(`${at}.name`, 'other server tools are')
    const item =
      type === 'server_tool_use'
        ? { type: 'web_search_call', action: readSearch(input, `${at}.input`) }
        : { type: 'mcp_call', name, server_label: textIn(block, 'server_name', at), arguments: JSON.stringify(input) }
    const fields = { server_label: 'server_name', arguments: 'input', action: 'input' }
    this.#blocks.push({ made: { item, at, fields }, kind: 'unanswered' })
  }

  #serverResult(block: Fields, type: 'web_search_tool_result' | 'mcp_tool_result', at: string): void {
    const id = textIn(block, 'tool_use_id', at)
    const place = this.#served.get(id)
    const call = place === undefined ? undefined : this.#blocks[place]
    const { type: kind } = Object(call?.made.item) as { readonly type?: unknown }
    const isOne = call?.kind === 'unanswered' && (kind === 'mcp_call') === (type === 'mcp_tool_result')
    if (place === undefined || call === undefined || !isOne) throw withoutCall(id, at)
    const result =
      type === 'mcp_tool_result'
        ? readMcpResult(textOf(block, at), fieldOf(block, 'is_error') === true)
        : { status: Array.isArray(fieldOf(block, 'content')) ? 'completed' : 'failed' }
    this.#blocks[place] = { made: { ...call.made, item: { ...call.made.item, ...result } }, kind: 'call' }
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

const BLOCKS = [
  ...['text', 'thinking', 'redacted_thinking', 'tool_use', 'server_tool_use', 'web_search_tool_result'],
  ...['mcp_tool_use', 'mcp_tool_result', 'mcp_tool_listing'],
] as const

function inputOf(block: Fields, at: string): Fields {
  const input = fieldOf(block, 'input') ?? {}
  if (!isFields(input)) throw invalidValue(`${at}.input`, input, [])
  return input
}

/** The text of a result. */
function textOf(block: Fields, at: string): string {
  const content = fieldOf(block, 'content') ?? ''
  if (typeof content === 'string') return content
  const texts = blocksAt(content, `${at}.content`).map((part, index) => textIn(part, 'text', `${at}.content[${index}]`))
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
