import { type Fields, isFields } from '../../../../shared/fields.js'
import { type Extraneous, ExtraneousList } from '../../clients/agreement/extraneous.js'
import type { Ending } from '../../clients/client.js'
import type { StreamAgreement } from '../../clients/run.js'
import { TextHash } from '../../clients/text-hash.js'
import type { EventRef } from '../../clients/votes.js'
import { asFields, asList, asString, lookUp } from '../../stream-event.js'
import { MESSAGE_EVENT_TYPES } from '../event-schema.js'
import { hasProgramCalls } from '../message-state.js'
import { AgreedBlock, type BlockKind, blockKindOf, nameIn, type Unreadable } from './agreed-block.js'
import { isCitation, pageIn } from './citation.js'
import { messageIn } from './error-message.js'
import { endingBy } from './stop-reasons.js'

/** The number of remembered blocks: more than any model writes in one answer. */
const MAX_BLOCKS = 10_000

/** The field of each delta with content, and its kind. */
const DELTAS: Readonly<Record<string, { readonly field: string; readonly kind: BlockKind }>> = {
  text_delta: { field: 'text', kind: 'text' },
  thinking_delta: { field: 'thinking', kind: 'thinking' },
  input_json_delta: { field: 'partial_json', kind: 'call' },
  citations_delta: { field: 'citation', kind: 'text' },
}

/**
 * The content of a stream of the Messages API as a whole, regardless of the client. It states everything once: the
 * content of a lost delta cannot be recovered. What can be determined is what belongs together:
 *
 * - A delta without a valid index belongs to the block that is open; one whose type does not fit its block is a
 *   separate block. The fields of a block with an unknown type decide its kind.
 * - A delta that no client can read counts as content, unless it may have been a signature.
 * - A block that begins again while it is open, a repeated message_start, and events after message_stop do not count;
 *   nor does a message with another id, up to its message_stop. Events after a message_stop that came before the
 *   stop_reason count: the message_stop came too soon; so do the deltas of a block that has none before message_stop.
 *
 * Work for each event is constant. It keeps hashes instead of texts, and of calls the input. Read it after the last
 * event.
 */
