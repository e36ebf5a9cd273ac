import { type Fields, isFields } from '../../../../shared/fields.js'
import type { Extraneous } from '../../clients/agreement/extraneous.js'
import { TextHash } from '../../clients/text-hash.js'
import type { EventRef } from '../../clients/votes.js'
import { asFields, asList, asString, isIndex } from '../../stream-event.js'
import { callsIn, MAX_CALLS } from '../stream-state.js'
import { ArgumentState } from './ai-sdk/argument-state.js'
import { endingBy } from './finish-reasons.js'

/** A call that a choice asks for. */
export class AgreedChatCall {
  readonly kind: 'function' | 'custom' | 'function_call'
  /** Of `tool_calls`; undefined if it has none that is valid. */
  readonly index: number | undefined
  id = ''
  name = ''
  /** Whether its name came behind its arguments, so that its deltas are out of order. */
  isOutOfOrder = false
  readonly #deltas = new TextHash()
  /** Each second delta, as long as all come twice. */
  #once: TextHash | undefined = new TextHash()
  #last: string | undefined
  /** How many deltas had arguments. */
  #pieces = 0
  /** The chunk that began it. */
  readonly at: EventRef
  readonly #state = new ArgumentState()
  /** Whether the text is the JSON of a string, which may be that of an object. */
  #begin = ''
  /** Its last two letters. */
  #end = ''
  /** Whether a delta has fields instead of a text. */
  #hasFields = false

  constructor(kind: AgreedChatCall['kind'], index: number | undefined, at: EventRef) {
    this.kind = kind
    this.index = index
    this.at = at
  }

  /** Whether it asks for the same as another. */
  says(other: AgreedChatCall): boolean {
    return this.name === other.name && this.arguments.equals(other.arguments)
  }

