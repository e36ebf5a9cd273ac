import { checkEvents } from '../conformance/check.js'
import { CLIENTS, type Client, explain } from '../conformance/explain.js'
import { readStreams } from '../conformance/read-streams.js'
import type { StreamEvent } from '../conformance/stream-event.js'
import type { CheckReport } from './check.js'
import { plain } from './terminal-text.js'

/** Says what a client makes of captured streams; without a client, what each of them does. */
export function printExplain(text: string, client: Client | undefined): CheckReport {
  const streams = readStreams(text)
  const clients = client === undefined ? CLIENTS : [client]
  const paragraphs = streams.map((events, at) => {
    const lines = clients.map((one) => `  ${plain(explain(events, one))}\n`)
    return `stream ${at + 1}: ${events.length} event${events.length === 1 ? '' : 's'}\n${lines.join('')}`
  })
  const isGood = streams.length > 0 && streams.every((events) => clients.every((one) => isTakenBy(one, events)))
  return { text: streams.length === 0 ? 'no event\n' : paragraphs.join(''), isGood }
}

function isTakenBy(client: Client, events: readonly StreamEvent[]): boolean {
  return checkEvents(events, { profile: `client:${client}` }).every(({ severity }) => severity !== 'error')
}
