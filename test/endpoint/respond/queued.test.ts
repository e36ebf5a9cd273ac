import { describe, expect, test } from 'vitest'
import type { ResponseStreamEvent } from '../../../src/core/responses/events.js'
import type { Entry } from '../../../src/endpoint/journal/entry.js'
import { type RespondOptions, respond, translateEntries } from '../../../src/endpoint/respond/index.js'
import { ANSWER, type Asked, modelOf, optionsOf } from './scripted.js'

const request = { input: 'Go.', background: true }

/** A queued response, with what it asked of the engine. */
function queued(options: Partial<RespondOptions> = {}) {
  const asked: Asked[] = []
  const entries: Entry[] = []
  const events: ResponseStreamEvent[] = []
  let admit = (): void => {}
  const admitted = new Promise<void>((resolve) => {
    admit = resolve
  })
  const all = optionsOf({ turns: [ANSWER] })
  const batches = respond(request, {
    ...all,
    engine: modelOf([ANSWER], asked),
    admitted,
    append: (added) => void entries.push(...added),
    ...options,
  })
  return {
    ...{ asked, entries, events, admit, all },
    async next() {
      const { value, done } = await batches.next()
      if (!done) events.push(...value)
      return done === true ? [] : value.map(({ type }) => type)
    },
    async rest() {
      for await (const batch of batches) events.push(...batch)
      return events.map(({ type }) => type)
    },
  }
}

describe('a response that waits to be admitted', () => {
  test('it is written and shown as queued, and the model is asked once it is admitted', async () => {
    const { asked, entries, next, rest, admit } = queued()
    expect(await next()).toEqual(['response.created', 'response.queued'])
    expect([entries.map(({ type }) => type), asked.length]).toEqual([['open'], 0])
    const after = next()
    admit()
    expect(await after).toEqual(['response.in_progress'])
    expect((await rest()).at(-1)).toBe('response.completed')
    expect(entries.slice(0, 3).map(({ type }) => type)).toEqual(['open', 'begin', 'turn'])
  })

  test('its entries give the same events again, at every moment', async () => {
    const { entries, events, rest, admit, all } = queued()
    admit()
    await rest()
    const translation = translateEntries(all)
    expect(entries.flatMap((entry) => translation.apply(entry))).toEqual(events)
    expect(translation.response?.status).toBe('completed')
  })

  test('it is queued until it is admitted, in the response that its entries give', async () => {
    const { entries, next, admit, rest, all } = queued()
    await next()
    const translation = translateEntries(all)
    for (const entry of entries) translation.apply(entry)
    expect(translation.response?.status).toBe('queued')
    admit()
    await rest()
  })

  test('one that is aborted while it waits ends without a call of the model', async () => {
    const aborting = new AbortController()
    const { asked, next, rest } = queued({ signal: aborting.signal })
    await next()
    aborting.abort()
    expect(await rest()).toEqual(['response.created', 'response.queued', 'response.in_progress', 'response.failed'])
    expect(asked).toEqual([])
  })

  test('one whose place is refused fails', async () => {
    const { next, rest } = queued({ admitted: Promise.reject(new Error('no place')), onError: () => {} })
    await next()
    expect((await rest()).slice(-2)).toEqual(['error', 'response.failed'])
  })

  test('a run that resumes from its entries begins at once', async () => {
    const first = queued()
    await first.next()
    const entries = [...first.entries]
    const events: ResponseStreamEvent[] = []
    for await (const batch of respond(request, { ...first.all, entries })) events.push(...batch)
    expect([events[0]?.type, events[0]?.sequence_number]).toEqual(['response.in_progress', 2])
    expect(events.at(-1)?.type).toBe('response.completed')
    first.admit()
    await first.rest()
  })

  test('the time that it waits does not count against its limit', async () => {
    let now = 1000
    const { next, rest, admit } = queued({ clock: () => now, limits: { seconds: 10 } })
    await next()
    now += 60
    admit()
    expect((await rest()).at(-1)).toBe('response.completed')
  })

  test('an entry that begins a response is refused where none waits', async () => {
    const { entries, rest, admit, all } = queued()
    admit()
    await rest()
    const translation = translateEntries(all)
    const [open, begin] = entries as [Entry, Entry]
    translation.apply(open)
    translation.apply(begin)
    expect(() => translation.apply(begin)).toThrow('expected a queued response')
  })
})
