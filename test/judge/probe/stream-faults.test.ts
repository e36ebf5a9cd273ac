import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FAULT_KINDS } from '../../../src/judge/conformance/arbitraries/faults/faulty-stream.js'
import type { WireEvent } from '../../../src/judge/conformance/arbitraries/faults/wire-event.js'
import { faultyStream } from '../../../src/judge/conformance/arbitraries/index.js'
import { closeServers, failing, probed, rulesOf, serve } from './play.js'

closeServers()

/** Where a fault can only be of a call. */
const OF_CALLS: readonly string[] = ['call_id_changed', 'arguments_in_added']

/** A stream that fails: no request of the probe's makes a good server send one. */
const FAILS: readonly string[] = ['flat_error']

/** The streams of a server that breaks each of them in one way, if that is possible. */
const broken =
  (kind: (typeof FAULT_KINDS)[number]) =>
  (events: WireEvent[]): WireEvent[] => {
    try {
      const [faulty] = fc.sample(faultyStream([events], { kinds: [kind] }), { numRuns: 1, seed: 1 })
      return faulty?.events ?? events
    } catch {
      return events
    }
  }

test.each(FAULT_KINDS.filter((kind) => !FAILS.includes(kind)))('a server whose streams have %s fails', async (kind) => {
  const server = await serve({ events: broken(kind) })
  const only = ['plain', 'call', 'call-whole', 'malformed-json']
  const results = await probed(server.url, { only })
  const where = failing(results)
  expect(where).toEqual(OF_CALLS.includes(kind) ? ['call'] : ['plain', 'call'])
  const [first] = results.get('call')?.findings ?? []
  expect(first).toMatchObject({ severity: 'error', request: 'request' })
})

test('a server whose streams fail with a flat error fails, with the clients that it breaks', async () => {
  const server = await serve({
    events: ([created, progress, ...rest]) => {
      const response = { ...(rest.at(-1)?.['response'] as object), status: 'failed', output: [], usage: null }
      const failed = { ...response, error: { code: 'server_error', message: 'out of memory' } }
      return [
        created as WireEvent,
        progress as WireEvent,
        { type: 'error', sequence_number: 2, code: 'server_error', message: 'out of memory', param: null },
        { type: 'response.failed', sequence_number: 3, response: failed },
      ]
    },
  })
  const results = await probed(server.url, { only: ['plain'] })
  expect(rulesOf(results.get('plain'))).toContain('succeeds')
  expect(results.get('plain')?.findings.length).toBeGreaterThan(1)
  expect(JSON.stringify(results.get('plain'))).toContain('out of memory')
})

test('the probe names the clients that break at a fault, and no other', async () => {
  const server = await serve({ events: broken('dropped_terminal') })
  const results = await probed(server.url, { only: ['plain'] })
  const broke = new Set(results.get('plain')?.findings.flatMap(({ breaks }) => breaks))
  expect(broke).toContain('codex')
  const unnumbered = await serve({ events: broken('sequence_gap') })
  const other = await probed(unnumbered.url, { only: ['plain'] })
  expect(other.get('plain')?.findings.flatMap(({ breaks }) => breaks)).toEqual([])
})

test('the probe leads with the cause, and counts what follows from it', async () => {
  const server = await serve({ events: broken('dropped_item_added') })
  const results = await probed(server.url, { only: ['plain'] })
  const [first, ...others] = results.get('plain')?.findings ?? []
  expect(first?.more).toBeGreaterThan(0)
  expect(first?.moreRules).not.toContain(first?.rule)
  for (const other of others) expect(first?.position).toBeLessThanOrEqual(other.position ?? 0)
})

test('the probe checks streams against the profile that was asked for', async () => {
  const server = await serve({ events: broken('sequence_gap') })
  const results = await probed(server.url, { only: ['plain'], profile: 'client:codex' })
  expect(results.get('plain')?.verdict).toBe('pass')
})
