import type { Diagnostic } from '../core/diagnostics/diagnostic.js'
import { explainDiagnostic } from '../core/diagnostics/index.js'
import type { HarmonyEvent } from '../core/harmony/events.js'
import { FIRST_SPECIAL } from '../core/harmony/vocabulary.js'
import type { Response } from '../core/responses/response.js'
import type { DiagnosticRecord, EventRecord, TokenRecord } from '../core/trace/record.js'
import type { TokenFixture } from '../engines/sources/token-fixture.js'
import { counted } from './counted.js'
import {
  describeContent,
  describeEvent,
  describeHarmony,
  describeItem,
  describeResponse,
  statusOf,
} from './describe-event.js'
import { clip, createPaint, excerpt, plain, type Style, widthOf, wrap } from './terminal-text.js'
import { columnsFor, TOKEN_WIDTH } from './timeline-columns.js'

/** The terminal of a timeline. */
export interface Screen {
  readonly columns: number
  readonly hasColors: boolean
}

/** The effects of one token or, if the cause is a word, of the stream's start or end. */
export interface Moment {
  readonly cause: TokenRecord | string
  readonly harmony: HarmonyEvent[]
  /** Events and diagnostics, in order. */
  readonly news: (EventRecord | DiagnosticRecord)[]
}

/** Lays out the parts of a timeline, each as complete lines of text. */
export interface Layout {
  /** Whether {@link Layout.hostRun} shows the host's tokens, in place of a row for each. */
  readonly foldsHost: boolean
  legend(stream: Pick<TokenFixture, 'name' | 'origin'>): string
  moment(moment: Moment): string
  /** Shows consecutive tokens of the host, up to the end of a message. */
  hostRun(moments: readonly Moment[]): string
  summary(response: Response, eventCount: number, diagnostics: readonly Diagnostic[]): string
}

/** Text in one style. */
interface Span {
  readonly text: string
  readonly style?: Style | undefined
}

/** A span and the column in which it begins; without a column it is not shown. */
type Cell = readonly [column: number | undefined, span: Span | undefined]

const STATE_LEGEND = "state: the parser's, before the token · "
const LEGEND = '#0: an output item · ← 3-5: the tokens of a delta · !: a diagnostic'

/** The maximum length of the host's text. */
const HOST_TEXT = 32

/** The limit of a diagnostic, which may quote all of the dropped text. */
const DIAGNOSTIC_LENGTH = 160

