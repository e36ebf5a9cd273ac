import { answer, call, preamble, type ScriptedTurn, think } from '../../../../src/testing/index.js'
import type { CapturedRequest } from '../../../support/shared-data.js'
import { calling, chosenTool, type Json, list } from './obedient-model.js'

/** The items before a recorded request, which its server had sent. */
export interface FollowUp {
  /** The recorded items of the model, or their reconstruction from the results of its calls. */
  readonly said: readonly Json[]
  readonly previousResponseId?: string
}

/** The ids that OpenAI and this library give. Others were made up to be refused. */
const RESPONSE_ID = /^resp_[\da-f]{48}$/

/** The later request of the sequence that continues the answer to this one, if any. */
export function followUpOf(body: Json, later: readonly CapturedRequest[]): FollowUp | undefined {
  const [next] = later
  const previousResponseId = next?.body?.['previous_response_id'] ?? next?.url.split('/').at(-1)
  if (next !== undefined && typeof previousResponseId === 'string' && RESPONSE_ID.test(previousResponseId)) {
    return { said: itemsOf(next.body ?? {}).flatMap((item) => calledBefore(item)), previousResponseId }
  }
  const own = itemsOf(body)
  for (const other of later) {
    const items = itemsOf(other.body ?? {})
    if (items.length <= own.length || !own.every((item, index) => areAlike(item, items[index]))) continue
    return { said: modelsItems(items.slice(own.length)) }
  }
  return undefined
}

/** The model output that explains the recorded client's next request. */
export function turnThatSays({ said }: FollowUp, request: Json): ScriptedTurn {
  const called = said.filter(isCall)
  const last = called.findIndex(({ type, name }) => type === 'function_call' && isHeld(String(name), request))
  const calls = (last === -1 ? called : called.slice(0, last + 1)).flatMap((item) => callOf(item, request))
  const texts = said.flatMap((item) =>
    item['role'] === 'assistant' ? [contentText(item['content']) || 'Let me see.'] : [],
  )
  const spoken = calls.length > 0 ? texts.map((text) => preamble(text)) : [answer(texts.join(' ') || 'It is so.')]
  const thoughts = said.filter(({ type }) => type === 'reasoning').map((item) => think(thoughtOf(item)))
  // A host that begins the header of a call lets the model think first.
  return [...(thoughts.length > 0 ? thoughts : [think('I think.')]), ...spoken, ...calls]
}

/** Whether the engine holds a function to its parameters: its call ends the turn. */
function isHeld(name: string, { tools }: Json): boolean {
  const tool = list(tools).find((one) => (one as Json)['name'] === name) as Json | undefined
  return tool?.['type'] === 'function' && tool['strict'] !== false
}

export const isCall = ({ type }: Json): boolean =>
  ['function_call', 'custom_tool_call', 'mcp_approval_request'].includes(String(type))

function itemsOf({ input }: Json): readonly Json[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : (list(input) as Json[])
}

/** Clients change the shape of a message when they send it again: only its content counts. */
function areAlike(one: Json, other: Json | undefined): boolean {
  const gist = ({ type, role, content }: Json): string => `${type ?? 'message'} ${role} ${contentText(content)}`
  return other !== undefined && gist(one) === gist(other)
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map((part) => String((part as Json)['text']))
    .join('')
}

/** The items from the model's first on, up to what comes after its answer. References are of the kind that their id names. */
function modelsItems(items: readonly Json[]): Json[] {
  const known = items.map((item): Json => {
    const kind = /^(rs|msg|fc)_/.exec(item['type'] === 'item_reference' ? String(item['id']) : '')?.[1]
    if (kind === 'rs') return { ...item, type: 'reasoning' }
    if (kind === 'msg') return { ...item, type: 'message', role: 'assistant' }
    return kind === 'fc' ? { ...item, type: 'function_call' } : item
  })
  const isModels = (item: Json): boolean => item['type'] === 'reasoning' || item['role'] === 'assistant' || isCall(item)
  const end = known.findIndex((item) => !isModels(item))
  return end === -1 ? known : known.slice(0, end)
}

/** The call that a result belongs to, if the client sends only the result. */
function calledBefore({ type, call_id, approval_request_id: id }: Json): Json[] {
  if (type === 'function_call_output') return [{ type: 'function_call', call_id }]
  if (type === 'custom_tool_call_output') return [{ type: 'custom_tool_call', call_id }]
  return type === 'mcp_approval_response' ? [{ type: 'mcp_approval_request', id }] : []
}

/** Undefined if the client sends the result of a call that was never made. */
function callOf({ name, namespace, arguments: text, type }: Json, request: Json): ReturnType<typeof call>[] {
  if (typeof name !== 'string') {
    const tool = chosenTool(request)
    return tool === undefined ? [] : [calling(tool)]
  }
  const to = namespace === undefined ? `functions.${name}` : `${namespace}.${name}`
  if (type === 'function_call') return [call(to, String(text))]
  return [{ channel: 'commentary', to, contentType: 'code', text: 'free text', ends: 'call' }]
}

function thoughtOf({ content, summary }: Json): string {
  return contentText(content) || contentText(summary) || 'I think.'
}
