import type { Fields } from '../../shared/fields.js'
import { invalidValue, RequestError } from '../../shared/request-error.js'
import { fieldOf, objectsAt, TEXT_OR_OBJECTS, textIn } from '../../shared/request-fields.js'
import { onePass, type Slices, type Work } from '../../shared/slices.js'
import { eachMessage } from '../body/each-message.js'
import { AssistantTurn, type KnownTurns, type MadeItem, taught } from './assistant-turn.js'
import { readBlock, readBlocks, type SkipContent } from './content.js'
import type { Draft } from './draft.js'

const ROLES = ['user', 'assistant', 'system'] as const

/**
 * Maps the messages to the items of a Responses request.
 *
 * @throws RequestError
 */
export function* readMessages(value: unknown, draft: Draft): Slices<object[]> {
  const known: KnownTurns = {
    ...draft.options,
    taken: new Set(),
    teach: (names) => names.flatMap((name) => draft.load(name) ?? []),
    skip: (path, type, types) => draft.skipContent(path, type, types),
  }
  const conversation = new Conversation(known)
  yield* eachMessage(value, (message, role, param, work) => {
    if (role === 'user') return conversation.user(message, param, work)
    if (role === 'assistant') return conversation.assistant(message, param, work)
    if (role !== 'system') throw invalidValue(`${param}.role`, role, ROLES)
    conversation.system(message, param)
    return undefined
  })
  const made = conversation.finish()
  for (const { at, fields } of made) draft.origins.add('input', fields === undefined ? { at } : { at, fields })
  return made.map(({ item }) => item)
}

class Conversation {
  readonly #made: MadeItem[] = []
  /** The model's messages since the last one of another role: clients may split one turn. */
  #turn: AssistantTurn | undefined
  #last: { readonly role: 'user' | 'assistant'; readonly param: string } | undefined
  /** The index of each call in its turn, by its id: results are read in the order of their calls. */
  readonly #order = new Map<string, number>()
  readonly #known: KnownTurns

  constructor(known: KnownTurns) {
    this.#known = known
  }

  *user(message: Fields, param: string, work: Work): Slices<void> {
    this.#endTurn()
    this.#last = { role: 'user', param }
    const { skip } = this.#known
    const content = fieldOf(message, 'content')
    if (content === undefined || typeof content === 'string') {
      this.#add({
        item: { type: 'message', role: 'user', content: readBlocks(content ?? '', `${param}.content`, skip) },
        at: param,
      })
      return
    }
    const blocks = objectsAt(content, `${param}.content`, TEXT_OR_OBJECTS).map((block, index) => ({ block, index }))
    const isResult = ({ block }: { block: Fields }): boolean => block['type'] === 'tool_result'
    // In Harmony a result follows its call, so the user's own text comes after all results.
    const results = blocks.filter(isResult).sort((a, b) => this.#placeOf(a.block) - this.#placeOf(b.block))
    yield* onePass(blocks, work)
    for (const { block, index } of results) {
      this.#add(readResult(block, `${param}.content[${index}]`, skip))
      work.left -= 1
      if (work.left <= 0) yield* work.pause()
    }
    this.#teach(
      results.flatMap(({ block }) => namesIn(block)),
      param,
    )
    const otherBlocks = blocks.filter((each) => !isResult(each))
    if (otherBlocks.length === 0) return
    const parts: object[] = []
    const fields: { [ours: string]: string } = {}
    for (const { block, index } of otherBlocks) {
      const at = `content[${index}]`
      for (const part of readBlock(block, `${param}.${at}`, skip)) {
        fields[`content[${parts.length}]`] = at
        parts.push(part)
      }
      work.left -= 1
      if (work.left <= 0) yield* work.pause()
    }
    this.#add({ item: { type: 'message', role: 'user', content: parts }, at: param, fields })
  }

  /**
   * Adds instructions at their own place: moving them to the front would make engines read everything after them again.
   */
  system(message: Fields, param: string): void {
    this.#endTurn()
    const content = readBlocks(fieldOf(message, 'content') ?? '', `${param}.content`, this.#known.skip)
    this.#add({ item: { type: 'message', role: 'developer', content }, at: param })
  }

  *assistant(message: Fields, param: string, work: Work): Slices<void> {
    this.#turn ??= new AssistantTurn(this.#known)
    this.#last = { role: 'assistant', param }
    const content = fieldOf(message, 'content') ?? ''
    if (typeof content === 'string') this.#turn.text(content, `${param}.content`)
    else {
      for (const [index, block] of objectsAt(content, `${param}.content`, TEXT_OR_OBJECTS).entries()) {
        this.#turn.block(block, `${param}.content[${index}]`)
        work.left -= 1
        if (work.left <= 0) yield* work.pause()
      }
    }
  }

  /** @throws RequestError if the model would have to continue a message of its own */
  finish(): readonly MadeItem[] {
    if (this.#last?.role === 'assistant') {
      const rule = 'This model does not support assistant message prefill.'
      const message = `${rule} The conversation must end with a user message.`
      throw new RequestError(message, { param: this.#last.param, code: 'unsupported_value' })
    }
    return this.#made
  }

  /** Teaches tools after the result that found them, so that the prompt before it stays the same. */
  #teach(names: readonly string[], at: string): void {
    for (const made of taught(this.#known.teach(names), at)) this.#add(made)
  }

  #add(made: MadeItem): void {
    this.#made.push(made)
  }

  #endTurn(): void {
    // A summary of another server stands for all that came before it.
    if (this.#turn?.isCompacted) this.#made.length = 0
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

function readResult(block: Fields, at: string, skip: SkipContent): MadeItem {
  const output = readBlocks(fieldOf(block, 'content') ?? '', `${at}.content`, skip)
  if (fieldOf(block, 'is_error') === true) markFailed(output)
  const call_id = textIn(block, 'tool_use_id', at)
  return { item: { type: 'function_call_output', call_id, output }, at, fields: OUTPUT }
}

/** Returns the tools that a result names. */
function namesIn({ content }: Fields): string[] {
  if (!Array.isArray(content)) return []
  return content.flatMap(({ type, tool_name: name }) => (type === 'tool_reference' ? [name as string] : []))
}

/** Marks a failed result in its text, since Harmony has no flag for it. */
function markFailed(output: object[]): void {
  const { text = '' } = (output[0] ?? {}) as { readonly text?: string }
  if (!/^\W*\w*error/i.test(text)) output.unshift({ type: 'input_text', text: 'Error:' })
}