export class MessagesAgreement implements StreamAgreement<unknown> {
  readonly #blocks: AgreedBlock[] = []
  readonly #extraneous = new ExtraneousList()
  readonly streamed: TextHash = new TextHash()
  readonly thought: TextHash = new TextHash()
  #open: AgreedBlock | undefined
  #id: string | undefined
  #hasStart = false
  /** Whether message_start came twice, as all events may have. */
  #isRepeated = false
  /** Whether a delta has another index than its block. */
  #isMisnumbered = false
  /** The indexes of input that came before the block of this index. */
  readonly #early = new Set<unknown>()
  /** A message_start of another message came: `begins` until its first block proves that the message follows. */
  #foreign: 'begins' | 'continues' | undefined
  #isOver = false
  /** The blocks whose deltas came only after message_stop. */
  readonly #belated = new Set<AgreedBlock>()
  /** Whether the server ran tools of its own. */
  #hasServed = false
  #reason: string | undefined
  #otherReason: string | undefined
  #failure: { readonly message: string } | undefined
  #unreadable: Unreadable | undefined
  /** A delta in a thinking block that no client can read: if no signature follows, it may have been the signature. */
  #unsure: Unreadable | undefined
  take(event: unknown, position: number): void {
    const type = isFields(event) ? asString(event['type']) : ''
    const at = { position, type }
    // A value that is not an object has no content.
    if (!isFields(event) || type === 'ping') return
    if (this.#foreign === 'begins') {
      const isAnother = type === 'content_block_start' && event['index'] === 0 && this.#blocks.length > 0
      this.#foreign = isAnother || this.#isOver ? 'continues' : undefined
    }
    if (this.#foreign !== undefined) {
      this.#extraneous.add({ why: 'foreign', at, ...calledIn(event) })
      if (type === 'message_stop') this.#foreign = undefined
      return
    }
    if (type === 'message_start') this.#start(event, at)
    else if (this.#isOver && type === 'content_block_start' && this.#beginsLate(event)) return
    else if (this.#isOver && !this.#isBelated(type, event)) {
      if (MESSAGE_EVENT_TYPES.has(type)) this.#extraneous.add({ why: 'late', at, ...calledIn(event) })
    } else this.#takeOpen(type, event, at)
  }

  end(): void {
    this.#settle()
  }

  /** The blocks by their indexes or, if these are useless, in the order of the stream. */
  get #inOrder(): readonly AgreedBlock[] {
    const indexes = new Set(this.#blocks.map(({ index }) => index))
    const isTold = !this.#isMisnumbered && indexes.size === this.#blocks.length && [...indexes].every(Number.isInteger)
    return isTold ? [...this.#blocks].sort((one, other) => Number(one.index) - Number(other.index)) : this.#blocks
  }

  /** The calls for the client's tools. */
  get calls(): readonly AgreedBlock[] {
    // Deltas without a start may belong to a call of the server's.
    const isOfClient = this.#reason === 'tool_use' || (this.ending === 'incomplete' && !this.#hasServed)
    return this.#inOrder.filter(({ kind, hasStart }) => kind === 'call' && (hasStart || isOfClient))
  }

  textOf(kind: 'text' | 'thinking'): TextHash {
    return TextHash.joined(this.#inOrder.filter((block) => block.kind === kind).map(({ text }) => text))
  }

  /** The pages that its text cites. */
  get citations(): readonly string[] {
    return this.#inOrder.flatMap(({ kind, pages }) => (kind === 'text' ? pages : []))
  }

  /** Whether a call was cut off: its client may or may not have it. */
  isCut(call: AgreedBlock): boolean {
    return !call.isStopped && !call.isFollowed && this.ending !== 'completed'
  }

  /** The extraneous parts of the stream; only the first few. */
  get extraneous(): readonly Extraneous[] {
    return this.#extraneous.all
  }

  /** The ending of the answer; undefined if the stream states none. */
  get ending(): Exclude<Ending, 'threw' | 'open'> | undefined {
    if (this.#failure !== undefined) return 'failed'
    const ending = endingBy(this.#reason)
    return ending === 'completed' || ending === 'incomplete' ? ending : undefined
  }

  /** A stop_reason that contradicts the last one; undefined if there is none. */
  get otherReason(): string | undefined {
    return this.#otherReason
  }

  /** Its stop_reason: the last one. */
  get reason(): string | undefined {
    return this.#reason
  }

  /** The server's message, if there is an error in the stream. */
  get errorMessage(): string | undefined {
    return this.#failure?.message
  }

  /** The first value that no client can read. */
  get unreadable(): Unreadable | undefined {
    return this.#unreadable
  }

  /** Takes the start of a block that has come without one. Returns whether it is that. */
  #beginsLate({ index, content_block: given }: Fields): boolean {
    const [block, start] = [this.#at(index), asFields(given)]
    const isOwn = block?.hasStart === false && block.kind === blockKindOf(start)
    if (isOwn) block.begin(start)
    return isOwn
  }

  /** Whether a block has only these deltas, so that they came too late. */
  #isBelated(type: string, { index }: Fields): boolean {
    const block = type === 'content_block_delta' ? this.#at(index) : undefined
    if (block?.isBare === true) this.#belated.add(block)
    return block !== undefined && this.#belated.has(block)
  }

  /** Takes a delta that no client can read. Its fields and its block decide whether it had content. */
  #maybe(what: string, got: unknown, delta: unknown, index: unknown, at: EventRef): void {
    const { text, thinking, partial_json, input, signature } = asFields(delta)
    const said = saidIn(delta)
    const isEmpty = said.length > 0 && said.every((one) => one === '' || one === '{}')
    if (signature !== undefined || isEmpty) return
    const lost = { what, got, at }
    const block = this.#at(index) ?? this.#open
    if (block?.kind === 'call')
      block.lose(
        lost,
        [partial_json, input].some((one) => typeof one === 'string'),
      )
    else if (block?.kind === 'text' || (text ?? thinking) !== undefined) this.#unreadable ??= lost
    else if (block?.kind === 'thinking') this.#unsure ??= lost
  }

  /** The event after an unreadable delta shows that it was not the signature. */
  #sure(): void {
    this.#unreadable ??= this.#unsure
    this.#unsure = undefined
  }

  #start({ message }: Fields, at: EventRef): void {
    const id = asString(asFields(message)['id'])
    if (!this.#hasStart) {
      this.#hasStart = true
      this.#id = id
      this.#prefilled(asFields(message), at)
      return
    }
    const isForeign = id !== this.#id
    this.#isRepeated ||= !isForeign && this.#blocks.length === 0
    if (isForeign) this.#foreign = 'begins'
    this.#extraneous.add({ why: isForeign ? 'foreign' : 'repeated', at })
  }

  /** Takes what stands in the message already: the calls that a program of the model made, which are whole. */
  #prefilled({ content, stop_reason: reason }: Fields, at: EventRef): void {
    if (!hasProgramCalls(content)) return
    for (const block of asList(content).map(asFields)) {
      const whole = new AgreedBlock('call', this.#blocks.length, at, block)
      this.#add(whole)
      this.#settle()
      whole.isStopped = true
    }
    this.#end(reason)
  }

  #takeOpen(type: string, event: Fields, at: EventRef): void {
    switch (type) {
      case 'content_block_start':
        this.#begin(event, at)
        break
      case 'content_block_delta':
        this.#delta(event, at)
        break
      case 'content_block_stop':
        this.#stop(at)
        break
      case 'message_delta':
        this.#end(asFields(event['delta'])['stop_reason'])
        break
      case 'message_stop':
        // Where a block is open, it came too soon.
        this.#isOver = this.#reason !== undefined && this.#open === undefined
        break
      case 'error':
        this.#failure ??= { message: messageIn(event).slice(0, 1000) }
        break
      default:
        // An event that clients do not know may be a new one of the API, or one of another API.
        if (isFields(event['delta']) && 'index' in event)
          this.#maybe('an event of the Messages API', event['type'], event['delta'], event['index'], at)
    }
  }

