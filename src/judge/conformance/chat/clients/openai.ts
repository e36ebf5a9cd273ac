import { type Fields, isFields } from '../../../../shared/fields.js'
import { rulesOf, type SeenCall, seenCall } from '../../clients/client.js'
import { concatenated, MutableText } from '../../clients/mutable-text.js'
import { TextHash } from '../../clients/text-hash.js'
import { ThrowingReader } from '../../clients/throwing-reader.js'
import { Thrown } from '../../clients/thrown.js'
import { asString, isIndex } from '../../stream-event.js'
import { MAX_CALLS, MAX_CHOICES } from '../stream-state.js'
import type { ChatClientModel } from './client.js'
import { endingBy } from './finish-reasons.js'

const THROWS = 'chat.completions.stream() of the openai SDK throws otherwise'

const RULES = rulesOf({
  'chat-openai-chunk': `A chunk is an object with a list of choices, and a choice an object: ${THROWS}.`,
  'chat-openai-error-key': {
    sentence:
      'Only the chunk that ends a failed stream has an `error`: the openai SDK throws it, whatever else the chunk contains.',
    explainsLosses: true,
  },
  'chat-openai-choice-index': `A choice has an index from 0 to ${MAX_CHOICES - 1}, and there is a choice 0: ${THROWS}.`,
  'chat-openai-role': `The first delta of a choice has the role "assistant": without a role ${THROWS.replace(' otherwise', '')}, and no text is shown before the role comes.`,
  'chat-openai-finish': `Each choice has a finish_reason: ${THROWS}.`,
  'chat-openai-message':
    'A choice has a delta, and no `message`: the openai SDK replaces all earlier deltas by it, and throws without a role.',
  'chat-openai-calls': `tool_calls is a list of objects, each with an index from 0 to ${MAX_CALLS - 1} and without a gap: ${THROWS}.`,
  'chat-openai-call-type': `A call has a type, and the field that the type names: ${THROWS}.`,
  'chat-openai-function-call': `A function_call is an object with a name and arguments: ${THROWS}.`,
  'chat-openai-logprobs': `The logprobs of a choice are lists: ${THROWS}.`,
})

/**
 * The openai SDK, used through its helper `chat.completions.stream()`: the text comes from its delta events, everything
 * else from `finalChatCompletion()`. `create({ stream: true })` is not modelled. It does not add up fields that OpenAI
 * does not have, such as `reasoning_content`.
 */
export const openai: ChatClientModel = {
  client: 'openai',
  name: 'The openai SDK',
  versions: { openai: '7.59.0' },
  reads: { reasoning: false, choices: 'all', incomplete: 'incomplete' },
  rules: RULES,
  begin: (reportBreak) => new OpenAIReader(reportBreak),
}

/** The callee, and the arguments or the input: kept completely, as a tool receives them. */
interface Body {
  name: unknown
  given: string
}

/** A call as the SDK has assembled it so far. */
interface Call {
  type: unknown
  function: Body | undefined
  custom: Body | undefined
}

/** A choice as the SDK has assembled it so far. */
interface Choice {
  finish: unknown
  role: unknown
  hasLogprobs: boolean
  content: MutableText
  refusal: MutableText
  /** By index. */
  readonly calls: Map<number, Call>
  hasCalls: boolean
  functionCall: { readonly isObject: boolean; name: unknown; given: string | undefined } | undefined
  /** The call that the last delta was for: it is done when another begins, or the choice ends. */
  current: number | undefined
  /** The calls that are done. */
  readonly done: Set<number>
}

class OpenAIReader extends ThrowingReader<unknown> {
  readonly #choices = new Map<number, Choice>()
  #hasChunk = false

