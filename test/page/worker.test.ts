import { describe, expect, test } from 'vitest'
import { look } from '../../src/page/worker/look.js'
import type { LookProgress, LookResult, ShownRecord } from '../../src/page/worker/look-result.js'
import type { Source } from '../../src/page/worker/pieces.js'

/** A file as a worker reads it, in pieces of some bytes. */
const inPieces = (bytes: Uint8Array, size: number) => (): Source => ({
  size: bytes.length,
  *read() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  },
})

async function toldOf(
  text: string,
  size = 64 * 1024,
): Promise<{ readonly looked: LookResult; readonly told: LookProgress[] }> {
  const told: LookProgress[] = []
  const bytes = new TextEncoder().encode(text)
  const looked = await look(new Blob([text]), (each) => void told.push(each), inPieces(bytes, size))
  return { looked, told }
}

/** Returns what the page is told of a text, with all of its records. */
async function recordsOf(text: string): Promise<{ readonly what: string; readonly parts: readonly ShownRecord[][] }> {
  const { looked, told } = await toldOf(text)
  if (looked.is !== 'trace') return expect.unreachable(JSON.stringify(looked))
  const parts = told.flatMap((each) => ('records' in each ? [[...each.records]] : []))
  return { what: looked.what, parts: [...parts, [...looked.records]] }
}

async function captureOf(
  text: string,
  size?: number,
): Promise<Extract<LookResult, { is: 'capture' }> & { readonly shares: readonly number[] }> {
  const { looked, told } = await toldOf(text, size)
  if (looked.is !== 'capture') return expect.unreachable(JSON.stringify(looked))
  return { ...looked, shares: told.flatMap((each) => ('share' in each ? [each.share] : [])) }
}

/** A stream of so many deltas, most of which break a rule. */
function frames(deltas: number): string {
  const events = [
    { type: 'response.created', sequence_number: 0, response: {} },
    ...Array.from({ length: deltas }, () => ({ type: 'response.output_text.delta', sequence_number: 9, delta: 'x' })),
    { type: 'response.completed', sequence_number: 10, response: {} },
  ]
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
}

/** Token ids of an answer of this many tokens. */
const idsOf = (count: number): string => JSON.stringify([200005, 17196, 200008, ...Array(count - 4).fill(1000), 200002])

describe('the worker', () => {
  test('tells records in parts, in their order', async () => {
    const { parts } = await recordsOf(idsOf(10_000))
    const tokens = parts.flat().filter((record) => record.type === 'token')
    expect(parts.length).toBeGreaterThan(5)
    expect(tokens.map(({ index }) => index)).toEqual(Array.from({ length: 10_000 }, (_, index) => index))
  })

  test('keeps a number of tokens that has a limit, and says that there are more', async () => {
    const { what, parts } = await recordsOf(idsOf(250_000))
    expect(parts.flat().filter(({ type }) => type === 'token')).toHaveLength(200_000)
    expect(what).toBe('250000 token ids, of which the first are shown')
  })

  test('a capture is the same however it is cut into pieces', async () => {
    const text = `${frames(3)}${frames(3)}`.replaceAll('\n', '\r\n')
    const whole = await captureOf(text, text.length)
    expect(whole.clients).toHaveLength(2)
    for (const size of [1, 7, 64]) {
      const { shares: _, ...rest } = await captureOf(text, size)
      expect({ ...rest, shares: whole.shares }).toEqual(whole)
    }
  })

  test('a finding has the beginning of its line', async () => {
    const { findings } = await captureOf(`: keep-alive\r\n\r\n${frames(3)}`, 5)
    for (const { line, excerpt } of findings) {
      expect(excerpt).toBe(`: keep-alive\n\n${frames(3)}`.split('\n')[line - 1]?.slice(0, 160))
    }
    expect(findings.length).toBeGreaterThan(0)
  })

  test('of each rule some findings are kept, and all are counted', async () => {
    const { rules, findings } = await captureOf(frames(2_000))
    const [first] = rules
    expect(first?.count).toBeGreaterThan(1_000)
    expect(findings.filter(({ rule }) => rule === first?.rule)).toHaveLength(500)
    expect(rules.map(({ rule }) => rule).sort()).toEqual([...new Set(findings.map(({ rule }) => rule))].sort())
  })

  test('some streams of a capture are explained, and the page is told why not all are', async () => {
    const { clients, unread } = await captureOf(frames(1).repeat(12))
    expect(clients).toHaveLength(10)
    expect(new Set(clients.map((texts) => texts.length))).toEqual(new Set([clients[0]?.length]))
    expect(unread).toBe('the first 10 of 12 streams are explained')
    const broken = await captureOf(`${frames(1)}${frames(1)}data: {"type": \n\n`)
    expect(broken.clients).toHaveLength(1)
    expect(broken.unread).toMatch(/^line \d+: expected/)
  })

  test('the share of a capture that is read only grows', async () => {
    const { shares } = await captureOf(frames(2_000))
    expect(shares[0]).toBe(0)
    expect(shares).toEqual([...shares].sort((a, b) => a - b))
    expect(shares.at(-1)).toBeLessThan(1)
  })

  test('what is too large, binary or empty is told in a sentence', async () => {
    const why = async (text: string): Promise<string> => {
      const { looked } = await toldOf(text)
      return looked.is === 'failed' ? looked.why : expect.unreachable(looked.is)
    }
    const large = Object.defineProperty(new Blob(['word']), 'size', { value: 129 * 1024 ** 2 })
    expect(await look(large, () => {})).toEqual({
      is: 'failed',
      why: 'Only a captured stream may be larger than 128 MiB.',
    })
    expect(await why('PK\x03\x04\0\0')).toMatch(/^This is /)
    expect(await why(' \n')).toBe('There is nothing to look into.')
  })
})
