import { HarmonyResponsesError } from '../../shared/errors.js'
import { type HarmonyHeader, type Origin, type Role, repair, type Terminator } from './events.js'
import type { HarmonyHandler } from './handler.js'
import type { HarmonyParser, ParserPosition } from './parser.js'
import { createPrefillFilter, type PrefillFilter } from './prefill-filter.js'
import { SPECIAL } from './vocabulary.js'

/**
 * The part of the official parser that this adapter calls: the interface that its wasm build (`JsStreamableParser` of
 * npm's `openai-harmony`) and its Python and Rust forms share. It has to be created for role `assistant`.
 */
export interface OfficialStreamableParser {
  /** Throws if it refuses the token; the wasm build throws a string. */
  process(token: number): unknown
  /** JSON. While a message is open, it holds the header. */
  readonly state: string
  /** JSON: the closed messages. */
  readonly messages: string
  /** The text of the open message so far. */
  readonly currentContent: string
  /** The text that the last token added to the content; empty or null if none. */
  readonly lastContentDelta: string | null | undefined
  /** Frees the memory of the wasm build; the other forms lack it. */
  free?(): void
}

/** The parsed `state`. */
interface OfficialState {
  readonly state: string
  readonly header?: {
    readonly author: { readonly role: Role; readonly name?: string | null }
    readonly recipient?: string | null
    readonly channel?: string | null
    readonly content_type?: string | null
  }
}

const TERMINATORS: ReadonlyMap<number, Terminator> = new Map([
  [SPECIAL.end, 'end'],
  [SPECIAL.call, 'call'],
  [SPECIAL.return, 'return'],
])

/**
 * Replaces the native parser by the official one: `new Translator({ parser: officialParser(create) })`.
 *
 * It recovers from nothing that the official parser rejects: a malformed header loses its message, with a
 * `refused_token` repair. It takes token ids only, and its state cannot be snapshotted.
 *
 * @param create - creates a parser with role `assistant`. Called at the first token of every turn, and for tokens after
 * the end of a turn; each parser is freed once, before the next one is created or when the response has ended.
 *
 * @example
 * ```ts
 * import { Translator } from 'harmony-responses'
 * import { type OfficialStreamableParser, officialParser } from 'harmony-responses/harmony'
 *
 * // `create` makes a parser of the official package: () => new StreamableParser(encoding, 'assistant')
 * function translatorOf(create: () => OfficialStreamableParser): Translator {
 *   return new Translator({ request, parser: officialParser(create) })
 * }
 * ```
 */
export function officialParser(create: () => OfficialStreamableParser): (handler: HarmonyHandler) => HarmonyParser {
  return (handler) => new OfficialAdapter(create, handler)
}

class OfficialAdapter implements HarmonyParser {
  readonly #create: () => OfficialStreamableParser
  readonly #handler: HarmonyHandler
  readonly #message: PrefillFilter
  /** Created at the first token: a parser that is never used need not be freed. */
  #official: OfficialStreamableParser | undefined
  #mode: ParserPosition = 'header'
  /** Whether the model wrote any of the header. */
  #sampled = false
  #origin: Origin = 'model'
  /** How many UTF-16 units of the content were emitted. The last delta of a message is only in its complete content. */
  #emitted = 0
  /** The error that broke the official parser, kept until the next turn. */
  #failure: { readonly error: unknown } | undefined
  #isClosed = false

  constructor(create: () => OfficialStreamableParser, handler: HarmonyHandler) {
    this.#create = create
    this.#handler = handler
    this.#message = createPrefillFilter(handler)
  }

  get position(): ParserPosition {
    return this.#mode
  }

  // The official parser does not report held input; it delivers it with the end of the message.
  readonly isHolding = false

  flush(): void {}

