import { describe, expect, test } from 'vitest'
import { look } from '../../src/page/worker/look.js'
import type { ShownRecord } from '../../src/page/worker/looked.js'

/** Returns what the page is told of a text, with all of its records. */
async function told(text: string): Promise<{ readonly what: string; readonly parts: readonly ShownRecord[][] }> {
  const parts: ShownRecord[][] = []
  const looked = await look(text, (records) => void parts.push([...records]))
  if (looked.is !== 'trace') return expect.unreachable(JSON.stringify(looked))
  return { what: looked.what, parts: [...parts, [...looked.records]] }
}

/** Token ids of an answer of this many tokens. */
const idsOf = (count: number): string => JSON.stringify([200005, 17196, 200008, ...Array(count - 4).fill(1000), 200002])

describe('the worker', () => {
  test('tells records in parts, in their order', async () => {
    const { parts } = await told(idsOf(10_000))
    const tokens = parts.flat().filter((record) => record.type === 'token')
    expect(parts.length).toBeGreaterThan(5)
    expect(tokens.map(({ index }) => index)).toEqual(Array.from({ length: 10_000 }, (_, index) => index))
  })

  test('keeps a number of tokens that has a limit, and says that there are more', async () => {
    const { what, parts } = await told(idsOf(250_000))
    expect(parts.flat().filter(({ type }) => type === 'token')).toHaveLength(200_000)
    expect(what).toBe('250000 token ids, of which the first are shown')
  })
})
