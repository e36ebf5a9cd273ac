import { type Fields, isFields } from '../../../../shared/fields.js'
import { jsonHash } from '../../json-hash.js'
import { asFields, asList, asString } from '../../stream-event.js'
import { citationSources } from '../agreement/agreed-item.js'
import { type SeenCall, seenCall } from '../client.js'
import { TextHash } from '../text-hash.js'
import { Thrown } from '../thrown.js'
import { readItem } from './read-item.js'

/** The result of a run: what it shows, and which calls it makes. */
export interface RunResult {
  readonly text: TextHash
  readonly reasoning: TextHash
  readonly calls: SeenCall[]
  readonly citations: string[]
}

/**
 * The result of a run for a completed response.
 *
 * @throws Thrown if the run throws
 */
export function runOf({ id, output, usage }: Fields): RunResult {
  if (!Array.isArray(output)) throw new Thrown('openai-agents-response', 'response.output as an array', output)
  const items = output.map((item, index) => readItem(item, placeOf(index)))
  if (typeof id !== 'string') throw new Thrown('openai-agents-response', 'response.id as a string', id)
  requireUsage(usage)

  const calls = callsOf(items)
  const continues = calls.length > 0 || items.some(isPending)
  const messages = items.filter(({ type }) => type === 'message').map(({ content }) => asList(content).map(asFields))
  const last = messages.at(-1) ?? []
  const isAnswered = last.some(isText)
  if (!continues && !isAnswered && last.some(({ refusal }) => asString(refusal) !== '')) {
    throw new Thrown('openai-agents-refusal', 'an answer', undefined, 'a refusal')
  }
  // If a tool was called, or there is no text, the run continues and sends all items back.
  if (continues || !isAnswered) for (const [index, item] of items.entries()) requireSendable(item, placeOf(index))

  const texts = messages.flat().filter(isText)
  const summaries = items.flatMap(({ type, summary }) => (type === 'reasoning' ? asList(summary) : []))
  return {
    text: joined(texts),
    reasoning: joined(summaries.map(asFields)),
    // If the arguments are invalid JSON, the run does not call the tool, but reports that to the model.
    calls: calls.map(({ name, given }) => seenCall(name, given)),
    citations: texts.flatMap(({ annotations }) =>
      citationSources(asList(annotations)).filter((source) => source !== ''),
    ),
  }
}

/** The function calls that the run makes. The same call with the same call_id runs once. */
function callsOf(items: readonly Fields[]): { readonly name: string; readonly given: string }[] {
  const invocations = new Map<string, number>()
  const calls: { readonly name: string; readonly given: string }[] = []
  for (const [index, item] of items.entries()) {
    const { type, id, name, call_id: callId, namespace, arguments: given, server_label: server } = item
    const require = (is: boolean, field: string, got: unknown): void => {
      if (!is) throw new Thrown('openai-agents-call', `${placeOf(index)}.${field}`, got)
    }
    if (type === 'mcp_approval_request') {
      for (const [field, value] of Object.entries({ id, name, server_label: server }))
        require(isNamed(value), field, value)
    }
    if (type === 'shell_call_output') require(isNamed(callId), 'call_id', callId)
    if (type !== 'function_call') continue
    require(isNamed(name), 'name', name)
    require(isNamed(callId), 'call_id', callId)
    const called = isNamed(namespace) ? `${asString(namespace)}.${asString(name)}` : asString(name)
    const call = { name: called, given: asString(given) }
    const invocation = jsonHash([called, seenCall('', call.given).value])
    const previous = invocations.get(asString(callId))
    require(previous === undefined || previous === invocation, 'call_id that is unique', callId)
    if (previous === undefined) calls.push(call)
    invocations.set(asString(callId), invocation)
  }
  return calls
}

/** Whether the run waits for the host before it continues. */
function isPending({ type, status, execution }: Fields): boolean {
  if (type === 'tool_search_call') return execution === 'client'
  if (type === 'shell_call') return (status ?? 'in_progress') === 'in_progress'
  return type === 'mcp_approval_request' || (type === 'shell_call_output' && status === 'in_progress')
}

const isText = ({ type }: Fields): boolean => type === 'output_text'

const isNamed = (value: unknown): boolean => typeof value === 'string' && value !== ''

const placeOf = (index: number): string => `response.output[${index}]`

const joined = (parts: readonly Fields[]): TextHash =>
  parts.reduce<TextHash>((all, { text }) => all.append(asString(text)), new TextHash())

/**
 * Requires that an item can be sent back, as the Agents SDK does in a run that continues. It then accepts fewer
 * statuses of hosted calls than when it reads them.
 */
function requireSendable({ type, status, action }: Fields, place: string): void {
  const known = typeof type === 'string' && Object.hasOwn(STATUSES, type) ? STATUSES[type] : undefined
  if (known === undefined) return
  if (!known.includes((status ?? 'failed') as string)) {
    const expected = `${place}.status: ${known.map((one) => JSON.stringify(one)).join(', ')}`
    throw new Thrown('openai-agents-sends-back', expected, status)
  }
  if (type === 'web_search_call' && action !== undefined && !(isFields(action) && typeof action['type'] === 'string')) {
    throw new Thrown('openai-agents-sends-back', `${place}.action with a type, or none`, action)
  }
}

const STATUSES: Readonly<Record<string, readonly string[]>> = {
  web_search_call: ['in_progress', 'completed', 'searching', 'failed'],
  file_search_call: ['in_progress', 'completed', 'searching', 'failed', 'incomplete'],
  code_interpreter_call: ['in_progress', 'completed', 'interpreting'],
  image_generation_call: ['in_progress', 'completed', 'generating', 'failed'],
}

/** Requires that all counts in usage are numbers. Throws `Thrown` otherwise. */
function requireUsage(usage: unknown): void {
  const { input_tokens, output_tokens, total_tokens, input_tokens_details, output_tokens_details } = asFields(usage)
  for (const [name, count] of Object.entries({ input_tokens, output_tokens, total_tokens })) {
    const isCount = count === undefined || count === null || typeof count === 'number'
    if (!isCount) throw new Thrown('openai-agents-usage', `usage.${name} as a number`, count)
  }
  for (const [name, details] of Object.entries({ input_tokens_details, output_tokens_details })) {
    // The SDK spreads the details, which turns a string into one entry per character.
    const counts = typeof details === 'object' || typeof details === 'string' ? Object.values(details ?? {}) : []
    for (const count of counts) {
      if (typeof count !== 'number') throw new Thrown('openai-agents-usage', `numbers in usage.${name}`, count)
    }
  }
}
