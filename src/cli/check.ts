import { createChecker } from '../conformance/check.js'
import type { Profile } from '../conformance/invariant.js'
import { readStreams } from '../conformance/read-streams.js'
import type { StreamEvent } from '../conformance/stream-event.js'
import { type CheckedStream, createCheckedStream } from './check-report.js'
import type { Screen } from './timeline-layout.js'

/** What to print, and whether every stream is as it should be. */
export interface CheckReport {
  readonly text: string
  readonly isGood: boolean
}

/** Checks captured streams, and says what is wrong with them. */
export function printCheck(text: string, profile: Profile, isJson: boolean, screen: Screen): CheckReport {
  const streams = readStreams(text).map((events, at) => ({
    events: events.length,
    checked: checked(events, profile, at + 1, screen),
  }))
  const isGood = streams.length > 0 && streams.every(({ checked }) => checked.isGood)
  if (isJson) {
    const reports = streams.map(({ events, checked }) => checked.json(events))
    return { text: `${JSON.stringify({ profile, streams: reports })}\n`, isGood }
  }
  if (streams.length === 0) return { text: `no event (profile ${profile})\n`, isGood }
  return { text: streams.map(({ events, checked }) => checked.end(events)).join(''), isGood }
}

function checked(events: readonly StreamEvent[], profile: Profile, number: number, screen: Screen): CheckedStream {
  const checker = createChecker({ profile })
  const stream = createCheckedStream({ profile, number, screen })
  for (const event of events) stream.event(checker.push(event))
  stream.event(checker.end())
  return stream
}
