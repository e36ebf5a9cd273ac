import type { HarmonyHeader } from '../../../core/harmony/events.js'
import type { Classifier } from '../../../core/recipients/classify.js'
import { type Recipient, recipientKey } from '../../../core/recipients/recipient.js'
import { isClientToolLeft, type ToolChoice } from '../../../core/recipients/tool-choice.js'
import type { OutputItem } from '../../../core/responses/items.js'
import type { ResponseRequest } from '../../../core/responses/request.js'
import type { Constraint } from '../../../engines/contract/constraint.js'
import type { Fields } from '../../../shared/fields.js'
import { fieldOf } from '../../../shared/request-fields.js'

/** A part of a request that constrains the body of a message: a strict function, or a format. */
export interface StrictPart {
  /** Its path: `tools[2].parameters`, `tools[0].format`, `text.format.schema`, `text.format`. */
  readonly param: string
  /** Its owner in OpenAI's words: `function 'f'`, `custom tool 'f'`, `response_format 'answer'`. */
  readonly owner: string
  readonly constraint: Constraint
  /** Whether the request asks for it explicitly: a function without `strict` is constrained if possible. */
  readonly isAsked: boolean
  /** The key of the callee, or of the answer, whose bodies it constrains. */
  readonly body: string
}

/** A strict function without parameters takes none. */
const NO_PARAMETERS: Fields = { type: 'object', properties: {}, additionalProperties: false }

/**
 * Returns the functions and formats of a request that constrain a body, except for tools that `tool_choice` excludes.
 */
export function strictParts(request: ResponseRequest, { isAllowed }: ToolChoice): StrictPart[] {
  const parts: StrictPart[] = []
  for (const [index, tool] of listOf(request.tools).entries()) {
    const param = `tools[${index}]`
    if (tool['type'] !== 'namespace') {
      if (!isAllowed({ type: String(tool['type']), name: String(tool['name']) })) continue
      for (const part of toolParts(tool, param)) parts.push(part)
      continue
    }
    const name = String(tool['name'])
    for (const [at, member] of listOf(tool['tools']).entries()) {
      const type = String(member['type'])
      if (!isClientToolLeft(isAllowed, { type, name: String(member['name']), namespace: name })) continue
      for (const part of toolParts(member, `${param}.tools[${at}]`, name)) parts.push(part)
    }
  }
  return [...parts, ...formatParts(Object(request.text?.format) as Fields)]
}

function listOf(tools: unknown): readonly Fields[] {
  return Array.isArray(tools) ? tools.map((tool) => Object(tool) as Fields) : []
}

function toolParts(tool: Fields, param: string, namespace?: string): StrictPart[] {
  const name = String(tool['name'])
  const at = namespace === undefined ? {} : { namespace }
  const strict = fieldOf(tool, 'strict')
  if (tool['type'] === 'function' && strict !== false) {
    const schema = Object(fieldOf(tool, 'parameters') ?? NO_PARAMETERS) as Fields
    const callee: Recipient = { kind: 'function_call', name, declared: true, ...at }
    const body = recipientKey(callee)
    const constraint = { jsonSchema: schema }
    const owner = `function '${name}'`
    return [{ param: `${param}.parameters`, owner, constraint, isAsked: strict === true, body }]
  }
  const format = Object(fieldOf(tool, 'format')) as Fields
  const { type, syntax, definition } = format
  if (tool['type'] !== 'custom' || type !== 'grammar' || typeof definition !== 'string') return []
  if (syntax !== 'regex' && syntax !== 'lark') return []
  const constraint: Constraint = syntax === 'regex' ? { regex: definition } : { grammar: definition, syntax }
  const callee: Recipient = { kind: 'custom_tool_call', name, ...at }
  const body = recipientKey(callee)
  return [{ param: `${param}.format`, owner: `custom tool '${name}'`, constraint, isAsked: true, body }]
}

// OpenAI treats `strict: false` as best effort. Enforcing it costs us nothing more.
function formatParts(format: Fields): StrictPart[] {
  const body = recipientKey({ kind: 'message' })
  const param = 'text.format'
  const type = fieldOf(format, 'type')
  if (type === 'json_object') {
    const constraint = { jsonSchema: { type: 'object' } }
    return [{ param, owner: "response_format 'json_object'", constraint, isAsked: true, body }]
  }
  const schema = fieldOf(format, 'schema')
  if (type !== 'json_schema' || typeof schema !== 'object') return []
  const owner = `response_format '${String(format['name'])}'`
  return [{ param: `${param}.schema`, owner, constraint: { jsonSchema: schema as Fields }, isAsked: true, body }]
}

/**
 * Returns the part that constrains the body of a message with this header.
 *
 * @param classify - the translator's: if a format constrains answers, no preamble is a message
 */
export function partOfHeader(
  header: HarmonyHeader,
  parts: readonly StrictPart[],
  classify: Classifier,
): StrictPart | undefined {
  if (header.role !== 'assistant') return undefined
  const key = recipientKey(classify(header.recipient, header.channel))
  return parts.find(({ body }) => body === key)
}

/** Returns the part that constrains an item, and its text. */
export function partOfItem(
  item: OutputItem,
  parts: readonly StrictPart[],
): { readonly part: StrictPart; readonly text: string } | undefined {
  const text = bodyOf(item)
  if (text === undefined) return undefined
  const { type: kind, ...callee } = item
  const key = kind === 'message' ? recipientKey({ kind }) : recipientKey({ ...callee, kind })
  const part = parts.find(({ body }) => body === key)
  return part && { part, text }
}

/** Returns the model's text of a complete item that may be constrained. */
function bodyOf(item: OutputItem): string | undefined {
  if (!('status' in item) || item.status !== 'completed') return undefined
  switch (item.type) {
    case 'function_call':
      return item.arguments
    case 'custom_tool_call':
      return item.input
    case 'message':
      return item.phase === 'final_answer' ? item.content.map(({ text }) => text).join('') : undefined
    default:
      return undefined
  }
}
