import { duplicateItem, RequestError } from '../../shared/request-error.js'
import type { PromptMessage } from './prompt-message.js'
import type { SampledForm } from './sampled-form.js'
import type { ToolNamespace } from './tool-namespace.js'

/** A message during reading. */
export interface ReadMessage extends PromptMessage {
  /**
   * Its item lacks its text, which the history may have. Without a history entry, the message is omitted or left empty.
   */
  readonly missing?: 'omitted' | 'empty'
  /** A message of the assistant that the client does not mark as an answer or a preamble. */
  readonly hasNoPhase?: true
  /** The item of the call whose result it is, if it came after the response with the call. */
  readonly answers?: number
  /** Whether such a result is the client's; otherwise the host ran the call, once it was approved. */
  readonly isOutput?: true
  /** Whether the client sent no such result, and this one says so. */
  readonly isImplied?: true
  /** Whether it is a call whose result the model will read, but which is still to be run. */
  readonly isPending?: true
  /** The item of the pending call whose result it has to follow. */
  readonly behind?: number
  /** Whether it is the summary of an earlier part of the conversation. */
  readonly isSummary?: true
  /** How it was sampled, according to a seal that the client brought back. Not yet verified to be this message. */
  readonly sampled?: SampledPlace
  /** The tools that a developer message teaches in the middle of the conversation, as its text. */
  readonly teaches?: readonly ToolNamespace[]
}

/** The place of a message in a seal's record of its response. */
export interface SampledPlace {
  /** The index of the seal in the request. */
  readonly seal: number
  /** Its index among the messages that the seal records. */
  readonly index: number
  /** Absent if the message is rendered from its item. */
  readonly tokens?: readonly number[]
}

/** The output of a call as the prompt shows it, and the call that it answers. */
interface Output {
  readonly kind: CallKind
  readonly item: number
  readonly param: string
  readonly text: string
  /** Whether the item lacks the tool's output. */
  readonly isMissing?: boolean
}

/** The calls that a client answers by an item with the same `call_id`. */
export type CallKind = 'function call' | 'custom tool call' | 'shell call' | 'local shell call' | 'apply patch call'

/** A call to the client, and whether it has its output. */
export interface KnownCall {
  readonly kind: CallKind
  readonly callee: Callee
  readonly item: number
  /** How many messages of the user came before it. */
  readonly turn: number
  isAnswered: boolean
  /** The item of its output, if it has one. */
  output?: number
}

/** Facts about items that were read earlier. */
export interface ItemsBefore {
  /** The number of messages of the user. */
  readonly turns: number
  /** Returns the item with an id. */
  itemOf(id: string): number | undefined
  call(callId: string): Readonly<KnownCall> | undefined
}

/** The author, addressee and channel of a call, which determine those of its result. */
export interface Callee {
  readonly recipient: string
  readonly channel: 'analysis' | 'commentary'
}

/**
 * The conversation during reading: messages in the order of the items, and the call that each output answers. Calls and
 * outputs may come in any order; an output that precedes its call is moved behind it.
 */
export class Conversation {
  readonly #messages: ReadMessage[] = []
  readonly #calls = new Map<string, KnownCall>()
  /** Outputs whose call has not been read yet. */
  readonly #early = new Map<string, Output>()
  /** The items that have them. */
  readonly #ids = new Map<string, number>()
  /** The records of the seals, and the number of messages that each covers. */
  readonly #forms: { readonly form: SampledForm; readonly count: number }[] = []
  readonly #before: ItemsBefore | undefined
  #turns: number

  constructor(before?: ItemsBefore) {
    this.#before = before
    this.#turns = before?.turns ?? 0
  }

  get turns(): number {
    return this.#turns
  }

  /** The ids of the items read so far. */
  get ids(): ReadonlyMap<string, number> {
    return this.#ids
  }

  /** The calls read so far, and answered ones from before. */
  get calls(): ReadonlyMap<string, Readonly<KnownCall>> {
    return this.#calls
  }

  /** Whether an output waits for its call. */
  get isEarly(): boolean {
    return this.#early.size > 0
  }

  add(message: ReadMessage): void {
    if (message.role === 'user') this.#turns += 1
    this.#messages.push(message)
  }

