import type { Fields } from '../../shared/fields.js'
import { invalidValue, unsupported } from '../../shared/request-error.js'
import { fieldOf, objectAt, objectIn, objectsAt, optionalTextIn, textIn } from '../../shared/request-fields.js'
import type { Slices, Work } from '../../shared/slices.js'
import { eachMessage } from '../body/each-message.js'
import { renamed } from '../body/renamed.js'
import { ChatCalls } from './calls.js'
import { contentIn, requiredContentIn } from './content.js'
import type { Draft } from './draft.js'

interface ChatConversation {
  readonly items: object[]
  readonly draft: Draft
  readonly calls: ChatCalls
  /** The ids of calls about which the host was asked. */
  readonly askedIds: Set<string>
}

type ReadMessage = (message: Fields, conversation: ChatConversation, param: string, work: Work) => Slices<void> | void

/** Reads a message, by its role. */
const ROLES: { readonly [role: string]: ReadMessage } = {
  system: readInstructions,
  developer: readInstructions,
  user: readInstructions,
  assistant: readAssistant,
  tool: readTool,
  function: readFunction,
}

/**
 * Maps the messages to the items of a Responses request.
 *
 * @throws RequestError
 */
export function* readMessages(value: unknown, draft: Draft): Slices<object[]> {
  const conversation: ChatConversation = { items: [], draft, calls: new ChatCalls(), askedIds: new Set() }
  yield* eachMessage(value, (message, role, param, work) => {
    const read = Object.hasOwn(ROLES, role) ? ROLES[role] : undefined
    if (read === undefined) throw invalidValue(`${param}.role`, role, Object.keys(ROLES))
    return read(message, conversation, param, work) ?? undefined
  })
  conversation.calls.finish()
  return conversation.items
}

/** @param fields - the places of the item's fields in the message, if they have other names there */
function add(
  { items, draft }: ChatConversation,
  item: object,
  at: string,
  fields?: { readonly [ours: string]: string },
): void {
  items.push(item)
  draft.origins.add('input', fields === undefined ? { at } : { at, fields })
}

/** Reads a message whose role has the same meaning in both APIs. */
function readInstructions(message: Fields, conversation: ChatConversation, param: string): void {
  const role = textIn(message, 'role', param)
  add(conversation, { type: 'message', role, content: requiredContentIn(message, param, conversation.draft) }, param)
}

/**
 * Reads a turn of the model: reasoning, text, calls. A text beside calls is a preamble. Without calls, the prompt
 * infers the phase from the next messages.
 */
function* readAssistant(message: Fields, conversation: ChatConversation, param: string, work: Work): Slices<void> {
  if (fieldOf(message, 'audio') !== undefined) throw unsupported(`${param}.audio`, 'audio inputs are')
  const calls = fieldOf(message, 'tool_calls')
  const tools = calls === undefined ? [] : objectsAt(calls, `${param}.tool_calls`)
  // A text before the call also follows the calls that the host ran before it.
  if (!addBefore(tools[0], conversation, `${param}.tool_calls[0]`)) readReasoning(message, conversation, param)
  const call = fieldOf(message, 'function_call')
  const content = saidIn(message, param, conversation.draft)
  if (content !== undefined) {
    const isPreamble = tools.length > 0 || call !== undefined
    const item = { type: 'message', role: 'assistant', content, ...(isPreamble && { phase: 'commentary' }) }
    add(conversation, item, param)
  }
  for (const [index, each] of tools.entries()) {
    readCall(each, conversation, `${param}.tool_calls[${index}]`)
    work.left -= 1
    if (work.left <= 0) yield* work.pause()
  }
  if (call !== undefined && tools.length === 0)
    readFunctionCall(objectAt(call, `${param}.function_call`), conversation, param)
}

/** Returns the text and the refusal of a message of the model. Undefined if it has neither. */
function saidIn(message: Fields, param: string, draft: Draft): string | object[] | undefined {
  const content = contentIn(message, param, 'output_text', draft)
  const refusal = optionalTextIn(message, 'refusal', param)
  if (refusal === undefined || refusal === '')
    return content === undefined || content.length === 0 ? undefined : content
  const parts = typeof content === 'string' ? [{ type: 'output_text', text: content }] : (content ?? [])
  return [...parts, { type: 'refusal', refusal }]
}

/** Adds the host's record of the model's work before a call. @returns whether there is one */
function addBefore(call: Fields | undefined, conversation: ChatConversation, at: string): boolean {
  const { draft, askedIds } = conversation
  const id = call && fieldOf(call, 'id')
  if (typeof id !== 'string' || askedIds.has(id)) return false
  askedIds.add(id)
  const items = draft.options.before?.(id) ?? []
  for (const item of items) add(conversation, item, at)
  return items.length > 0
}

/** The two names of the reasoning among servers. */
const REASONING = ['reasoning_content', 'reasoning'] as const

function readReasoning(message: Fields, conversation: ChatConversation, param: string): void {
  for (const name of REASONING) {
    const text = optionalTextIn(message, name, param)
    if (text === undefined || text === '') continue
    const item = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text }] }
    add(conversation, item, param, { 'content[0].text': name })
    return
  }
}

const FUNCTION_CALL = { call_id: 'id', name: 'function.name', arguments: 'function.arguments' } as const
const CUSTOM_CALL = { call_id: 'id', name: 'custom.name', input: 'custom.input' } as const

/** Reads an entry of `tool_calls`. */
function readCall(call: Fields, conversation: ChatConversation, at: string): void {
  const type = optionalTextIn(call, 'type', at) ?? 'function'
  if (type !== 'function' && type !== 'custom') throw invalidValue(`${at}.type`, type, ['function', 'custom'])
  const callFields = objectIn(call, type, at)
  addBefore(call, conversation, at)
  const call_id = conversation.calls.open(textIn(call, 'id', at), type, at)
  if (type === 'custom') {
    const item = { type: 'custom_tool_call', call_id, ...renamed(callFields, { name: 'name', input: 'input' }) }
    add(conversation, item, at, CUSTOM_CALL)
  } else {
    const item = { type: 'function_call', call_id, ...renamed(callFields, { name: 'name', arguments: 'arguments' }) }
    add(conversation, item, at, FUNCTION_CALL)
  }
}

/** Reads the only call of a turn, in the form before `tool_calls`. Its result identifies it by name alone. */
function readFunctionCall(call: Fields, conversation: ChatConversation, param: string): void {
  const at = `${param}.function_call`
  const call_id = conversation.calls.open(`function ${textIn(call, 'name', at)}`, 'function', at)
  add(conversation, { type: 'function_call', call_id, ...renamed(call, { name: 'name', arguments: 'arguments' }) }, at)
}

const OUTPUT = { call_id: 'tool_call_id', output: 'content' } as const

function readTool(message: Fields, conversation: ChatConversation, param: string): void {
  const { kind, callId } = conversation.calls.close(textIn(message, 'tool_call_id', param), param)
  const type = kind === 'custom' ? 'custom_tool_call_output' : 'function_call_output'
  add(
    conversation,
    { type, call_id: callId, output: requiredContentIn(message, param, conversation.draft) },
    param,
    OUTPUT,
  )
}

/** Reads the result of a `function_call`, which may be null. */
function readFunction(message: Fields, conversation: ChatConversation, param: string): void {
  const { callId } = conversation.calls.close(`function ${textIn(message, 'name', param)}`, param)
  const output = contentIn(message, param, 'input_text', conversation.draft) ?? ''
  add(conversation, { type: 'function_call_output', call_id: callId, output }, param, { ...OUTPUT, call_id: 'name' })
}