  #stop(at: EventRef): void {
    const block = this.#settle()
    if (block === undefined) return
    block.isStopped = true
    const isAgain = this.#blocks.some((one) => one !== block && one.index === block.index && one.says(block))
    if (!isAgain || (block.kind !== 'call' && block.text.length === 0)) return
    const place = this.#blocks.indexOf(block)
    if (place >= 0) this.#blocks.splice(place, 1)
    this.#extraneous.add({ why: 'repeated', at, ...(block.name === '' ? {} : { name: block.name }) })
  }

  #end(reason: unknown): void {
    const isKnown = endingBy(this.#reason) !== 'open'
    if (typeof reason !== 'string' || (isKnown && endingBy(reason) === 'open')) return
    const isOther =
      endingBy(reason) !== endingBy(this.#reason) || (reason === 'tool_use') !== (this.#reason === 'tool_use')
    if (isKnown && isOther) this.#otherReason = this.#reason
    this.#reason = reason
    // An error before it did not end the answer.
    this.#failure = undefined
  }

  #begin({ index, content_block: given }: Fields, at: EventRef): void {
    const block = asFields(given)
    const open = this.#open
    const isAgain = open !== undefined && open.index === index && open.id === asString(block['id'])
    const kind = blockKindOf(block)
    if (kind === undefined) {
      this.#settle()
      return
    }
    const begun = new AgreedBlock(kind, index, at, block)
    begun.isOutOfOrder = kind === 'call' && this.#early.has(index)
    if (isAgain && open.kind === begun.kind && open.name === begun.name) {
      this.#extraneous.add({ why: 'repeated', at, ...calledIn({ content_block: given }) })
      open.isDoubled = this.#isRepeated
      return
    }
    this.#settle()
    this.#hasServed ||= kind === 'other' && (block['tool_use_id'] !== undefined || nameIn(block) !== '')
    const last = this.#blocks.at(-1)
    // A call without a start that gets a result here is one that the server ran.
    if (block['tool_use_id'] !== undefined && last?.hasStart === false && last.kind === 'call') last.kind = 'other'
    this.#add(begun)
  }

  /** Ends the open block, and interprets its deltas. */
  #settle(): AgreedBlock | undefined {
    const block = this.#open
    this.#open = undefined
    this.#unsure = undefined
    const own = block?.settle()
    const at = block === undefined ? -1 : this.#blocks.indexOf(block)
    if (own !== undefined && at >= 0) this.#blocks.splice(at + 1, 0, own)
    return block
  }

  #add(block: AgreedBlock): void {
    const last = this.#blocks.at(-1)
    if (last !== undefined) last.isFollowed = true
    if (this.#blocks.length < MAX_BLOCKS) this.#blocks.push(block)
    this.#open = block
  }

  #delta({ index, delta: given }: Fields, at: EventRef): void {
    const delta = asFields(given)
    const { type } = delta
    const known = typeof type === 'string' ? lookUp(DELTAS, type) : undefined
    const of = this.#at(index) ?? this.#open
    // No client shows the input of a call that the server ran, or passes it to a tool.
    const isOpen = of?.isStopped === false || this.#open === undefined
    if (of?.kind === 'other' && isOpen && (known?.kind === 'call' || (of.name !== '' && !of.hasProse(delta)))) return
    if (type === 'signature_delta' || known?.kind === 'thinking') this.#sure()
    if (type === 'signature_delta' && of !== undefined && !of.isStopped) of.hasSignature = true
    if (known === undefined) {
      if (type !== 'signature_delta')
        this.#maybe('a delta with a type', type === undefined ? given : type, given, index, at)
      return
    }
    if (type === 'citations_delta') {
      const { citation } = delta
      const page = pageIn(citation)
      if (page !== undefined) this.#blockFor(known.kind, of, index, at).cite(page)
      else if (!isCitation(citation)) this.#unreadable ??= { what: 'a citation with a type', got: citation, at }
      return
    }
    const text = textIn(delta[known.field])
    if (typeof text !== 'string') this.#maybe(`${known.field} in a ${String(type)}`, text, delta, index, at)
    if (typeof text !== 'string' || text === '') return
    const block = this.#blockFor(known.kind, of, index, at)
    block.append(text)
    if (block === of?.stray) return
    if (known.kind === 'text') this.streamed.append(text)
    if (known.kind === 'thinking') this.thought.append(text)
  }

  /** The block that takes a delta: that which it belongs to, or its stray deltas if their kinds differ. */
  #blockFor(kind: BlockKind, of: AgreedBlock | undefined, index: unknown, at: EventRef): AgreedBlock {
    if (of?.hasStart !== true || of !== this.#open || of.kind === kind || of.kind === 'other')
      return this.#ofKind(kind, index, at)
    of.stray ??= new AgreedBlock(kind, index, at)
    return of.stray
  }

  /** The block that a delta belongs to. */
  #ofKind(kind: BlockKind, index: unknown, at: EventRef): AgreedBlock {
    const fits = (block: AgreedBlock | undefined): block is AgreedBlock => block?.kind === kind
    const [open, byIndex] = [this.#open, this.#at(index)]
    if (fits(byIndex) && !byIndex.isStopped) return byIndex
    if (fits(open)) {
      if (open.index !== index) {
        this.#isMisnumbered = true
        if (kind === 'call' && this.#early.size < MAX_BLOCKS) this.#early.add(index)
      }
      return open
    }
    if (fits(byIndex)) return byIndex
    const last = this.#blocks.findLast(fits)
    // Input at an index of its own is that of a call whose start was lost.
    const isOwn = kind === 'call' && byIndex === undefined && Number.isInteger(index)
    if (last !== undefined && open === undefined && !isOwn) return last
    this.#settle()
    const own = new AgreedBlock(kind, index, at)
    this.#add(own)
    return own
  }

  /** The last block that began at an index. */
  #at(index: unknown): AgreedBlock | undefined {
    return this.#open?.index === index ? this.#open : this.#blocks.findLast((block) => block.index === index)
  }
}

/** A text; one in a list is a text as well, as JavaScript appends it. */
const textIn = (value: unknown): unknown => (Array.isArray(value) && value.length === 1 ? value[0] : value)

/** The texts in a delta, whatever their names, and also in one that is in a list. */
const saidIn = (delta: unknown): readonly unknown[] =>
  (Array.isArray(delta) ? delta : [delta]).flatMap((one) =>
    isFields(one)
      ? Object.entries(one)
          .filter(([name, value]) => name !== 'type' && typeof value === 'string')
          .map(([, value]) => value)
      : [one],
  )

function calledIn({ content_block: block }: Fields): { readonly name?: string } {
  const name = nameIn(asFields(block))
  return name === '' ? {} : { name }
}
