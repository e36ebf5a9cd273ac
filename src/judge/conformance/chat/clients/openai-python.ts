import { type Fields, isFields } from '../../../../shared/fields.js'
import { rulesOf, type SeenCall } from '../../clients/client.js'
import {
  callInPython,
  indexInPython,
  isTrueInPython,
  listInPython,
  shownInPython,
} from '../../clients/python-values.js'
import { TextHash } from '../../clients/text-hash.js'
import { ThrowingReader } from '../../clients/throwing-reader.js'
import { Thrown } from '../../clients/thrown.js'
import type { EventRef } from '../../clients/votes.js'
import { asFields, asList, asString } from '../../stream-event.js'
import type { ChatClientModel } from './client.js'
import { endingBy } from './finish-reasons.js'
import { type Accumulated, accumulate, LISTS } from './openai-python/accumulate.js'

const RAISES = 'chat.completions.stream() of openai for Python raises otherwise'

const SENTENCES: Readonly<Record<string, string>> = {
  'chat-openai-python-chunk': `A chunk is an object with a list of choices: ${RAISES}, or loses what an empty object should have said.`,
  'chat-openai-python-object':
    'The object of a chunk is "chat.completion.chunk": chat.completions.stream() of openai for Python skips all others.',
  'chat-openai-python-error-key':
    'Only the chunk that ends a failed stream has an `error`: openai for Python raises it, whatever else the chunk contains.',
  'chat-openai-python-index': `Choices and their calls have the indexes 0, 1, 2, ..., in this order: ${RAISES}.`,
  'chat-openai-python-delta': `A choice is an object, and its delta as well, also in the last chunk: ${RAISES}.`,
  'chat-openai-python-calls': `A call of type "function" has a function in each of its deltas: ${RAISES}.`,
  'chat-openai-python-joins':
    'The name of a call comes once: openai for Python joins repeated ones to one text ("get_weatherget_weather").',
  'chat-openai-python-custom':
    'No call is one of a custom tool: get_final_completion() of openai for Python raises at it, when streamed.',
  [LISTS]: `The objects in a list of a delta have an index: ${RAISES}.`,
  'chat-openai-python-logprobs': `The logprobs of a choice are an object with lists: ${RAISES}.`,
}

/**
 * openai for Python, used through its helper `chat.completions.stream()`: the text comes from its events, everything else
 * from the completion that it accumulates. It does not say so if an answer has no end.
 */
export const openaiPython: ChatClientModel = {
  client: 'openai-python',
  name: 'The openai SDK for Python',
  versions: { 'openai for Python': '3.57.0' },
  reads: { reasoning: false, choices: 'all', incomplete: 'incomplete' },
  rules: rulesOf(SENTENCES),
  begin: (reportBreak) => new OpenAIPythonReader(reportBreak),
}

/** A choice as the SDK has accumulated it. */
interface Choice {
  finish: unknown
  /** Its fields, whose texts are empty if they are shown: those are in `content` and `refusal`. */
  message: Accumulated
  readonly content: TextHash
  readonly refusal: TextHash
  /** The call that the last delta was for. */
  current: number | undefined
}

class OpenAIPythonReader extends ThrowingReader<unknown> {
  readonly #choices: Choice[] = []
  #hasChunk = false
  #hasSurplus = false
  #position = -1
  /** A break that only calls show: it harms no answer that was cut off, since nobody runs its last call. */
  #ofCalls:
    | { readonly rule: string; readonly expected: string; readonly got: unknown; readonly at: EventRef }
    | undefined