  push(id: number, by: Origin): void {
    if (this.#isClosed) return
    if (this.#failure !== undefined) throw this.#failure.error
    if (by === 'model' && this.#origin === 'host' && this.#message.isFromHost) this.#endHostMessage(id)
    this.#origin = by
    if (this.#mode === 'content') this.#takeContent(id)
    else this.#takeHeader(id)
  }

  pushText(): never {
    throw new HarmonyResponsesError(
      'text_unsupported',
      'pushText: expected token ids, the only input of the official parser',
    )
  }

  beginTurn(): void {
    if (this.#isClosed) return
    this.#finish('turn')
    this.#mode = 'header'
    this.#sampled = false
    this.#origin = 'model'
    this.#failure = undefined
  }

  end(isCut?: boolean): ParserPosition {
    const isUntouched = this.#mode === 'header' ? !this.#sampled : !this.#message.isAnnounced
    const position = isUntouched ? 'between' : this.#mode
    this.#finish('turn', isCut)
    return position
  }

  close(): void {
    this.#isClosed = true
    this.#release()
  }

  snapshot(): never {
    throw new HarmonyResponsesError(
      'snapshot_unsupported',
      'snapshot: expected the native parser, whose state is plain data, got the official one',
    )
  }

  #takeContent(id: number): void {
    const terminator = TERMINATORS.get(id)
    const [refusal, text] = this.#use((official) => [
      refusalOf(official, id),
      terminator === undefined ? (official.lastContentDelta ?? '') : lastContent(official).slice(this.#emitted),
    ])
    if (refusal !== undefined) this.#reportRefusal(refusal)
    else if (terminator === undefined) this.#emitText(text)
    else {
      this.#mode = 'between'
      this.#emitText(text)
      this.#message.end(terminator, this.#origin)
    }
  }

  #takeHeader(id: number): void {
    this.#sampled = (this.#mode === 'header' && this.#sampled) || this.#origin === 'model'
    const [refusal, { state, header }] = this.#use((official) => [
      refusalOf(official, id),
      JSON.parse(official.state) as OfficialState,
    ])
    this.#mode = state === 'Content' ? 'content' : state === 'Header' ? 'header' : 'between'
    if (refusal !== undefined) this.#reportRefusal(refusal)
    else if (header !== undefined && this.#mode === 'content') {
      this.#emitted = 0
      this.#message.begin(headerOf(header), this.#origin)
    }
  }

  #reportRefusal(subject: string): void {
    this.#handler.repair({ code: 'refused_token', subject })
  }

  #emitText(text: string): void {
    this.#emitted += text.length
    if (text !== '') this.#message.text(text, this.#origin)
  }

  /** Ends a message that the host left open: the model's samples do not belong to it. */
  #endHostMessage(id: number): void {
    this.#handler.repair(repair('missing_end'))
    this.#finish('implicit')
    if (id !== SPECIAL.start) this.#mode = 'header'
    this.#sampled = false
  }

  /**
   * Ends the open header or message. Unless a turn begins, the next token needs a parser that waits for `<|start|>`.
   */
  #finish(terminator: Terminator, isCut?: boolean): void {
    const wasOpen = this.#mode === 'content'
    // A broken parser is not read again.
    const content = wasOpen && this.#official !== undefined ? this.#use((official) => official.currentContent) : ''
    this.#mode = 'between'
    this.#release()
    if (!wasOpen) return
    this.#emitText(content.slice(this.#emitted))
    this.#message.end(terminator, this.#origin, isCut)
  }

  /** Reads from the official parser, and frees one that broke: its state cannot be trusted. */
  #use<T>(read: (official: OfficialStreamableParser) => T): T {
    try {
      this.#official ??= this.#make()
      return read(this.#official)
    } catch (error) {
      this.#failure = { error }
      this.#release()
      throw error
    }
  }

  #make(): OfficialStreamableParser {
    const official = this.#create()
    this.#official = official
    // After an empty message the official parser waits for <|start|>, as after any other message.
    if (this.#mode === 'between') for (const id of [SPECIAL.message, SPECIAL.end]) official.process(id)
    return official
  }

  #release(): void {
    const official = this.#official
    this.#official = undefined
    try {
      official?.free?.()
    } catch {
      // A parser that broke in the middle of a token cannot be freed.
    }
  }
}

/** Returns the official parser's error message if it refuses the token. */
function refusalOf(official: OfficialStreamableParser, id: number): string | undefined {
  try {
    official.process(id)
    return undefined
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError) throw error
    return String(error)
  }
}

const CONSTRAIN = '<|constrain|>'

function headerOf({
  author,
  recipient,
  channel,
  content_type: type,
}: NonNullable<OfficialState['header']>): HarmonyHeader {
  const header: HarmonyHeader = { role: author.role }
  if (author.name != null) header.name = author.name
  if (channel != null) header.channel = channel
  // Without a recipient, the official parser takes the content type for one: final <|constrain|>json.
  if (recipient?.startsWith(CONSTRAIN)) {
    header.contentType = recipient.slice(CONSTRAIN.length)
    header.constrained = true
  } else if (recipient != null) header.recipient = recipient
  if (type?.startsWith(CONSTRAIN)) header.constrained = true
  if (type != null) header.contentType = type.replace(CONSTRAIN, '')
  return header
}

/** Returns the content of the message that was closed last. */
function lastContent(official: OfficialStreamableParser): string {
  const messages = JSON.parse(official.messages) as { content?: string | { text?: string }[] }[]
  const content = messages.at(-1)?.content ?? ''
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('')
}
