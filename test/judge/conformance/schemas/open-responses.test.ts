import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openResponses, toDialect } from '../../../../src/dialects/index.js'
import { checkEvents } from '../../../../src/judge/conformance/index.js'
import {
  OPEN_RESPONSES_TYPES,
  openResponsesEventSchema,
  problemsOf,
} from '../../../../src/judge/conformance/schemas/index.js'
import type { StreamEvent } from '../../../../src/judge/conformance/stream-event.js'
import { RUNS, sampled } from '../../../support/runs.js'
import { describeWithShared } from '../../../support/shared-data.js'
import { BASES } from '../invariants/streams.js'
import { projectFixtures } from './captures.js'
import { fieldDamages } from './field-damages.js'
import { openResponsesSpecimens } from './open-responses-specimens.js'
import { publishedProblems } from './published.js'

type Event = { readonly type: string; readonly [field: string]: unknown }

const isRefused = (event: unknown): boolean => problemsOf(event, openResponsesEventSchema).length > 0

/** Our fixtures, and the streams that the invariants are tested with, as Open Responses words them. */
async function streams(): Promise<[name: string, events: Event[]][]> {
  const files = readdirSync(projectFixtures).filter((file) => file.endsWith('.events.jsonl'))
  const fixtures = files.map((file) => {
    const lines = readFileSync(join(projectFixtures, file), 'utf8').trim().split('\n')
    return [file, lines.map((line) => JSON.parse(line))] as const
  })
  const bases = Object.entries(BASES).map(([name, base]) => [name, base()] as const)
  const all = [...fixtures, ...bases].map(async ([name, events]): Promise<[string, Event[]]> => {
    const worded: Event[] = []
    for await (const event of toDialect(events as never, openResponses)) worded.push(event as never)
    return [name, JSON.parse(JSON.stringify(worded))]
  })
  return Promise.all(all)
}

const STREAMS = await streams()

/** All events to damage: those of the streams but for the repeated ones, and the specimens. */
function* eventsToDamage(): Generator<Event> {
  yield* openResponsesSpecimens as readonly Event[]
  for (const [, events] of STREAMS) {
    const seen = new Set<string>()
    for (const event of events) {
      const item = Object(event['item']) as { type?: string }
      const kind = `${event.type} ${item.type}`
      if (!seen.has(kind) && OPEN_RESPONSES_TYPES.has(event.type)) yield event
      seen.add(kind)
    }
  }
}

describe('the schemas of Open Responses', () => {
  test('the schemas of Open Responses have the 24 events of the specification, and a specimen of each', () => {
    expect(OPEN_RESPONSES_TYPES.size).toBe(24)
    expect(new Set(openResponsesSpecimens.map(({ type }) => type))).toEqual(OPEN_RESPONSES_TYPES)
  })

  test('the schemas of Open Responses take every specimen', () => {
    for (const event of openResponsesSpecimens)
      expect([event.type, problemsOf(event, openResponsesEventSchema)]).toEqual([event.type, []])
  })

  test('the schemas of Open Responses accept unknown fields', () => {
    for (const event of openResponsesSpecimens) expect(isRefused({ ...event, acme: 1 })).toBe(false)
  })

  // What is not in the list is refused; where the published schema is at hand, both are held against it.
  test('the schemas of Open Responses take the listed damages and no others', async () => {
    const taken = new Map<string, Set<string>>()
    for (const event of openResponsesSpecimens) {
      for (const { kind, event: damaged } of fieldDamages(event)) {
        if (isRefused(damaged())) continue
        const [how = '', field = ''] = kind.split(': ')
        taken.set(field, (taken.get(field) ?? new Set()).add(how))
      }
    }
    const lines = [...taken].map(([field, how]) => `${field}: ${[...how].sort().join(', ')}\n`)
    await expect(lines.sort().join('')).toMatchFileSnapshot('open-responses.taken.txt')
  })
})

describe('a stream as Open Responses words it', () => {
  test.each(STREAMS)('the stream %s as Open Responses words it is as the profile requires', (_name, events) => {
    const said = checkEvents(events as StreamEvent[], { profile: 'open-responses' })
    expect(said.filter(({ fault }) => fault === 'server')).toEqual([])
  })

  test('a stream as Open Responses words it is an error under the profile wherever its schema refuses a field', () => {
    const [, events] = STREAMS.find(([name]) => name === 'call') as [string, Event[]]
    let refused = 0
    for (const [at, event] of events.entries()) {
      for (const { kind, event: damage } of sampled(fieldDamages(event))) {
        const damaged = damage()
        if (!isRefused(damaged)) continue
        refused++
        const stream = events.with(at, damaged as Event) as StreamEvent[]
        const errors = checkEvents(stream, { profile: 'open-responses' }).filter(({ severity }) => severity === 'error')
        if (!errors.some(({ position }) => position === at)) expect(kind).toBe('an error')
      }
    }
    expect(refused).toBeGreaterThan(500 * Math.min(1, RUNS / 500))
  })
})

describeWithShared('the published schema', () => {
  /** Where the two differ, and why. */
  const EXCEPTIONS: Readonly<Record<string, string>> = {
    'text.format<json_schema>.schema': 'the published schema takes null alone there, by an oversight',
  }

  const problemsThere = publishedProblems()
  const isRefusedThere = (event: unknown): boolean => problemsThere(event).length > 0

  test('the published schema takes every specimen', () => {
    for (const event of openResponsesSpecimens) expect([event.type, isRefusedThere(event)]).toEqual([event.type, false])
  })

  test('the published schema refuses the damages that ours do, and no others', () => {
    const differ = new Set<string>()
    const damages = new Map<string, () => unknown>()
    for (const event of eventsToDamage()) {
      if (isRefused(event) || isRefusedThere(event)) differ.add(`undamaged ${event.type}`)
      for (const { kind, event: damage } of fieldDamages(event)) {
        if (!damages.has(kind)) damages.set(kind, damage)
      }
    }
    expect(damages.size).toBeGreaterThan(2000)
    for (const [kind, damage] of sampled(damages)) {
      const damaged = damage()
      const [ours, theirs] = [isRefused(damaged), isRefusedThere(damaged)]
      if (ours !== theirs && !Object.keys(EXCEPTIONS).some((field) => kind.includes(field)))
        differ.add(`${kind}: ${ours ? 'refused here alone' : 'refused there alone'}`)
    }
    expect([...differ]).toEqual([])
  })
})