  protected take(chunk: unknown): void {
    this.#position++
    if (!isFields(chunk)) throw new Thrown('chat-openai-python-chunk', 'a chunk as an object', chunk)
    const { error, object, choices, usage } = chunk
    if (isTrueInPython(error)) {
      this.isOver = true
      this.seen.ending = 'failed'
      this.seen.error = asString(asFields(error)['message'])
      if (choices !== undefined) this.reportBreak('chat-openai-python-error-key', 'no error beside choices', error)
      return
    }
    if (object !== 'chat.completion.chunk') {
      if (saysIn(choices, ['content', 'refusal']))
        this.reportBreak('chat-openai-python-object', 'object "chat.completion.chunk"', object)
      else if (saysIn(choices, ['tool_calls', 'function_call']))
        this.#breakCalls('chat-openai-python-object', 'object "chat.completion.chunk"', object)
      return
    }
    const isFirst = !this.#hasChunk
    const list = listInPython(choices)
    // Those of the first chunk become the list of the completion.
    if (list === undefined || (isFirst && !Array.isArray(choices)))
      throw new Thrown('chat-openai-python-chunk', 'a chunk with a list of choices', choices)
    // The SDK reads on, without what they should have said.
    if (!Array.isArray(choices) && !isFields(usage))
      this.reportBreak('chat-openai-python-chunk', 'a chunk with a list of choices', choices)
    this.#hasChunk = true
    const taken = list.map((given) => this.#takeChoice(given, isFirst ? list.length : undefined))
    // The first chunk's choices become the list of the completion, in which a repeated one stays without a message.
    if (isFirst && this.#choices.length < list.length) this.#hasSurplus = true
    for (const [choice, delta] of taken) this.#show(choice, delta)
  }

  /** @param count - how many choices the first chunk has; undefined for the others */
  #takeChoice(given: unknown, count: number | undefined): readonly [Choice, Fields] {
    if (!isFields(given)) throw new Thrown('chat-openai-python-delta', 'a choice as an object', given)
    const { index, delta, finish_reason: reason, logprobs } = given
    if (!isFields(delta)) throw new Thrown('chat-openai-python-delta', 'a delta as an object', delta)
    const most = count === undefined ? this.#choices.length : count - 1
    if (!Number.isInteger(index) || (index as number) > most || (index as number) < 0)
      throw new Thrown('chat-openai-python-index', `a choice with an index from 0 to ${most}`, index)
    checkLogprobs(logprobs)
    const known = this.#choices[index as number]
    const choice = known ?? begun()
    this.#choices[index as number] = choice
    const { content, refusal } = choice.message
    const types = callsOf(choice.message).map(({ type }) => type)
    choice.message = accumulate(choice.message, withoutTexts(delta))
    for (const [at, { type }] of callsOf(choice.message).entries()) {
      if (types[at] === 'function' && type !== 'function')
        throw new Thrown('chat-openai-python-calls', 'a call that keeps its type', type)
    }
    if (isTextOrNone(content) && typeof delta['content'] === 'string') choice.content.append(delta['content'])
    if (isTextOrNone(refusal) && typeof delta['refusal'] === 'string') choice.refusal.append(delta['refusal'])
    if (reason || known === undefined) choice.finish = reason
    return [choice, delta]
  }

  #show(choice: Choice, { content, refusal, tool_calls: given }: Fields): void {
    const { message } = choice
    if (isGiven(content) && isGiven(message['content'])) this.seen.streamed.append(shownInPython(content))
    if (isGiven(refusal) && isGiven(message['refusal'])) this.seen.streamed.append(shownInPython(refusal))
    if (!given) return
    const deltas = listInPython(given)
    if (deltas === undefined) throw new Thrown('chat-openai-python-calls', 'tool_calls as a list', given)
    for (const delta of deltas) {
      if (!isFields(delta)) throw new Thrown('chat-openai-python-calls', 'a call as an object', delta)
      const { index, function: named } = delta
      const call = callsOf(message)[indexInPython(index) as number]
      if (call === undefined) throw new Thrown('chat-openai-python-index', 'calls 0, 1, 2, ...', index)
      if (call['type'] === 'function' && !isFields(named))
        throw new Thrown('chat-openai-python-calls', 'function in a delta of a call', named)
      const name = asString(asFields(named)['name'])
      const all = asString(asFields(call['function'])['name'])
      if (name !== '' && all !== name && all.endsWith(name) && all.startsWith(name))
        this.#breakCalls('chat-openai-python-joins', 'the name of a call once', all)
    }
  }

