import { type Checker, type CheckOptions, createChecker, type Violation } from './check.js'
import { kindOf } from './event-kind.js'
import { neededFraming } from './invariants/framing.js'
import type { FramingRead, StreamRead } from './read/reads.js'
import { createStreamReader, type StreamReaderOptions } from './read/stream-reader.js'
import { parseEvent } from './schemas/index.js'
import type { StreamEvent } from './stream-event.js'

/** What a checker of captures finds, in the order in which it stands there. Lines count from 1. */
export type Finding =
  /** A stream begins: the first, the second, ... from 1. */
  | { readonly kind: 'stream'; readonly stream: number; readonly line: number }
  | { readonly kind: 'violation'; readonly violation: Violation; readonly line: number }
  /** An event came that ends a response: nothing should follow, also where the server does not close. */
  | { readonly kind: 'terminal'; readonly type: string; readonly events: number; readonly line: number }
  /** A stream is over, of so many events. What was missing at its end came before. */
  | { readonly kind: 'end'; readonly stream: number; readonly events: number; readonly line: number }
  | Extract<StreamRead, { readonly kind: 'broken' | 'given' }>

/** Checks one capture, piece by piece: each stream in it, and how it is framed. */
export interface CaptureChecker {
  /**
   * Takes the next piece: text, or bytes, cut anywhere.
   *
   * @throws HarmonyResponsesError `bad_stream`: the piece is neither
   */
  push(piece: string | Uint8Array): Finding[]
  /** The capture is over. */
  end(): Finding[]
}

/**
 * A checker of captures in any form that {@link createStreamReader} reads. It needs memory for one event and for what
 * is open, however long the capture is; of a live one it tells everything as soon as it has come.
 *
 *     const checker = createCaptureChecker({ profile: 'client:codex' })
 *     for await (const piece of body) for (const finding of checker.push(piece)) print(finding)
 *     for (const finding of checker.end()) print(finding)
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function createCaptureChecker(options: CheckOptions & StreamReaderOptions = {}): CaptureChecker {
  const { profile = 'openai', without = [], resumed = false, ...readerOptions } = options
  const checking = { profile, without, resumed }
  const reader = createStreamReader(readerOptions)
  // Options that are wrong are told before anything is read.
  createChecker(checking)
  let checker: Checker | undefined
  let stream = 0
  let events = 0
  let line = 1
  /** Framing of what comes before the first event. */
  let early: FramingRead[] = []

  function endStream(): Finding[] {
    if (checker === undefined) return []
    const missing = checker.end().map((violation): Finding => ({ kind: 'violation', violation, line }))
    checker = undefined
    return [...missing, { kind: 'end', stream, events, line }]
  }

  function beginStream(at: number): Finding[] {
    const ended = endStream()
    checker = createChecker(checking)
    stream++
    events = 0
    const begun: Finding = { kind: 'stream', stream, line: at }
    return [...ended, begun, ...early.splice(0).flatMap(framing)]
  }

  function framing(read: FramingRead): Finding[] {
    if (checker === undefined) {
      if (early.length < 100) early = [...early, read]
      return []
    }
    const { rule, type, expected, got, lost } = read
    const invariant = without.includes(rule) ? undefined : neededFraming(rule, profile, lost)
    if (invariant === undefined) return []
    const about = type === undefined ? {} : { type }
    const position = type === undefined ? events : events - 1
    const { severity, fault = 'server' } = invariant
    return [
      { kind: 'violation', violation: { rule, severity, fault, position, ...about, expected, got }, line: read.line },
    ]
  }

  function take(read: StreamRead): Finding[] {
    line = Math.max(line, read.line)
    switch (read.kind) {
      case 'event':
      case 'untyped': {
        const begun = read.isFirst || checker === undefined ? beginStream(read.line) : []
        // The checker tells that it is no event.
        const event = (read.kind === 'event' ? read.event : read.value) as StreamEvent
        const violations = (checker as Checker | undefined)?.push(event) ?? []
        events++
        line = read.line
        const found = violations.map((violation): Finding => ({ kind: 'violation', violation, line: read.line }))
        if (read.kind === 'untyped' || !kindOf(read.event.type).isTerminal) return [...begun, ...found]
        return [...begun, ...found, { kind: 'terminal', type: read.event.type, events, line: read.line }]
      }
      case 'framing':
        return framing(read)
      case 'given':
        return [read.format === 'response' ? { ...read, words: `${read.words}${shapeOf(read.value)}` } : read]
      case 'broken':
        return [read]
    }
  }

  return {
    push: (piece) => reader.push(piece).flatMap(take),
    end: () => [...reader.end().flatMap(take), ...endStream()],
  }
}

/** What is wrong with the shape of a response, in words. */
function shapeOf(response: unknown): string {
  const { problem } = parseEvent({ type: 'response.completed', sequence_number: 0, response })
  return problem === undefined ? '' : `; ${problem.path}: expected ${problem.expected}, got ${problem.got}`
}
