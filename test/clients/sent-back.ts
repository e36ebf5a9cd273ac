import { isDeepStrictEqual } from 'node:util'
import { runTool } from './scenarios.js'
import type { Exchange, InputItem } from './server.js'

/**
 * How the items that the server sent, and the results of the client's calls, come in the last request, by their type:
 * `unchanged`, `absent`, or what is different about them. Null fields and a status that the client adds do not count.
 */
export function sentBack(exchanges: readonly Exchange[]): Record<string, string> {
  const last = exchanges.at(-1)?.body.input ?? []
  const sent = exchanges.slice(0, -1).flatMap(({ events }) => outputOf(events))
  const came = typeof last === 'string' ? [] : last.filter(({ role }) => role === undefined || role === 'assistant')
  const how = new Map<string, Set<string>>()
  const say = (type: string, words: string): void => void how.set(type, (how.get(type) ?? new Set()).add(words))
  for (const item of [...sent, ...sent.flatMap(resultOf)]) {
    const at = came.findIndex((one) => typeOf(one) === item.type)
    const [match] = at === -1 ? [] : came.splice(at, 1)
    say(String(item.type), match === undefined ? 'absent' : difference(item, match))
  }
  for (const item of came) say(typeOf(item), 'made up')
  return Object.fromEntries([...how].map(([type, words]) => [type, [...words].join(' / ')]))
}

/** The expected form of earlier turns: unchanged, and every call with its result. */
export function allUnchanged(exchanges: readonly Exchange[]): Record<string, string> {
  const sent = exchanges.slice(0, -1).flatMap(({ events }) => outputOf(events))
  return Object.fromEntries([...sent, ...sent.flatMap(resultOf)].map(({ type }) => [String(type), 'unchanged']))
}

/** The output of the response that the events end with. */
function outputOf(events: Exchange['events']): InputItem[] {
  const last = events.at(-1)
  // As it was on the wire.
  return last !== undefined && 'response' in last ? JSON.parse(JSON.stringify(last.response.output)) : []
}

function difference(sent: InputItem, came: InputItem): string {
  const names = Object.keys(sent)
  const absent = names.filter((name) => came[name] === undefined)
  const other = names.filter((name) => came[name] !== undefined && !isDeepStrictEqual(came[name], sent[name]))
  const added = Object.keys(came).filter((name) => sent[name] === undefined && came[name] !== null && name !== 'status')
  const words = Object.entries({ without: absent, other, with: added }).flatMap(([word, fields]) =>
    fields.length === 0 ? [] : `${word} ${fields.sort().join(', ')}`,
  )
  return words.length === 0 ? 'unchanged' : words.join('; ')
}

/** The client's answer to an item: the result of a call, or an approval. */
function resultOf({ type, id, name, call_id, arguments: given, input }: InputItem): InputItem[] {
  if (type === 'mcp_approval_request')
    return [{ type: 'mcp_approval_response', approval_request_id: id, approve: true }]
  if (type !== 'function_call' && type !== 'custom_tool_call') return []
  const output = runTool(String(name), type === 'function_call' ? JSON.parse(String(given)) : input)
  return [{ type: `${type}_output`, call_id, output }]
}

/** Input may leave out the type of messages. */
const typeOf = ({ type = 'message' }: InputItem): string => type