  #breakCalls(rule: string, expected: string, got: unknown): void {
    this.#ofCalls ??= { rule, expected, got, at: { position: this.#position, type: 'chat.completion.chunk' } }
  }

  protected finish(): void {
    const [first] = this.#choices
    if (first === undefined) throw new Thrown('chat-openai-python-chunk', 'a chunk', undefined, 'none')
    if (this.#hasSurplus)
      throw new Thrown('chat-openai-python-index', 'each choice of the first chunk once', undefined, 'one twice')
    const { seen } = this
    // It raises at any choice that was cut off.
    const isCut = this.#choices.some(({ finish }) => endingBy(finish) === 'incomplete')
    seen.ending = isCut ? 'incomplete' : endingBy(first.finish)
    seen.finish = first.finish
    if (!isCut && this.#ofCalls !== undefined) {
      const { rule, expected, got, at } = this.#ofCalls
      this.reportBreak(rule, expected, got, undefined, at)
    }
    seen.final = new TextHash()
    for (const { message, content, refusal } of this.#choices) {
      seen.final.join(textOf(message['content'], content)).join(textOf(message['refusal'], refusal))
      for (const call of callsIn(message)) seen.calls.push(call)
    }
  }
}

const begun = (): Choice => ({
  finish: undefined,
  message: {},
  content: new TextHash(),
  refusal: new TextHash(),
  current: undefined,
})

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

const isTextOrNone = (value: unknown): boolean => !isGiven(value) || typeof value === 'string'

/** Whether choices end, or say something in one of these fields. */
const saysIn = (choices: unknown, fields: readonly string[]): boolean =>
  asList(choices)
    .map(asFields)
    .some(({ delta, finish_reason: reason }) => reason || fields.some((field) => asFields(delta)[field]))

/** A copy of a delta whose texts are empty, except those in values that are shown: the message need not hold them. */
const withoutTexts = (delta: Fields): Fields =>
  Object.fromEntries(
    Object.entries(delta).map(([name, value]) => [
      name,
      copied(value, SHOWN.has(name) && typeof value !== 'string' ? (text) => text : () => ''),
    ]),
  )

const SHOWN: ReadonlySet<string> = new Set(['content', 'refusal', 'tool_calls', 'function_call'])

/** Merging changes objects: those of the stream stay as they are. */
function copied(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((one) => copied(one, change))
  if (!isFields(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copied(inner, change)]))
}

function checkLogprobs(logprobs: unknown): void {
  if (!isGiven(logprobs)) return
  const { content, refusal } = asFields(logprobs)
  const isRead = isFields(logprobs) && [content, refusal].every((list) => !list || typeof list === 'object')
  if (!isRead) throw new Thrown('chat-openai-python-logprobs', 'logprobs as an object with lists', logprobs)
}

const callsOf = (message: Accumulated): readonly Fields[] => asList(message['tool_calls']).map(asFields)

function textOf(value: unknown, text: TextHash): TextHash {
  if (typeof value === 'string') return text
  return isGiven(value) ? TextHash.of(shownInPython(value)) : new TextHash()
}

/** The calls of a message. */
function callsIn(message: Accumulated): SeenCall[] {
  const { function_call: old } = message
  // An application reads this one of the older API where there is no other.
  const named = isGiven(old) && callsOf(message).length === 0 ? [old] : []
  if (!named.every(isFields)) throw new Thrown('chat-openai-python-calls', 'function_call as an object', old)
  return [
    ...named.map(seenOf),
    ...callsOf(message).map(({ type, function: body, custom }) => {
      if (type === 'custom')
        throw new Thrown('chat-openai-python-custom', 'a call of type "function"', custom, 'custom')
      if (!isFields(body)) throw new Thrown('chat-openai-python-calls', 'function in a call', body)
      return seenOf(body)
    }),
  ]
}

const seenOf = ({ name, arguments: given }: Fields): SeenCall => callInPython(name, given)
