import { explainDiagnostic } from '../diagnostics.js'
import type { HarmonyEvent } from '../harmony/events.js'
import { FIRST_SPECIAL } from '../harmony/vocabulary.js'
import type { Response } from '../responses/response.js'
import type { TokenFixture } from '../sources/token-fixture.js'
import type { Diagnostic } from '../translate/diagnostics.js'
import type { Trace } from '../translate/tracer.js'
import {
  describeContent,
  describeEvent,
  describeHarmony,
  describeItem,
  describeResponse,
  statusOf,
} from './describe-event.js'
import { clip, createPaint, excerpt, plain, type Style, widthOf, wrap } from './terminal-text.js'

/** The terminal that a timeline is made for. */
export interface Screen {
  readonly columns: number
  readonly hasColors: boolean
}

/** What one token did; or, where the cause is a word, what the stream's start or end did. */
export interface Moment {
  cause: Extract<Trace, { type: 'token' }> | string
  readonly harmony: HarmonyEvent[]
  /** Events and diagnostics, in the order in which they came. */
  readonly news: (Extract<Trace, { type: 'event' }> | Diagnostic)[]
}

/** Lays out the parts of a timeline, each as text of whole lines. */
export interface Layout {
  legend(fixture: TokenFixture): string
  moment(moment: Moment): string
  summary(response: Response, eventCount: number, diagnostics: readonly Diagnostic[]): string
}

/** Text in one style. */
interface Span {
  readonly text: string
  readonly style?: Style | undefined
}

/** A span and the column it begins in. */
type Cell = readonly [column: number, span: Span | undefined]

const LEGEND =
  "state: the parser's, before the token · #0: an output item · ← 3-5: the tokens of a delta · !: a diagnostic"

/** The columns of the token, by their ends (numbers) or beginnings (text). */
const INDEX_END = 4
const WHO = 6
const ID_END = 18
const TOKEN = 20
const TOKEN_WIDTH = 14
const STATE = 36
const HARMONY = 45

/** A diagnostic may quote all the text that was dropped. */
const DIAGNOSTIC_LENGTH = 160

/** From this width on the events stand beside the tokens; below it, beneath them. */
const WIDE = 110

export function createLayout({ columns, hasColors }: Screen): Layout {
  const paint = createPaint(hasColors)
  const isWide = columns >= WIDE
  // The parser's column grows with the terminal until a long header fits into it.
  const harmonyWidth = isWide ? Math.min(48, 27 + Math.floor((columns - WIDE) / 2)) : Math.max(16, columns - HARMONY)
  const news = isWide ? HARMONY + harmonyWidth + 2 : TOKEN
  const newsWidth = Math.max(24, columns - news)

  function line(...cells: readonly Cell[]): string {
    let end = 0
    let text = ''
    for (const [column, span] of cells) {
      if (span === undefined) continue
      text += ' '.repeat(Math.max(0, column - end)) + paint(span.text, span.style)
      end = Math.max(end, column) + widthOf(span.text)
    }
    return `${text}\n`
  }

  function wrapped({ text, style }: Span, width: number): Span[] {
    return wrap(plain(text), width, 2).map((piece) => ({ text: piece, style }))
  }

  function paragraph(text: string, style?: Style): string {
    return wrapped({ text, style }, columns)
      .map((span) => line([0, span]))
      .join('')
  }

  return {
    legend({ name, origin }) {
      const head = (text: string): Span => ({ text, style: 'dim' })
      return (
        paragraph(origin === undefined ? name : `${name}: ${origin}`, 'bold') +
        paragraph(LEGEND, 'dim') +
        '\n' +
        line(
          [INDEX_END - 1, head('#')],
          [WHO, head('who')],
          [ID_END - 2, head('id')],
          [TOKEN, head('token')],
          [STATE, head('state')],
          [HARMONY, head('Harmony')],
          [news, isWide ? head('events') : undefined],
        )
      )
    },

    moment({ cause, harmony, news: told }) {
      const isWord = typeof cause === 'string'
      const left: Cell[] = isWord ? [[WHO, { text: cause, style: 'dim' }]] : tokenCells(cause)
      const tokenText = isWord ? '' : cause.text
      const middle = harmony.flatMap((event) => wrapped(harmonySpan(event, tokenText), harmonyWidth))
      const right = told.flatMap((entry) => wrapped(newsSpan(entry), newsWidth))
      const beside = isWide ? right : []
      const beneath = isWide ? [] : right
      const rows = Array.from({ length: Math.max(1, middle.length, beside.length) }, (_, row) =>
        line(...(row === 0 ? left : []), [HARMONY, middle[row]], [news, beside[row]]),
      )
      const isMessageOver = !isWord && harmony.some(({ type }) => type === 'message_end')
      return [...rows, ...beneath.map((span) => line([news, span])), isMessageOver ? '\n' : ''].join('')
    },

    summary(response, eventCount, diagnostics) {
      const items = response.output.map((item, index) =>
        paragraph(`#${index} ${describeItem(item)} ${statusOf(item)} ${describeContent(item)}`),
      )
      const noticed = diagnostics.length === 0 ? '' : `: ${diagnostics.map(({ code }) => code).join(', ')}`
      return [
        '\n',
        ...items,
        paragraph(usageOf(response)),
        paragraph(`${plural(eventCount, 'event')}, ${plural(diagnostics.length, 'diagnostic')}${noticed}`),
        paragraph(`response ${response.status} ${describeResponse(response)}`, 'bold'),
      ].join('')
    },
  }
}

function tokenCells({ index, origin, token, text, position }: Exclude<Moment['cause'], string>): Cell[] {
  const number = String(index)
  const id = token === null ? 'text' : String(token)
  const isMarker = token !== null && token >= FIRST_SPECIAL
  const shown = clip(isMarker ? text : excerpt(text, TOKEN_WIDTH), TOKEN_WIDTH)
  return [
    [INDEX_END - number.length, { text: number, style: 'dim' }],
    [WHO, { text: origin, style: origin === 'host' ? 'yellow' : undefined }],
    [ID_END - id.length, { text: id, style: 'dim' }],
    [TOKEN, { text: shown, style: isMarker ? 'magenta' : undefined }],
    [STATE, { text: position, style: 'dim' }],
  ]
}

function harmonySpan(event: HarmonyEvent, tokenText: string): Span {
  return { text: describeHarmony(event, tokenText), style: event.type === 'message_text' ? 'dim' : 'cyan' }
}

function newsSpan(entry: Moment['news'][number]): Span {
  if ('event' in entry) {
    const { event, from, to } = entry
    const span = from === to ? '' : ` ← ${from}-${to}`
    return { text: describeEvent(event) + span, style: styleOf(event.type) }
  }
  return { text: `! ${clip(explainDiagnostic(entry), DIAGNOSTIC_LENGTH)}`, style: 'yellow' }
}

/** The counts below a timeline. */
function usageOf({ usage }: Response): string {
  if (usage === null) return 'tokens not counted'
  const { input_tokens: input, output_tokens: output, output_tokens_details: details } = usage
  return `${input} input tokens, ${output} output tokens, ${details.reasoning_tokens} of them reasoning`
}

function styleOf(type: string): Style | undefined {
  if (type.endsWith('.delta')) return undefined
  if (type.endsWith('.added')) return 'green'
  if (type === 'error' || type.endsWith('failed')) return 'red'
  return 'blue'
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
