import { duplicateItem, RequestError } from '../request-error.js'
import type { PromptMessage } from './prompt-message.js'
import type { SampledForm } from './sampled-form.js'
import type { ToolNamespace } from './tool-namespace.js'

/** A message while the request is read. */
export interface ReadMessage extends PromptMessage {
  /** Its item does not have its text, but history may. Without history the message is omitted, or is empty. */
  readonly missing?: 'omitted' | 'empty'
  /** A message of the assistant of which the client does not say whether it is the answer. */
  readonly hasNoPhase?: true
  /** Whether the client ran the tool: then its result came when the response was over. */
  readonly isOutput?: true
  /** Whether it is the summary of what was said before. */
  readonly isSummary?: true
  /** How it was sampled, by a seal that the client brought back. Not yet checked to be this message. */
  readonly sampled?: SampledPlace
  /** The tools that a message of the developer's teaches where it stands: they are its text. */
  readonly teaches?: readonly ToolNamespace[]
}

/** Where a message stood in what a seal tells of its response. */
export interface SampledPlace {
  /** Which seal of the request, from 0. */
  readonly seal: number
  /** Its place among the messages that the seal tells of. */
  readonly index: number
  /** Absent where the message is rendered from its item. */
  readonly tokens?: readonly number[]
}

/** How the output of a call reads in the prompt, and what it answers. */
interface Output {
  readonly kind: CallKind
  readonly item: number
  readonly param: string
  readonly text: string
  /** Whether the item does not say what the tool wrote. */
  readonly isMissing?: boolean
}

/** What a client calls and answers, in two items that name each other by `call_id`. */
export type CallKind = 'function call' | 'custom tool call' | 'shell call' | 'local shell call' | 'apply patch call'

/** A call of the client's, and whether its output has come. */
export interface KnownCall {
  readonly kind: CallKind
  readonly callee: Callee
  readonly item: number
  isAnswered: boolean
}

/** The items before those that are read, which were read before. */
export interface ItemsBefore {
  hasId(id: string): boolean
  call(callId: string): Readonly<KnownCall> | undefined
}

/** The author, addressee and channel of a call, from which those of its result follow. */
export interface Callee {
  readonly recipient: string
  readonly channel: 'analysis' | 'commentary'
}

/**
 * The conversation while it is read: messages in the order of the items, and which call an output answers. Calls and
 * outputs come in any order; an output before its call is put after it.
 */
export class Conversation {
  readonly #messages: ReadMessage[] = []
  readonly #calls = new Map<string, KnownCall>()
  /** Outputs whose call has not come yet. */
  readonly #early = new Map<string, Output>()
  readonly #ids = new Set<string>()
  /** What the seals told, and of how many messages each. */
  readonly #forms: { readonly form: SampledForm; readonly count: number }[] = []
  readonly #before: ItemsBefore | undefined

  constructor(before?: ItemsBefore) {
    this.#before = before
  }

  /** The ids of the items that were read. */
  get ids(): ReadonlySet<string> {
    return this.#ids
  }

  /** The calls that were read, and those from before that were answered. */
  get calls(): ReadonlyMap<string, Readonly<KnownCall>> {
    return this.#calls
  }

  /** Whether an output waits for its call. */
  get isEarly(): boolean {
    return this.#early.size > 0
  }

  add(message: ReadMessage): void {
    this.#messages.push(message)
  }