export function createLayout({ columns, hasColors }: Screen): Layout {
  const paint = createPaint(hasColors)
  const { indexEnd, who, idEnd, token, state, harmony: harmonyColumn, events, foldsHost } = columnsFor(columns)

  function line(...cells: readonly Cell[]): string {
    let end = 0
    let text = ''
    for (const [column, span] of cells) {
      if (column === undefined || span === undefined) continue
      text += ' '.repeat(Math.max(0, column - end)) + paint(span.text, span.style)
      end = Math.max(end, column) + widthOf(span.text)
    }
    return `${text}\n`
  }

  /** Returns text that ends in a column. */
  function endingAt(column: number | undefined, span: Span): Cell {
    return [column === undefined ? undefined : column - span.text.length, span]
  }

  function wrapped({ text, style }: Span, width: number): Span[] {
    return wrap(plain(text), width, 2).map((piece) => ({ text: piece, style }))
  }

  function paragraph(text: string, style?: Style): string {
    return wrapped({ text, style }, columns)
      .map((span) => line([0, span]))
      .join('')
  }

  /** Lays out a token's cells in the first row, and its effects beside them, in as many rows as they take. */
  function rows(left: readonly Cell[], harmony: readonly Span[], news: readonly Span[]): string {
    const middle = harmonyColumn === undefined ? [] : harmony.flatMap((span) => wrapped(span, harmonyColumn.width))
    const others = harmonyColumn === undefined ? [...harmony, ...news] : news
    const right = others.flatMap((span) => wrapped(span, events.width))
    const count = Math.max(1, middle.length, right.length)
    return Array.from({ length: count }, (_, row) =>
      line(...(row === 0 ? left : []), [harmonyColumn?.start, middle[row]], [events.start, right[row]]),
    ).join('')
  }

  function tokenCells({ index, origin, token: id, text, position }: TokenRecord): Cell[] {
    const isMarker = id !== null && id >= FIRST_SPECIAL
    const cellText = clip(isMarker ? text : excerpt(text, TOKEN_WIDTH), TOKEN_WIDTH)
    return [
      endingAt(indexEnd, { text: String(index), style: 'dim' }),
      [who, whoSpan(origin)],
      endingAt(idEnd, { text: id === null ? 'text' : String(id), style: 'dim' }),
      [token, { text: cellText, style: isMarker ? 'magenta' : undefined }],
      [state, { text: position, style: 'dim' }],
    ]
  }

  return {
    foldsHost,

    legend({ name, origin }) {
      const head = (text: string): Span => ({ text, style: 'dim' })
      return (
        paragraph(origin === undefined ? name : `${name}: ${origin}`, 'bold') +
        paragraph(state === undefined ? LEGEND : STATE_LEGEND + LEGEND, 'dim') +
        '\n' +
        line(
          endingAt(indexEnd, head('#')),
          [who, head('who')],
          endingAt(idEnd, head('id')),
          [token, head('token')],
          [state, head('state')],
          [harmonyColumn?.start, head('Harmony')],
          [events.start, head('events')],
        )
      )
    },

    moment({ cause, harmony, news }) {
      const isWord = typeof cause === 'string'
      const tokenText = isWord ? '' : cause.text
      const left: Cell[] = isWord ? [[who, { text: cause, style: 'dim' }]] : tokenCells(cause)
      // Without a column for the parser's events, only those are shown that add to the tokens.
      const shownEvents = harmonyColumn === undefined ? harmony.filter(isBeyondTokens) : harmony
      const middle = shownEvents.map((event) => harmonySpan(event, tokenText))
      return rows(left, middle, news.map(newsSpan)) + (!isWord && endsMessage(harmony) ? '\n' : '')
    },

    hostRun(moments) {
      const tokens = moments.flatMap(({ cause }) => (typeof cause === 'string' ? [] : [cause]))
      const [first] = tokens
      if (first === undefined) return ''
      const left: Cell[] = [
        endingAt(indexEnd, { text: String(first.index), style: 'dim' }),
        [who, whoSpan('host')],
        [token, { text: counted(tokens.length, 'token'), style: 'dim' }],
      ]
      const all = moments.flatMap(({ harmony }) => harmony)
      const text = all.map((event) => (event.type === 'message_text' ? event.text : '')).join('')
      const spans: Span[] = [
        ...all.filter(isBeyondTokens).map((event) => harmonySpan(event, '')),
        ...(text === '' ? [] : [{ text: `message_text ${excerpt(text, HOST_TEXT)}`, style: 'dim' } as const]),
      ]
      const hostText = tokens.map((each) => each.text).join('')
      const middle = spans.length > 0 ? spans : [{ text: clip(plain(hostText), HOST_TEXT), style: 'dim' } as const]
      const news = moments.flatMap((moment) => moment.news.map(newsSpan))
      return rows(left, middle, news) + (endsMessage(all) ? '\n' : '')
    },

    summary(response, eventCount, diagnostics) {
      const items = response.output.map((item, index) =>
        paragraph(`#${index} ${describeItem(item)} ${statusOf(item)} ${describeContent(item)}`),
      )
      const noticed = diagnostics.length === 0 ? '' : `: ${diagnostics.map(({ code }) => code).join(', ')}`
      return [
        '\n',
        ...items,
        paragraph(usageLine(response)),
        paragraph(`${counted(eventCount, 'event')}, ${counted(diagnostics.length, 'diagnostic')}${noticed}`),
        paragraph(`response ${response.status} ${describeResponse(response)}`, 'bold'),
      ].join('')
    },
  }
}

function whoSpan(origin: string): Span {
  return { text: origin, style: origin === 'host' ? 'yellow' : undefined }
}

/** Whether the parser's event says more than its token. */
function isBeyondTokens({ type }: HarmonyEvent): boolean {
  return type === 'message_start' || type === 'repair'
}

function endsMessage(events: readonly HarmonyEvent[]): boolean {
  return events.some(({ type }) => type === 'message_end')
}

function harmonySpan(event: HarmonyEvent, tokenText: string): Span {
  return { text: describeHarmony(event, tokenText), style: event.type === 'message_text' ? 'dim' : 'cyan' }
}

function newsSpan(entry: Moment['news'][number]): Span {
  if (entry.type === 'event') {
    const { event, from, to } = entry
    const span = event.type.endsWith('.delta') && from !== to ? ` ← ${from}-${to}` : ''
    return { text: describeEvent(event) + span, style: styleOf(event.type) }
  }
  return { text: `! ${clip(explainDiagnostic(entry), DIAGNOSTIC_LENGTH)}`, style: 'yellow' }
}

/** Formats the counts below a timeline. */
function usageLine({ usage }: Response): string {
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