  append(text: unknown): void {
    this.#hasFields ||= isFields(text)
    // A whole object that is followed by another one was sent again.
    if (typeof text !== 'string' || (this.isWhole && /^\s*\{/.test(text))) return
    this.#count(text)
    this.#deltas.append(text)
    this.#state.append(text)
    this.#end = `${this.#end}${text.trimEnd().slice(-2)}`.trimEnd().slice(-2)
    if (this.#begin.length < 8) this.#begin = `${this.#begin}${text}`.trimStart().slice(0, 8)
  }

  #count(text: string): void {
    if (text === '') return
    this.#pieces++
    if (this.#last === undefined) {
      this.#once?.append(text)
      this.#last = text
    } else {
      if (this.#last !== text) this.#once = undefined
      this.#last = undefined
    }
    if (this.#once === undefined) this.#last = undefined
  }

  /** The arguments; each part once, where all came twice: no object begins with two brackets. */
  get arguments(): TextHash {
    return this.#begin.startsWith('{') && this.#last === undefined ? (this.#once ?? this.#deltas) : this.#deltas
  }

  /** Whether it says anything. */
  get isEmpty(): boolean {
    return this.name === '' && this.id === '' && this.#deltas.length === 0
  }

  /** Takes a name, or a piece of one. */
  takeName(name: string, hasId: boolean): void {
    if (this.name === '' && name !== '' && this.#pieces > 1) this.isOutOfOrder = true
    if (this.name === '') this.name = name
    else if (!hasId && name !== this.#firstName && !this.#isNamed) this.name += name
    this.#firstName ??= name === '' ? undefined : name
    this.#isNamed ||= this.#deltas.length > 0
  }

  #firstName: string | undefined
  /** Whether its name is whole, because arguments came. */
  #isNamed = false

  /** Whether the arguments are a whole object or list. */
  get isWhole(): boolean {
    return this.#state.isWhole
  }

  /** Whether the arguments came to their end, in whatever form. */
  get isComplete(): boolean {
    return this.isWhole || this.#hasFields || (this.isEncodedTwice && this.#end === '}"')
  }

  /** Whether the arguments are JSON that is encoded twice, as far as their beginning shows it. */
  get isEncodedTwice(): boolean {
    return this.kind !== 'custom' && /^"\s*\{/.test(this.#begin)
  }
}

/** The subject of a delta. */
type Subject = 'reasoning' | 'call' | 'text'

/** A value that no client can read. */
interface Unreadable {
  readonly what: string
  readonly got: unknown
  readonly at: EventRef
  /** The kind of text beside it: beside reasoning or calls, some clients show nothing. */
  beside: Subject | undefined
  /** The call that it is part of. */
  readonly call: AgreedChatCall | undefined
}

/** The content of one choice according to the stream, regardless of the client. */
export class AgreedChoice {
  readonly index: number
  readonly text: TextHash = new TextHash()
  readonly refusal: TextHash = new TextHash()
  readonly reasoning: TextHash = new TextHash()
  readonly #all: AgreedChatCall[] = []
  /** Its first finish_reason. */
  finish: string | undefined
  /** The chunk with a second finish_reason, which says something else; undefined if there is none. */
  deniedAt: EventRef | undefined
  /** The subject of the last delta. Most answers begin with reasoning. */
  #said: Subject = 'reasoning'
  /** What came only after the end, because nothing like it came before. */
  #belated: Subject | undefined
  /** How many deltas had a text. */
  #texts = 0
  /** Whether a delta has come. */
  #hasBegun = false
  /** Whether a role has come. */
  #hasRole = false
  #isOver = false
  /** The first place with a value that no client can read. */
  unreadable: Unreadable | undefined
  /** Whether nothing was said yet: no text, no reasoning, no call. */
  isBlank = true
  /** The arguments in the delta that began the last call, until it continues. */
  #begun: unknown
  readonly #byIndex = new Map<number, AgreedChatCall>()

  constructor(index: number) {
    this.index = index
  }

  /** Its calls. A function_call that repeats one of tool_calls, for clients of the older API, is no other. */
  get calls(): readonly AgreedChatCall[] {
    const all = this.#all.filter(({ isEmpty }) => !isEmpty)
    const [old] = all.filter(({ kind }) => kind === 'function_call')
    const isAgain = all.some((one) => old !== undefined && one !== old && one.says(old))
    return isAgain ? all.filter((one) => one !== old) : all
  }

  /** Whether a call was cut off with the answer, so that no client can run it. */
  isCut(call: AgreedChatCall | undefined): boolean {
    return endingBy(this.finish) === 'incomplete' && call?.isComplete === false && call === this.calls.at(-1)
  }

  /**
   * Takes a choice of a chunk.
   *
   * @param isSettled - whether the token counts have come, so that the answer ends with its finish_reason
   * @returns the extraneous: a part that does not belong to the intended answer
   */
  take(choice: Fields, at: EventRef, isSettled: boolean): Extraneous | undefined {
    const delta = asFields(choice['delta'])
    const { finish_reason: reason } = choice
    const hasRole = asString(delta['role']) !== ''
    if (this.finish !== undefined && hasRole && this.#hasRole) this.#isOver = true
    this.#hasRole ||= hasRole
    if (this.#isOver) return { why: 'repeated', at, ...nameIn(delta) }
    if (this.finish !== undefined && isSettled && !this.#isBelated(saidIn(delta)))
      return saidIn(delta) === undefined ? undefined : { why: 'late', at, ...nameIn(delta) }
    const hasReason = typeof reason === 'string' && reason !== ''
    // The first delta has the role alone.
    if (!isFields(choice['delta']) && !hasReason && this.#hasBegun) {
      this.#lost('a delta as an object', choice['delta'], at, this.#said === 'text' ? undefined : this.#said)
    } else if (this.unreadable !== undefined) this.unreadable.beside ??= saidIn(delta)
    this.#hasBegun = true
    const said = saidIn(delta)
    this.#said = said ?? this.#said
    this.isBlank &&= !hasReason && said === undefined
    const extraneous = this.#calls(delta, at)
    this.#thoughts(delta)
    const text = textIn(choice)
    if (this.#isAllAgain(text)) return extraneous ?? { why: 'repeated', at }
    this.text.append(text)
    if (text !== '') this.#texts++
    if (hasReason && this.finish !== undefined && reason !== this.finish) this.deniedAt ??= at
    if (hasReason && endingBy(this.finish) === 'open') this.finish = reason
    return extraneous
  }

  #lost(what: string, got: unknown, at: EventRef, beside?: Subject, call?: AgreedChatCall): void {
    this.unreadable ??= { what, got, at, beside, call }
  }

  /** Whether the answer had none of this before its end, so that it came too late, and is no other answer. */
  #isBelated(said: Subject | undefined): boolean {
    if (said === undefined || said === this.#belated) return said !== undefined
    const hasText = this.text.length + this.refusal.length > 0
    const isFirst =
      said === 'reasoning'
        ? this.reasoning.length === 0
        : this.calls.length === 0 && (said === 'call' ? this.finish !== 'stop' : !hasText)
    if (isFirst) this.#belated = said
    return isFirst
  }

  /** Whether a delta has all of the text so far, which some servers send again at the end. */
  #isAllAgain(text: string): boolean {
    const isLong = this.#texts > 1 || text.length >= LONG
    return text !== '' && text.length === this.text.length && isLong && this.text.equals(TextHash.of(text))
  }

  #thoughts({ content, refusal, reasoning_content, reasoning }: Fields): void {
    if (typeof content !== 'string') for (const thought of thoughtsOf(content)) this.reasoning.append(thought)
    if (typeof refusal === 'string') this.refusal.append(refusal)
    this.reasoning.append(asString(reasoning_content) || asString(reasoning))
  }

  #calls(delta: Fields, at: EventRef): Extraneous | undefined {
    let extraneous: Extraneous | undefined
    for (const one of callsIn(delta)) {
      const known = this.#callOf(one)
      const call = known ?? this.#begin(one, at)
      if (call === undefined) {
        extraneous ??= { why: 'late', at, ...nameIn(delta) }
        continue
      }
      const { custom, function: named } = one
      const own = call.kind === 'custom' ? (custom ?? named) : (named ?? custom)
      const body = asFields(own)
      const given = body['arguments'] ?? body['input']
      if (known !== undefined && asString(one['id']) !== '' && given === this.#begun) {
        extraneous ??= { why: 'repeated', at, ...nameIn(delta) }
        continue
      }
      this.#begun = known === undefined && given !== '' ? given : undefined
      if (!isFields(own)) this.#lost('function in a call', own, at, 'call', call)
      call.id ||= asString(one['id'])
      if (!isTextOrNone(given)) this.#lost('arguments as a text', given, at, 'call', call)
      call.takeName(asString(body['name']), asString(one['id']) !== '')
      call.append(given)
    }
    const { function_call: old } = delta
    if (old && !isFields(old)) this.#lost('function_call as an object', old, at, 'call')
    if (isFields(old)) {
      let call = this.#all.find(({ kind }) => kind === 'function_call')
      if (call === undefined) {
        call = new AgreedChatCall('function_call', undefined, at)
        this.#all.push(call)
      }
      call.takeName(asString(old['name']), false)
      call.append(old['arguments'])
    }
    return extraneous
  }

  /** Returns the call that a delta continues; undefined if it begins one. */
  #callOf(delta: Fields): AgreedChatCall | undefined {
    const { index, id } = delta
    const hasName = asString(bodyOf(delta)['name']) !== ''
    const isNamed = asString(id) !== '' || hasName
    const known = isIndex(index, MAX_CALLS) ? this.#byIndex.get(index) : undefined
    const last = this.#all.at(-1)
    // A delta at a new index that begins no call goes on with the one that is open.
    if (!isNamed) return known ?? (isIndex(index, MAX_CALLS) && last?.isWhole === true ? undefined : last)
    // Servers that give all calls one index name each of them.
    const isOther = asString(id) !== '' && known?.id !== '' && id !== known?.id && hasName
    return isOther ? undefined : known
  }

  /** Begins a call, unless the choice has ended without any. */
  #begin(delta: Fields, at: EventRef): AgreedChatCall | undefined {
    const { index, custom, function: named } = delta
    const isWithout = this.finish === 'stop' && this.#all.length === 0
    if (isWithout || this.#all.length >= MAX_CALLS) return undefined
    const isCustom = delta['type'] === 'custom' || (custom !== undefined && named === undefined)
    const call = new AgreedChatCall(isCustom ? 'custom' : 'function', isIndex(index, MAX_CALLS) ? index : undefined, at)
    this.#all.push(call)
    if (call.index !== undefined) this.#byIndex.set(call.index, call)
    return call
  }
}

/** A text of that length, in UTF-16 code units, hardly follows itself. */
const LONG = 16

const isTextOrNone = (value: unknown): boolean => value === undefined || value === null || typeof value === 'string'

const bodyOf = ({ type, function: named, custom }: Fields): Fields =>
  asFields(type === 'custom' ? (custom ?? named) : (named ?? custom))

/** The text of a choice: in its delta, or where an unstreamed answer or the older API has it. */
export function textIn({ delta, message, text }: Fields): string {
  if (!isFields(delta)) return textsOf(asFields(message)['content'] ?? text).join('')
  const { content } = delta
  // Almost every chunk has a text.
  if (typeof content === 'string' && content !== '') return content
  return saidIn(delta) === undefined ? asString(text) : textsOf(content).join('')
}

/** The reasoning in content that is a list of parts. */
const thoughtsOf = (content: unknown): readonly string[] =>
  asList(content)
    .map(asFields)
    .flatMap(({ type, thinking }) => (type === 'thinking' ? textsOf(thinking) : []))

/** The texts of content, which some servers send as a list of parts. */
function textsOf(content: unknown): readonly string[] {
  if (typeof content === 'string') return [content]
  return asList(content)
    .map(asFields)
    .filter(({ type }) => type === 'text')
    .map(({ text }) => asString(text))
}

function saidIn(delta: Fields): Subject | undefined {
  const { content, refusal, reasoning_content, reasoning, tool_calls, function_call } = delta
  if (asList(tool_calls).length > 0 || isFields(function_call)) return 'call'
  if (textsOf(content).join('') !== '' || asString(refusal) !== '') return 'text'
  return (asString(reasoning_content) || asString(reasoning) || thoughtsOf(content).join('')) === ''
    ? undefined
    : 'reasoning'
}

function nameIn(delta: Fields): { readonly name?: string } {
  const [call] = callsIn(delta)
  const name = asString(bodyOf(call ?? {})['name']) || asString(asFields(delta['function_call'])['name'])
  return name === '' ? {} : { name }
}