  protected take(chunk: unknown): void {
    const { error, choices } = isFields(chunk) ? chunk : ({} as Fields)
    if (error) {
      this.isOver = true
      this.seen.ending = 'failed'
      this.seen.error = asString(isFields(error) ? error['message'] : '')
      if (choices !== undefined) this.reportBreak('chat-openai-error-key', 'no error beside choices', error)
      return
    }
    // Whatever has a length can be read as a list; a text has characters for choices.
    if (choices === '') return
    if (!Array.isArray(choices)) {
      throw new Thrown('chat-openai-chunk', 'a chunk with a list of choices', isFields(chunk) ? choices : chunk)
    }
    this.#hasChunk = true
    for (const choice of choices) {
      if (choice === null) throw new Thrown('chat-openai-chunk', 'a choice as an object', choice)
    }
    const taken = choices.map((choice): readonly [Choice, unknown, readonly number[]] => this.#takeChoice(choice))
    for (const [choice, delta, indexes] of taken) this.#show(choice, delta, indexes)
  }

  /** Adds a choice of a chunk to the accumulated one. Returns the indexes of the calls that it concerns. */
  #takeChoice(given: Fields): readonly [Choice, unknown, readonly number[]] {
    const { index, delta, finish_reason: reason, logprobs } = given
    if (!isIndex(index, MAX_CHOICES)) {
      throw new Thrown('chat-openai-choice-index', `an index from 0 to ${MAX_CHOICES - 1}`, index)
    }
    const choice = this.#choices.get(index) ?? begun()
    this.#choices.set(index, choice)
    if (logprobs) takeLogprobs(logprobs, choice)
    if (reason) choice.finish = reason
    if ('message' in given) replaceMessage(given['message'], choice)
    if (!delta) return [choice, delta, []]
    const { role, content, refusal, function_call: old, tool_calls: calls } = delta as Fields
    if (refusal) choice.refusal.append(refusal)
    if (role) choice.role = role
    if (old) takeFunctionCall(old, choice)
    if (content !== undefined && content !== null) choice.content.append(content)
    return [choice, delta, calls ? takeCalls(calls, choice) : []]
  }

