import { createParser } from 'eventsource-parser'
import { isFields } from '../../shared/fields.js'
import { createLineFeeds } from '../../shared/line-feeds.js'
import type { Api } from '../conformance/api.js'
import { eventKindOf } from '../conformance/event-kind.js'
import { parseJson } from '../conformance/read/parse-json.js'
import type { StreamEvent } from '../conformance/stream-event.js'
import { ALL_BUT_CODEX, type Fault, jsonPreview, preview } from './finding.js'
import type { ReadDecision } from './send.js'

/** Reads a stream of events over HTTP. Unreadable frames are faults, and reading continues after them. */
export interface HttpStreamReader {
  readonly events: readonly StreamEvent[]
  /** The faults of the frames, in order. */
  readonly faults: readonly Fault[]
  /** Whether [DONE] has come. */
  readonly isDone: boolean
  /** How many pieces of the body had events. */
  readonly pieces: number
  push(text: string): ReadDecision
  /** Ends the body. */
  end(): void
}

/**
 * The clients that skip a nameless frame of the Messages API: the SDKs, represented by the openai SDKs, and LangChain.
 */
const NAMED = ['openai', 'openai-python', 'langchain'] as const

/** The limit for faults of one stream, as more of them say nothing new. */
const MAX_FAULTS = 3

/**
 * Reads server-sent events as clients do.
 *
 * @param isEnough - called after each event: whether the reader should stop
 * @param api - which API's streams: those of Chat Completions have no event types, and end with [DONE]; of those of the
 *   Messages API each frame has its name
 */
export function createHttpStreamReader(
  isEnough: (events: readonly StreamEvent[]) => boolean = () => false,
  api: Api = 'responses',
): HttpStreamReader {
  const events: StreamEvent[] = []
  const faults: Fault[] = []
  let pieces = 0
  let frames = 0
  let isDone = false
  let isOver = false
  let isLeaving = false
  let last = ''

  const report = (fault: Fault): void => {
    if (faults.length < MAX_FAULTS) faults.push(fault)
  }

  function onFrame(data: string, name: string | undefined): void {
    frames++
    if (isDone) {
      const expected = 'nothing after [DONE]'
      report({ rule: 'done-is-last', severity: 'warning', expected, got: preview(data) })
      return
    }
    if (data === '[DONE]') {
      isDone = true
      return
    }
    const value = parseJson(data)?.value
    if (!isFields(value) || (api !== 'chat' && typeof value['type'] !== 'string')) {
      const expected = `${api === 'chat' ? 'a chunk' : 'an event'} as JSON in frame ${frames}`
      report({ rule: 'frame-is-event', breaks: ALL_BUT_CODEX, expected, got: preview(data) })
      return
    }
    const event = value as StreamEvent
    if (api === 'messages' && name === undefined) {
      const expected = `event: ${preview(event.type)} in front of frame ${frames}`
      report({ rule: 'event-line', breaks: NAMED, expected, got: 'none' })
    }
    if (name !== undefined && api !== 'chat' && name !== event.type) {
      const expected = `the event: line of ${preview(event.type)} to repeat its type`
      report({ rule: 'event-line', severity: 'warning', expected, got: jsonPreview(name) })
    }
    events.push(event)
    if (api === 'responses' && eventKindOf(event.type).isTerminal) isOver = true
    if (api === 'messages' && (event.type === 'message_stop' || event.type === 'error')) isOver = true
    if (isEnough(events)) isLeaving = true
  }

  const parser = createParser({
    onEvent: ({ data, event }) => onFrame(data, event),
    onError({ type, line = '' }) {
      if (type !== 'unknown-field') return
      const expected = 'lines of server-sent events (data: ..., event: ...)'
      report({ rule: 'frame-lines', breaks: ALL_BUT_CODEX, expected, got: preview(line) })
    },
  })

  const lineFeeds = createLineFeeds()

  function feed(text: string): void {
    const before = events.length
    parser.feed(lineFeeds(text))
    if (events.length > before) pieces++
  }

  return {
    events,
    faults,
    get isDone() {
      return isDone
    },
    get pieces() {
      return pieces
    },
    push(text) {
      last = (last + text).slice(-4)
      feed(text)
      if (isLeaving) return 'leave'
      return isOver || isDone ? 'all' : 'more'
    },
    end() {
      const before = frames
      // One line end for an unfinished line, and one for its frame.
      feed('\n\n')
      if (frames > before) {
        const expected = 'a blank line after the last frame'
        report({ rule: 'frame-is-closed', breaks: ALL_BUT_CODEX, expected, got: `the end, after ${jsonPreview(last)}` })
      }
    },
  }
}
