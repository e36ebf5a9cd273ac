import { type Fields, isFields } from '../../../shared/fields.js'
import { asFields, asList, asString, isIndex } from '../stream-event.js'

/** The maximum number of choices and of calls in a stream. Source: the limits of the API for `n` and `tools`. */
export const MAX_CHOICES = 128
export const MAX_CALLS = 128

/** A call of a choice, as far as it was streamed. */
export interface CallState {
  readonly index: number
  readonly id: unknown
  readonly type: unknown
  /** The pieces of its arguments, or of its input. */
  readonly pieces: string[]
  /** The position of the chunk that began it. */
  readonly since: number
}

/** A choice, as far as it was streamed. */
export interface ChoiceState {
  readonly index: number
  /** By index, in the order in which they began. */
  readonly calls: Map<number, CallState>
  /** The call that the last delta was for. */
  lastCall: CallState | undefined
  /** The pieces of the arguments of a `function_call`, which came before `tool_calls`; undefined if there is none. */
  functionCall: string[] | undefined
  /** Its finish_reason; undefined until it has one. */
  finish: unknown
}

/** The chunk that identifies the stream: all others repeat its fields. */
export interface Identity {
  readonly id: unknown
  readonly created: unknown
  readonly model: unknown
}

/** The state of a stream of Chat Completions before a chunk. */
export class ChatState {
  /** The number of the chunk, from 0; at the end, the number of all. */
  position = 0
  identity: Identity | undefined
  readonly choices: Map<number, ChoiceState> = new Map()
  /** The position of the chunk with the token counts; undefined until it has come. */
  usageAt: number | undefined
  /** The number of earlier chunks without `usage`, not even null. */
  withoutUsage = 0
  /** The stream has ended with an error. */
  hasFailed = false

  /** Whether all choices that began have their finish_reason. */
  get isFinished(): boolean {
    for (const { finish } of this.choices.values()) if (finish === undefined) return false
    return this.choices.size > 0
  }

  /** Applies a chunk's own fields. Its choices are applied one by one. */
  apply(chunk: Fields): void {
    if (isErrorFrame(chunk)) {
      this.hasFailed = true
      return
    }
    if (isAside(chunk)) return
    const { id, created, model, usage } = chunk
    this.identity ??= { id, created, model }
    if (isFields(usage)) this.usageAt ??= this.position
    else if (usage === undefined) this.withoutUsage++
  }

  /** The state of a choice, which begins here if it is new. */
  choice(index: number): ChoiceState {
    const known = this.choices.get(index)
    if (known !== undefined) return known
    const begun: ChoiceState = {
      index,
      calls: new Map(),
      lastCall: undefined,
      functionCall: undefined,
      finish: undefined,
    }
    this.choices.set(index, begun)
    return begun
  }
}

/**
 * Returns the call that a delta continues; undefined if it begins one. A delta without an index is taken for the last
 * call's.
 */
export function callOf({ index, id, function: named }: Fields, choice: ChoiceState): CallState | undefined {
  if (isIndex(index, MAX_CALLS)) return choice.calls.get(index)
  const isNamed = asString(id) !== '' || asString(asFields(named)['name']) !== ''
  return isNamed ? undefined : choice.lastCall
}

/** Takes a delta of a call. `position` is that of its chunk. */
export function applyCall(delta: Fields, choice: ChoiceState, position: number): void {
  const call = callOf(delta, choice) ?? begin(delta, choice, position)
  if (call === undefined) return
  const text = asFields(delta['function'])['arguments'] ?? asFields(delta['custom'])['input']
  if (typeof text === 'string') call.pieces.push(text)
  choice.lastCall = call
}

function begin({ index, id, type }: Fields, choice: ChoiceState, since: number): CallState | undefined {
  const at = isIndex(index, MAX_CALLS) ? index : choice.calls.size
  if (at >= MAX_CALLS) return undefined
  const call: CallState = { index: at, id, type, pieces: [], since }
  choice.calls.set(at, call)
  return call
}

/** Takes the rest of a choice: its `function_call`. */
export function applyDelta(delta: Fields, choice: ChoiceState): void {
  const { function_call: call } = delta
  if (!isFields(call)) return
  choice.functionCall ??= []
  choice.functionCall.push(asString(call['arguments']))
}

/** Returns the choices of a value in place of a chunk. */
export function choicesIn(chunk: Fields): readonly Fields[] {
  return asList(chunk['choices']).map(asFields)
}

/** The deltas of calls in a delta. */
export function callsIn(delta: Fields): readonly Fields[] {
  return asList(delta['tool_calls']).map(asFields)
}

/** Returns the type of a value in place of a chunk, for messages: its `object`, or `error`. */
export const typeOfChunk = (value: unknown): string =>
  isFields(value) && isErrorFrame(value) ? 'error' : 'chat.completion.chunk'

/** Whether a chunk is Azure's about its content filter: it has no id, no object and no delta, and clients skip it. */
export function isAside({ id, object, choices }: Fields): boolean {
  const isEmpty = asList(choices).every((choice) => asFields(choice)['delta'] === undefined)
  return id === '' && object === '' && Array.isArray(choices) && isEmpty
}

/** Whether a value in place of a chunk reports a failure of the stream. */
export function isErrorFrame(value: Fields): boolean {
  return value['choices'] === undefined && value['error'] !== undefined && value['error'] !== null
}
