import type { Fields } from '../../../shared/fields.js'
import { differingFields, type StreamEvent } from '../../conformance/stream-event.js'
import { jsonPreview, preview } from '../finding.js'
import type { Difference } from '../same-shape.js'
import { inconclusive, type Outcome, type Scenario, type Server, unsupported } from '../scenario.js'

export const resume: Scenario = {
  name: 'resume',
  asks: 'GET /responses/{id}?stream=true&starting_after=N returns the rest of a stream, event by event.',
  async run(server) {
    const body = { input: 'Name three rivers of Norway.', store: true }
    const plain = await resumed(server, 'stream', body)
    if (plain === 'observed' || plain.verdict !== 'unsupported') return plain
    // OpenAI only resumes responses that run in the background.
    const inBackground = await resumed(server, 'background stream', { ...body, background: true })
    return inBackground === 'observed' || inBackground.verdict !== 'unsupported' ? inBackground : plain
  },
}

async function resumed(server: Server, request: string, body: Fields): Promise<Outcome> {
  const { isGood, refusal, events, response } = await server.stream(request, body, { isOptional: true })
  if (refusal !== undefined) return unsupported(refusal)
  const { id } = response
  if (!isGood || typeof id !== 'string') return 'observed'
  const cut = events[Math.floor((events.length - 1) / 2)]
  const after = cut?.['sequence_number']
  if (typeof after !== 'number') return inconclusive('the events have no sequence_number to continue after')
  const rest = await server.resume('resumed', id, after)
  if (rest === undefined) return 'observed'
  if (rest.refusal !== undefined) return unsupported(rest.refusal)
  const missing = events.slice(events.indexOf(cut as StreamEvent) + 1)
  const difference = firstDifference(withoutKeepAlives(missing), withoutKeepAlives(rest.events), after)
  if (difference !== undefined) server.report('resumed', { rule: 'resumes-exactly', ...difference })
  return 'observed'
}

/** A server sends these when it happens to be silent, and stores none. */
function withoutKeepAlives(events: readonly StreamEvent[]): readonly StreamEvent[] {
  return events.filter(({ type }) => type !== 'keepalive')
}

function firstDifference(
  events: readonly StreamEvent[],
  others: readonly StreamEvent[],
  after: number,
): Difference | undefined {
  for (const [at, event] of events.entries()) {
    const other = others[at]
    const place = `event ${at} after starting_after=${after}: ${preview(event.type)}`
    if (other === undefined) return { expected: place, got: `the end, after ${others.length} events` }
    // Obfuscation is random each time.
    const [name] = differingFields(event, other).filter((each) => each !== 'obfuscation')
    if (name !== undefined)
      return { expected: `${place} with ${name} ${jsonPreview(event[name])}`, got: jsonPreview(other[name]) }
  }
  const more = others[events.length]
  return more === undefined ? undefined : { expected: 'nothing after the last event', got: jsonPreview(more.type) }
}
