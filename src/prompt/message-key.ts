import type { HarmonyMessage } from '../harmony/events.js'
import { patchText, readPatch } from '../recipients/apply-patch.js'
import { parseArguments } from '../recipients/arguments.js'
import { replacedByServer } from '../recipients/builtin-tools.js'
import { type Recipient, recipientKey } from '../recipients/recipient.js'
import type { RequestTools } from '../recipients/request-tools.js'
import { commandLineOf, commandOf } from '../recipients/shell-command.js'
import { objectIn, undeclaredArguments } from '../recipients/written-arguments.js'

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
    case 'web_search_call': {
      const main = { search: 'query', find_in_page: 'pattern', open_page: undefined }[callee.action]
      const said = main && parseArguments(content, main)?.[main]
      return typeof said === 'string' ? said : ''
    }
    case 'shell_call':
    case 'local_shell_call': {
      const command = commandOf(parseArguments(content, 'cmd') ?? {})
      return command === undefined ? '' : commandLineOf(command)
    }
    case 'apply_patch_call': {
      const { operation } = readPatch(content) ?? {}
      return operation === undefined ? content : patchText(operation)
    }
    // As their items show them: the item of a call without arguments has empty ones.
    case 'function_call':
      if (content.trim() === '') return respelled('{}')
      return respelled((callee.declared ? objectIn(content) : undeclaredArguments(callee.name, content)).shown)
    case 'mcp_call':
    case 'mcp_approval_request':
      if (replacedByServer(callee.serverLabel) !== undefined) return content
      return respelled(content.trim() === '' ? '{}' : objectIn(content).shown)
    default:
      return content
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
