import { HarmonyResponsesError } from '../errors.js'
import type { HarmonyEvent, HarmonyHeader, Origin, Role, Terminator } from './events.js'
import { createMessageWriter } from './message-writer.js'
import type { HarmonyParser, ParserPosition } from './parser.js'
import { SPECIAL } from './vocabulary.js'

/**
 * What is needed of the official parser: the interface that its wasm build (`JsStreamableParser` of npm's
 * `openai-harmony`) and its Python and Rust forms share. It was made for role `assistant`.
 */
export interface OfficialStreamableParser {
  /** Throws, a string in the wasm build, where it refuses the token. */
  process(token: number): unknown
  /** JSON; of a message in progress it holds the header. */
  readonly state: string
  /** JSON: the messages that are closed. */
  readonly messages: string
  readonly currentContent: string
  /** What the last token added to the content; empty or null where nothing. */
  readonly lastContentDelta: string | null | undefined
  free?(): void
}

/** What `state` holds. */
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
 * Puts the official parser in the place of the native one: `new Translator({ parser: officialParser(create) })`.
 *
 * It understands what the official parser understands: malformed headers lose their message, with a `refused_token`
 * repair. It takes token ids only, and its state cannot be written down.
 *
 * @param create - makes one with role `assistant`; called for every turn, and freed after it
 */
export function officialParser(
  create: () => OfficialStreamableParser,
): (sink: (event: HarmonyEvent) => void) => HarmonyParser {
  return (sink) => {
    const message = createMessageWriter(sink)
    let official = create()
    let mode: ParserPosition = 'header'
    /** Whether the model wrote any of the header. */
    let sampled = false
    let origin: Origin = 'model'
    /** UTF-16 units of the content that were told. The last delta of a message is only in its whole content. */
    let told = 0

    function tell(text: string): void {
      told += text.length
      if (text !== '') message.text(text, origin)
    }

    function process(id: number): boolean {
      try {
        official.process(id)
        return true
      } catch (error) {
        if (error instanceof WebAssembly.RuntimeError) throw error
        sink({ type: 'repair', repair: { code: 'refused_token', subject: String(error) } })
        return false
      }
    }

    function finish(): void {
      if (mode === 'content') {
        tell(official.currentContent.slice(told))
        message.end('turn', origin)
      }
      mode = 'between'
    }

    return {
      get position() {
        return mode
      },

      // It does not say, and tells it with the end of the message.
      isHolding: false,
      flush() {},

      push(id, by) {
        origin = by
        const terminator = TERMINATORS.get(id)
        if (mode === 'content') {
          if (!process(id)) return
          if (terminator === undefined) tell(official.lastContentDelta ?? '')
          else {
            tell(lastContent(official).slice(told))
            message.end(terminator, by)
            mode = 'between'
          }
        } else {
          sampled = (mode === 'header' && sampled) || by === 'model'
          const wasAccepted = process(id)
          const { state, header } = JSON.parse(official.state) as OfficialState
          mode = state === 'Content' ? 'content' : state === 'Header' ? 'header' : 'between'
          if (!wasAccepted || header === undefined || mode !== 'content') return
          told = 0
          message.begin(headerOf(header), by)
        }
      },

      pushText() {
        throw new HarmonyResponsesError(
          'text_unsupported',
          'pushText: expected token ids, which is all the official parser takes',
        )
      },

      beginTurn() {
        finish()
        official.free?.()
        official = create()
        mode = 'header'
        sampled = false
        origin = 'model'
      },

      end() {
        const isUntouched = mode === 'header' ? !sampled : !message.isTold
        const position = isUntouched ? 'between' : mode
        finish()
        official.free?.()
        return position
      },

      snapshot() {
        throw new HarmonyResponsesError(
          'snapshot_unsupported',
          'snapshot: expected the native parser, whose state is plain data, got the official one',
        )
      },
    }
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
  // Without a recipient the official parser takes the content type for one: final <|constrain|>json.
  if (recipient?.startsWith(CONSTRAIN)) {
    header.contentType = recipient.slice(CONSTRAIN.length)
    header.constrained = true
  } else if (recipient != null) header.recipient = recipient
  if (type?.startsWith(CONSTRAIN)) header.constrained = true
  if (type != null) header.contentType = type.replace(CONSTRAIN, '')
  return header
}

/** The content of the message that was closed last. */
function lastContent(official: OfficialStreamableParser): string {
  const messages = JSON.parse(official.messages) as { content?: string | { text?: string }[] }[]
  const content = messages.at(-1)?.content ?? ''
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('')
}