  /** Shows the events of a chunk, after all of it was added. */
  #show(choice: Choice, delta: unknown, indexes: readonly number[]): void {
    const { content, refusal } = (delta ?? {}) as Fields
    if (choice.role === 'assistant') {
      if (content !== undefined && content !== null && isTruthy(choice.content)) this.#say(content)
      if (refusal !== undefined && refusal !== null && isTruthy(choice.refusal)) this.#say(refusal)
    }
    if (choice.finish) endCall(choice)
    for (const index of indexes) {
      if (choice.current !== index) endCall(choice)
      choice.current = index
    }
    for (const index of indexes) {
      const { type, function: named } = choice.calls.get(index) as Call
      if (type === 'function' && named === undefined) {
        throw new Thrown('chat-openai-call-type', 'function in a call of type "function"', named)
      }
    }
  }

  #say(text: unknown): void {
    this.seen.streamed.append(concatenated(text))
  }

  protected finish(): void {
    if (!this.#hasChunk) throw new Thrown('chat-openai-chunk', 'a chunk', undefined, 'none')
    const indexes = [...this.#choices.keys()].sort((one, other) => one - other)
    const choices = indexes.map((index): readonly [number, Choice] => [index, this.#choices.get(index) as Choice])
    for (const [index, choice] of choices) checkWhole(index, choice)
    // Its lists have gaps then, over which it stumbles.
    const isDense = indexes.length > 0 && indexes.every((index, at) => index === at)
    if (!isDense) throw new Thrown('chat-openai-choice-index', 'choices 0, 1, 2, ...', indexes)
    for (const [, { calls, functionCall }] of choices) {
      const has = [...calls.keys()]
      const last = has.reduce((max, call) => Math.max(max, call), -1)
      if (functionCall === undefined && last !== has.length - 1)
        throw new Thrown('chat-openai-calls', 'calls 0, 1, 2, ...', has)
    }
    const [, first] = choices[0] as readonly [number, Choice]
    if (first.role !== 'assistant') throw new Thrown('chat-openai-role', 'the role "assistant"', first.role)
    const { seen } = this
    seen.ending = endingBy(first.finish)
    seen.finish = first.finish
    seen.final = new TextHash()
    for (const [, choice] of choices) {
      if (isTruthy(choice.content)) seen.final.join(choice.content.appended)
      if (isTruthy(choice.refusal)) seen.final.join(choice.refusal.appended)
      for (const call of callsOf(choice)) seen.calls.push(call)
    }
  }
}

const begun = (): Choice => ({
  finish: null,
  role: undefined,
  hasLogprobs: false,
  content: new MutableText(''),
  refusal: new MutableText(''),
  calls: new Map(),
  hasCalls: false,
  functionCall: undefined,
  current: undefined,
  done: new Set(),
})

/** A field `message` of a choice replaces the accumulated one, like every field that the SDK does not know. */
function replaceMessage(message: unknown, choice: Choice): void {
  if (!isFields(message)) throw new Thrown('chat-openai-message', 'no message in a choice', message)
  choice.role = message['role']
  choice.content = new MutableText(message['content'] ?? '')
  choice.refusal = new MutableText(message['refusal'] ?? '')
  choice.calls.clear()
  choice.hasCalls = false
  choice.functionCall = undefined
}

/** Whether JavaScript treats the value as a true text: one that is not empty. */
const isTruthy = (text: MutableText): boolean => (text.text?.length ?? 0) > 0

function takeLogprobs(logprobs: unknown, choice: Choice): void {
  const { content, refusal } = logprobs as Fields
  for (const [name, list] of Object.entries({ content, refusal })) {
    const isIterable = Array.isArray(list) || typeof list === 'string'
    if (list && !isIterable) throw new Thrown('chat-openai-logprobs', `logprobs.${name} as a list`, list)
  }
  choice.hasLogprobs = true
}

function takeFunctionCall(given: unknown, choice: Choice): void {
  const { name, arguments: text } = given as Fields
  const known = choice.functionCall
  if (known === undefined) {
    const isGiven = text !== undefined && text !== null
    const isObject = typeof given === 'object'
    choice.functionCall = { isObject, name, given: isGiven ? concatenated(text) : undefined }
    return
  }
  if (!known.isObject && (name || text)) {
    throw new Thrown('chat-openai-function-call', 'function_call as an object', undefined, 'a text before')
  }
  if (name) known.name = name
  if (text) known.given = `${known.given ?? ''}${concatenated(text)}`
}

/** Adds deltas of calls. Returns their indexes. */
function takeCalls(calls: unknown, choice: Choice): readonly number[] {
  if (!Array.isArray(calls)) throw new Thrown('chat-openai-calls', 'tool_calls as a list', calls)
  choice.hasCalls = true
  return calls.map((given: unknown) => {
    if (given === null) throw new Thrown('chat-openai-calls', 'a call as an object', given)
    const { index, type, custom, function: named } = given as Fields
    if (!isIndex(index, MAX_CALLS)) {
      throw new Thrown('chat-openai-calls', `a call with an index from 0 to ${MAX_CALLS - 1}`, index)
    }
    const call = choice.calls.get(index) ?? { type: undefined, function: undefined, custom: undefined }
    choice.calls.set(index, call)
    if (type) call.type = type
    if (custom) call.custom = bodyWith(custom as Fields, (custom as Fields)['input'] || '', call.custom)
    if (named) call.function = bodyWith(named as Fields, (named as Fields)['arguments'] ?? '', call.function)
    return index
  })
}

function bodyWith({ name }: Fields, more: unknown, before: Body | undefined): Body {
  return { name: name || (before?.name ?? name ?? ''), given: `${before?.given ?? ''}${concatenated(more)}` }
}

/** The SDK reports the call as done. */
function endCall({ current, calls, done }: Choice): void {
  if (current === undefined || done.has(current)) return
  const call = calls.get(current)
  if (call === undefined)
    throw new Thrown('chat-openai-message', `call ${current}, as the deltas before have it`, undefined, 'none')
  if (!call.type) throw new Thrown('chat-openai-call-type', 'a call with a type', call.type)
  if (call.type === 'function' && call.function === undefined)
    throw new Thrown('chat-openai-call-type', 'function in a call of type "function"', undefined)
  done.add(current)
}

/** Throws the SDK's errors at the end of the stream. */
function checkWhole(index: number, { finish, role, calls, hasCalls, functionCall }: Choice): void {
  const of = `for choice ${index}`
  if (!finish) throw new Thrown('chat-openai-finish', `a finish_reason ${of}`, finish)
  if (!role) throw new Thrown('chat-openai-role', `a role ${of}`, role)
  if (functionCall !== undefined) {
    const { isObject, name, given } = functionCall
    if (!isObject || given === undefined)
      throw new Thrown('chat-openai-function-call', `function_call.arguments ${of}`, undefined)
    if (!name) throw new Thrown('chat-openai-function-call', `function_call.name ${of}`, name)
    return
  }
  if (!hasCalls) return
  for (const { type, custom, function: named } of calls.values()) {
    if (type === undefined) throw new Thrown('chat-openai-call-type', `a call with a type ${of}`, type)
    const body = type === 'custom' ? custom : named
    const what = type === 'custom' ? 'custom' : 'function'
    if (body === undefined) throw new Thrown('chat-openai-call-type', `${what} in a call ${of}`, undefined)
  }
}

function callsOf({ calls, functionCall }: Choice): SeenCall[] {
  // Beside a function_call it drops the others.
  if (functionCall !== undefined) {
    return [seenCall(concatenated(functionCall.name), functionCall.given as string)]
  }
  return [...calls.keys()]
    .sort((one, other) => one - other)
    .map((index) => {
      const { type, custom, function: named } = calls.get(index) as Call
      const { name, given } = (type === 'custom' ? custom : named) as Body
      return seenCall(concatenated(name), given)
    })
}
