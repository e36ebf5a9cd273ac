import { checkOptions, type OptionTable, picked } from '../../shared/options/check-options.js'
import { CHECK_OPTIONS, type CheckOptions, checkerMaker } from './check.js'
import { judgeOf } from './judges.js'
import { EventLines } from './read/event-lines.js'
import type { FramingRead, StreamRead } from './read/stream-read.js'
import { readerInto, STREAM_READER_OPTIONS, type StreamReaderOptions } from './read/stream-reader.js'
import { isTerminalOf } from './read/value-reader.js'
import { parseEvent } from './schemas/index.js'
import type { StreamEvent } from './stream-event.js'
import type { Checker, Violation } from './violation.js'

/** A finding of a capture checker, in the order of the capture. Lines count from 1. */
export type Finding =
  /** A stream begins. Streams are numbered from 1. */
  | { readonly kind: 'stream'; readonly stream: number; readonly line: number }
  /** A rule is broken, at the event that begins on this line. */
  | { readonly kind: 'violation'; readonly violation: Violation; readonly line: number }
  /** A terminal event: no event should follow, even if the server keeps the connection open. */
  | { readonly kind: 'terminal'; readonly type: string; readonly events: number; readonly line: number }
  /** A stream ended after this many events. The violations of its end come before this finding. */
  | { readonly kind: 'end'; readonly stream: number; readonly events: number; readonly line: number }
  | Extract<StreamRead, { readonly kind: 'broken' | 'format' }>

/** Checks the streams of one capture and their framing, piece by piece. */
export interface CaptureChecker {
  /**
   * Checks the next piece: text or bytes, split anywhere.
   *
   * @throws HarmonyResponsesError `bad_stream` if the piece is neither text nor bytes
   */
  push(piece: string | Uint8Array): Finding[]
  /** Ends the capture, and returns the remaining findings. */
  end(): Finding[]
}

/** The profile decides the API of the streams. */
export type CaptureOptions = CheckOptions & Omit<StreamReaderOptions, 'api'>

const CAPTURE_OPTIONS: OptionTable<CaptureOptions> = {
  ...CHECK_OPTIONS,
  ...picked(STREAM_READER_OPTIONS, ['maxEventLength']),
}

/**
 * Creates a checker for captures in any format that {@link createStreamReader} reads. It needs memory for one event and
 * the open items, however long the capture is. It reports each finding of a live capture at once.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { createCaptureChecker } from 'harmony-responses/conformance'
 *
 * const checker = createCaptureChecker({ profile: 'client:codex' })
 * for await (const piece of file) for (const finding of checker.push(piece)) console.log(finding)
 * for (const finding of checker.end()) console.log(finding)
 * ```
 */
export function createCaptureChecker(options: CaptureOptions = {}): CaptureChecker {
  checkOptions('createCaptureChecker', options, CAPTURE_OPTIONS)
  const { profile = 'openai', without = [], resumed = false, ...readerOptions } = options
  const { api, framing } = judgeOf(profile)
  const reader = readerInto({ ...readerOptions, api }, take)
  const createChecker = checkerMaker('createCaptureChecker', { profile, without, resumed })
  let checker: Checker | undefined
  let stream = 0
  let events = 0
  let line = 1
  let lines = new EventLines()
  /** Framing violations before the first event. */
  const early: FramingRead[] = []

  /** The findings of the current piece. Almost every event has none, and creates no list. */
  let findings: Finding[] = []

  const addViolation = (violation: Violation, at: number): void => {
    findings.push({ kind: 'violation', violation, line: at })
  }

  function endStream(): void {
    if (checker === undefined) return
    // What a client lost shows only here, and is told where it was lost.
    for (const violation of checker.end()) addViolation(violation, lines.at(violation.position) ?? line)
    checker = undefined
    findings.push({ kind: 'end', stream, events, line })
  }

  function beginStream(at: number): Checker {
    endStream()
    const begun = createChecker()
    checker = begun
    stream++
    events = 0
    lines = new EventLines()
    findings.push({ kind: 'stream', stream, line: at })
    for (const read of early.splice(0)) takeFraming(read)
    return begun
  }

  function takeFraming(read: FramingRead): void {
    if (checker === undefined) {
      if (early.length < 100) early.push(read)
      return
    }
    const { type, expected, got } = read
    const invariant = framing(read, profile)
    if (invariant === undefined || without.includes(invariant.id)) return
    const about = type === undefined ? {} : { type }
    const position = type === undefined ? events : events - 1
    const { id: rule, severity, fault = 'server' } = invariant
    addViolation({ rule, severity, fault, position, ...about, expected, got }, read.line)
  }

  function take(read: StreamRead): void {
    line = Math.max(line, read.line)
    switch (read.kind) {
      case 'event':
      case 'untyped': {
        const current = read.isFirst || checker === undefined ? beginStream(read.line) : checker
        // The checker reports a value without a type.
        const event = (read.kind === 'event' ? read.event : read.value) as StreamEvent
        for (const violation of current.push(event)) addViolation(violation, read.line)
        events++
        lines.add(read.line)
        line = read.line
        if (read.kind === 'event' && isTerminalOf(api, read.event.type))
          findings.push({ kind: 'terminal', type: read.event.type, events, line: read.line })
        break
      }
      case 'framing':
        takeFraming(read)
        break
      case 'format': {
        const problem = read.format === 'response' ? shapeProblem(read.value) : ''
        findings.push(problem === '' ? read : { ...read, description: `${read.description}${problem}` })
        break
      }
      case 'broken':
        findings.push(read)
    }
  }

  function flush(): Finding[] {
    const found = findings
    if (found.length > 0) findings = []
    return found
  }

  return {
    push(piece) {
      reader.push(piece)
      return flush()
    },
    end() {
      reader.end()
      endStream()
      return flush()
    },
  }
}

/** The first problem with the shape of a response, as the end of a sentence; empty if there is none. */
function shapeProblem(response: unknown): string {
  const { problem } = parseEvent({ type: 'response.completed', sequence_number: 0, response })
  return problem === undefined ? '' : `; ${problem.path}: expected ${problem.expected}, got ${problem.got}`
}