  /** The messages so far, each with its seal's record. */
  get messages(): ReadMessage[] {
    const messages = [...this.#messages]
    for (const [seal, { form, count }] of this.#forms.entries()) placeMessages(messages, count, seal, form)
    return messages
  }

  /** @throws RequestError if another item has this id */
  claimId(id: string, item: number, param: string): void {
    if (this.itemOf(id) !== undefined) throw duplicateItem(id, param)
    this.#ids.set(id, item)
  }

  /** Returns the item with an id. */
  itemOf(id: string): number | undefined {
    return this.#ids.get(id) ?? this.#before?.itemOf(id)
  }

  /** Returns the item of a call that another one would repeat: clients may begin their ids anew with the user's next message. */
  repeatedCall(callId: string): number | undefined {
    const call = this.#callOf(callId)
    return call === undefined || this.#isPast(call) ? undefined : call.item
  }

  /** Returns the item of the output that a call has, or that waits for its call. */
  outputOf(callId: string): number | undefined {
    return this.#early.get(callId)?.item ?? this.#callOf(callId)?.output
  }

  /**
   * Adds a call to the client.
   *
   * @throws RequestError if another call has this id, unless it has its output and the user has written since then
   */
  call(kind: CallKind, callId: string, callee: Callee, message: PromptMessage, param: string): void {
    const known = this.#callOf(callId)
    if (known !== undefined && !this.#isPast(known)) throw duplicateItem(callId, `${param}.call_id`)
    this.add(message)
    const early = this.#early.get(callId)
    this.#early.delete(callId)
    const call: KnownCall = { kind, callee, item: message.item as number, turn: this.#turns, isAnswered: false }
    this.#calls.set(callId, call)
    if (early !== undefined) this.#answer(callId, call, early)
  }

  /**
   * Adds the output of a call.
   *
   * @throws RequestError if the call already has one, or is of another kind
   */
  output(callId: string, output: Output): void {
    const call = this.#callOf(callId)
    if (call !== undefined) this.#answer(callId, call, output)
    else if (this.#early.has(callId)) throw duplicateItem(callId, `${output.param}.call_id`)
    else this.#early.set(callId, output)
  }

  /** Records how the messages before a seal were sampled, for those that the client sent with it. */
  recall(form: SampledForm): void {
    const { replaces = 0 } = form
    this.#forms.length = Math.max(0, this.#forms.length - replaces)
    this.#forms.push({ form, count: this.#messages.length })
  }

  /** Adds the result of a call. @param late - if it came after the response with the call */
  result(
    callee: Callee,
    text: string,
    item: number,
    late: Pick<ReadMessage, 'answers' | 'isOutput' | 'isImplied'> = {},
  ): void {
    this.add({ ...resultMessage(callee, text, item), ...late })
  }

  /** @throws RequestError if a call has no output, or an output no call */
  finish(): void {
    for (const [callId, { kind, item, isAnswered }] of this.#calls) {
      if (isAnswered) continue
      throw new RequestError(`No tool output found for ${kind} ${callId}.`, { param: `input[${item}].call_id` })
    }
    for (const [callId, output] of this.#early) throw unmatched(callId, output)
  }

  #isPast({ isAnswered, turn }: Readonly<KnownCall>): boolean {
    return isAnswered && turn < this.#turns
  }

  #callOf(callId: string): KnownCall | undefined {
    const own = this.#calls.get(callId)
    const before = own === undefined ? this.#before?.call(callId) : undefined
    if (before === undefined) return own
    const call = { ...before }
    this.#calls.set(callId, call)
    return call
  }

  #answer(callId: string, call: KnownCall, output: Output): void {
    if (call.kind !== output.kind) throw unmatched(callId, output)
    if (call.isAnswered) throw duplicateItem(callId, `${output.param}.call_id`)
    call.isAnswered = true
    call.output = output.item
    const { text, item, isMissing } = output
    const message = { ...resultMessage(call.callee, text, item), answers: call.item, isOutput: true } as const
    this.add(isMissing ? { ...message, missing: 'empty' } : message)
  }
}

/** Records how the first messages were sampled, and their places in one seal's record. */
function placeMessages(all: ReadMessage[], count: number, seal: number, { isAlone, messages }: SampledForm): void {
  const places = new Map(messages.map(({ back, isResult }, index) => [`${back} ${isResult}`, index]))
  const furthest = messages.reduce((max, { back }) => Math.max(max, back), -1)
  for (const [at, back] of placesBack(all, isAlone, furthest, count)) {
    const message = all[at] as ReadMessage
    const index = places.get(`${back} ${message.role === 'tool'}`)
    const sampled = index === undefined ? undefined : messages[index]
    if (sampled === undefined || index === undefined) continue
    // A message that an earlier seal records keeps its ids at its new place.
    const tokens = sampled.tokens ?? message.sampled?.tokens
    all[at] = { ...message, sampled: { seal, index, ...(tokens && { tokens }) } }
  }
}

/**
 * Yields the messages from the last one back, by index, with the number of items behind each message's item. Messages
 * of one item are adjacent.
 *
 * @param isAlone - whether the sealed item has no message of its own, so that the last message belongs to the item
 * before it
 * @param count - how many messages precede the seal
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

/** Returns a tool's answer to the model: a message from the tool to the assistant, in the channel of the call. */
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
