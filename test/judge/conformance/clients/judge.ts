import { readFileSync } from 'node:fs'
import { type Client, checkEvents, type Violation } from '../../../../src/judge/conformance/index.js'
import type { StreamEvent } from '../../../../src/judge/conformance/stream-event.js'

/** The events of a fixture. */
export const stream = (name: string): StreamEvent[] =>
  readFileSync(new URL(`../../../../fixtures/${name}.events.jsonl`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))

/** The errors of a stream under a client's profile, and their rules. */
export function judgeFor(client: Client): {
  readonly judge: (events: readonly StreamEvent[]) => Violation[]
  readonly rules: (events: readonly StreamEvent[]) => string[]
} {
  const judge = (events: readonly StreamEvent[]): Violation[] =>
    checkEvents(events, { profile: `client:${client}` }).filter(({ severity }) => severity === 'error')
  return { judge, rules: (events) => judge(events).map(({ rule }) => rule) }
}
