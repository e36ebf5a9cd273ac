import type { HarmonyMessage } from '../harmony/events.js'
import { builtinNamed, builtinOfItem, replacedByServer } from '../recipients/builtin-tools.js'
import { type Recipient, recipientKey } from '../recipients/recipient.js'
import type { RequestTools } from '../recipients/request-tools.js'
import { objectIn, undeclaredArguments } from '../recipients/written-arguments.js'

/** What a message says and to whom: equal for a message of a transcript and the item that was made of it. */
export function keyOf(message: HarmonyMessage, tools: RequestTools): string {
  const callee = message.role === 'assistant' ? calleeOf(message, tools) : undefined
  return `${speakerOf(message, tools)} ${callee === undefined ? message.content : saidTo(callee, message.content)}`
}

/** Who speaks, and to whom. */
export function speakerOf(message: HarmonyMessage, tools: RequestTools): string {
  if (message.role === 'tool') return `tool ${recipientKey(addressee(message.name, tools))}`
  if (message.role !== 'assistant') return message.role
  const callee = calleeOf(message, tools)
  return `assistant ${recipientKey(callee)}${callee.kind === 'message' ? callee.phase : ''}`
}

export function calleeOf({ recipient, channel }: HarmonyMessage, { classifyPast }: RequestTools): Recipient {
  return classifyPast(recipient, channel)
}

function addressee(name: string | undefined, { classifyPast }: RequestTools): Recipient {
  return classifyPast(name, undefined)
}

/** What of a call its item shows: of a search the query, of a shell the command. */
function saidTo(callee: Recipient, content: string): string {
  switch (callee.kind) {
    // As their items show them. The item of a call without arguments has empty ones.
    case 'function_call':
      if (content.trim() === '') return respelled('{}')
      return respelled((callee.declared ? objectIn(content) : undeclaredArguments(callee.name, content)).shown)
    case 'mcp_call':
    case 'mcp_approval_request':
      if (replacedByServer(callee.serverLabel) !== undefined) return content
      return respelled(content.trim() === '' ? '{}' : objectIn(content).shown)
    default: {
      const builtin = builtinOfItem(callee.kind)
      return builtin === undefined
        ? content
        : builtinNamed(builtin).shown(content, 'action' in callee ? callee.action : undefined)
    }
  }
}

/** JSON in a spelling and an order of its own: clients parse what a call says. Any other text as it is. */
function respelled(text: string): string {
  try {
    return JSON.stringify(ordered(JSON.parse(text)))
  } catch {
    return text
  }
}

/** Lists that say what they are: of an object its fields by their names, which an array of pairs is not equal to. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return ['array', ...value.map(ordered)]
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return ['object', ...fields.map(([name, field]) => [name, ordered(field)])]
}
