import type { HarmonyMessage } from '../../core/harmony/events.js'
import { builtinNamed, builtinOfItem, replacedByServer } from '../../core/recipients/builtin-tools.js'
import { type Recipient, recipientKey } from '../../core/recipients/recipient.js'
import type { RequestTools } from '../../core/recipients/request-tools.js'
import { objectIn, undeclaredArguments } from '../../core/recipients/written-arguments.js'

/**
 * Returns a key of a message's content and addressee: equal for a message of a transcript and for the item made from
 * it.
 */
export function keyOf(message: HarmonyMessage, tools: RequestTools): string {
  const callee = message.role === 'assistant' ? calleeOf(message, tools) : undefined
  return `${speakerOf(message, tools)} ${callee === undefined ? message.content : saidTo(callee, message.content)}`
}

/** Returns a key of a message's author and addressee. */
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

/** Returns the part of a call that its item shows: the query of a search, the command of a shell. */
function saidTo(callee: Recipient, content: string): string {
  switch (callee.kind) {
    // As their items show them: the item of a call without arguments has empty ones.
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

/** Normalizes the spelling and order of JSON, because clients parse calls. Returns any other text unchanged. */
function respelled(text: string): string {
  try {
    return JSON.stringify(ordered(JSON.parse(text)))
  } catch {
    return text
  }
}

/** Converts an object to tagged lists of its fields, ordered by name, so that it differs from an array of pairs. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return ['array', ...value.map(ordered)]
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return ['object', ...fields.map(([name, field]) => [name, ordered(field)])]
}