  /** The messages so far, with what the seals told of them. */
  get messages(): ReadMessage[] {
    const messages = [...this.#messages]
    for (const [seal, { form, count }] of this.#forms.entries()) placeMessages(messages, count, seal, form)
    return messages
  }

  /** @throws RequestError if another item has this id */
  claimId(id: string, param: string): void {
    if (this.#ids.has(id) || this.#before?.hasId(id)) throw duplicateItem(id, param)
    this.#ids.add(id)
  }

  /**
   * Adds a call of the client's.
   *
   * @throws RequestError if another call has this id
   */
  call(kind: CallKind, callId: string, callee: Callee, message: PromptMessage, param: string): void {
    if (this.#callOf(callId) !== undefined) throw duplicateItem(callId, `${param}.call_id`)
    this.add(message)
    const early = this.#early.get(callId)
    this.#early.delete(callId)
    const call = { kind, callee, item: message.item as number, isAnswered: false }
    this.#calls.set(callId, call)
    if (early !== undefined) this.#answer(callId, call, early)
  }

  /**
   * Adds the output of a call.
   *
   * @throws RequestError if the call has one already, or is of another kind
   */
  output(callId: string, output: Output): void {
    const call = this.#callOf(callId)
    if (call !== undefined) this.#answer(callId, call, output)
    else if (this.#early.has(callId)) throw duplicateItem(callId, `${output.param}.call_id`)
    else this.#early.set(callId, output)
  }

  /** Takes how the messages before a seal were sampled, of those that the client sent with it. */
  recall(form: SampledForm): void {
    const { replaces = 0 } = form
    this.#forms.length = Math.max(0, this.#forms.length - replaces)
    this.#forms.push({ form, count: this.#messages.length })
  }

  /** Adds the result of a call. */
  result(callee: Callee, text: string, item: number): void {
    this.add(resultMessage(callee, text, item))
  }

  /** @throws RequestError if a call has no output, or an output no call */
  finish(): void {
    for (const [callId, { kind, item, isAnswered }] of this.#calls) {
      if (isAnswered) continue
      throw new RequestError(`No tool output found for ${kind} ${callId}.`, { param: `input[${item}].call_id` })
    }
    for (const [callId, output] of this.#early) throw unmatched(callId, output)
  }

  #callOf(callId: string): KnownCall | undefined {
    const own = this.#calls.get(callId)
    const before = own === undefined ? this.#before?.call(callId) : undefined
    if (before === undefined) return own
    const call = { ...before }
    this.#calls.set(callId, call)
    return call
  }

  #answer(callId: string, call: { kind: CallKind; callee: Callee; isAnswered: boolean }, output: Output): void {
    if (call.kind !== output.kind) throw unmatched(callId, output)
    if (call.isAnswered) throw duplicateItem(callId, `${output.param}.call_id`)
    call.isAnswered = true
    const { text, item, isMissing } = output
    const message = { ...resultMessage(call.callee, text, item), isOutput: true } as const
    this.add(isMissing ? { ...message, missing: 'empty' } : message)
  }
}

/** Says how the first messages were sampled, and where they stand among those that one seal tells of. */
function placeMessages(all: ReadMessage[], count: number, seal: number, { isAlone, messages }: SampledForm): void {
  const places = new Map(messages.map(({ back, isResult }, index) => [`${back} ${isResult}`, index]))
  const furthest = messages.reduce((most, { back }) => Math.max(most, back), -1)
  for (const [at, back] of placesBack(all, isAlone, furthest, count)) {
    const message = all[at] as ReadMessage
    const index = places.get(`${back} ${message.role === 'tool'}`)
    const sampled = index === undefined ? undefined : messages[index]
    if (sampled === undefined || index === undefined) continue
    // What a seal before has told of stands elsewhere, with the ids that it had.
    const tokens = sampled.tokens ?? message.sampled?.tokens
    all[at] = { ...message, sampled: { seal, index, ...(tokens && { tokens }) } }
  }
}

/**
 * The messages from the last one back, by their positions, with how many items lie behind the item of each. Those of an
 * item stand side by side.
 *
 * @param isAlone - whether no message is the sealed item's own, so that the last one's item is the one before it
 * @param count - from which on: how many of the messages stand before
 */
export function* placesBack(
  messages: readonly ReadMessage[],
  isAlone: boolean,
  furthest: number = Number.POSITIVE_INFINITY,
  count: number = messages.length,
): Generator<readonly [at: number, back: number]> {
  let back = isAlone ? 0 : -1
  for (let at = count - 1; at >= 0; at--) {
    if (at === count - 1 || messages[at]?.item !== messages[at + 1]?.item) back += 1
    if (back > furthest) return
    yield [at, back]
  }
}

/** What a tool answers the model: a message of the tool's, to the assistant, in the channel of the call. */
export function resultMessage({ recipient, channel }: Callee, content: string, item?: number): PromptMessage {
  return {
    role: 'tool',
    name: recipient,
    recipient: 'assistant',
    channel,
    content,
    ...(item !== undefined && { item }),
  }
}

function unmatched(callId: string, { kind, param }: Output): RequestError {
  const message = `No tool call found for ${kind} output with call_id ${callId}.`
  return new RequestError(message, { param: `${param}.call_id` })
}
