import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { createTextCache, renderPrompt } from '../../../src/endpoint/prompt/index.js'
import { createKnownTypes } from '../../../src/endpoint/prompt/known-types.js'
import { runs } from '../../support/runs.js'

const tokenTable = await loadTokenTable()

/** Listed tools, whose schemas count how often they are read. */
function listing(count: number) {
  let reads = 0
  const schemaOf = (at: number): object => ({
    type: 'object',
    get properties() {
      reads += 1
      return { [`property_${at}`]: { type: 'string' } }
    },
  })
  const tools = Array.from({ length: count }, (_, at) => ({ name: `tool_${at}`, inputSchema: schemaOf(at) }))
  return {
    tools,
    readsOf(work: () => void): number {
      const before = reads
      work()
      return reads - before
    },
  }
}

const prompt = (tools: readonly object[], options: object = {}, more: object = {}): number[] => {
  const server = { type: 'mcp', server_label: 'docs', server_url: 'https://docs.invalid', ...more }
  const listings = [{ serverLabel: 'docs', tools }]
  const given = { tokenTable, date: '2026-01-31', listings, ...options }
  return [...renderPrompt({ input: 'Hi', tools: [server] }, given as Parameters<typeof renderPrompt>[1]).tokens]
}

describe('the types of listed tools', () => {
  it('are made once for all requests and owners, whichever of the tools each allows', () => {
    const { tools, readsOf } = listing(100)
    const plain = prompt(tools)
    const some = { allowed_tools: ['tool_7', 'tool_8'] }
    const plainSome = prompt(tools, {}, some)
    const known = createTextCache(16_777_216)
    expect(readsOf(() => expect(prompt(tools, { known: known.of('ann') })).toEqual(plain))).toBeGreaterThan(0)
    expect(readsOf(() => expect(prompt(tools, { known: known.of('ann') })).toEqual(plain))).toBe(0)
    expect(readsOf(() => expect(prompt(tools, { known: known.of('bob') }, some)).toEqual(plainSome))).toBe(0)
  })

  it('are those of the new schemas after another listing', () => {
    const known = createTextCache(16_777_216)
    const old = [{ name: 'any', inputSchema: { type: 'object', properties: { a: { type: 'string' } } } }]
    const fresh = [{ name: 'any', inputSchema: { type: 'object', properties: { b: { type: 'number' } } } }]
    for (const tools of [old, fresh, old]) expect(prompt(tools, { known })).toEqual(prompt(tools))
  })

  it('are those used last, within the limit', () => {
    const MAX = 10_000
    const sizes = fc.integer({ min: 0, max: 3_000 })
    const uses = fc.array(fc.record({ schema: fc.integer({ min: 0, max: 9 }), size: sizes }), { maxLength: 50 })
    fc.assert(
      fc.property(uses, (uses) => {
        const known = createKnownTypes(MAX)
        const schemas = Array.from({ length: 10 }, () => ({}))
        // The oracle: the kept types, the least recently used first.
        let kept: { readonly schema: number; readonly text: string }[] = []
        for (const { schema, size } of uses) {
          const found = kept.find((one) => one.schema === schema)
          expect(known.find(schemas[schema] as object)).toBe(found?.text)
          const one = found ?? { schema, text: 'x'.repeat(size) }
          known.add(schemas[schema] as object, one.text)
          kept = [...kept.filter((other) => other !== one), one]
          const bytes = () => kept.reduce((sum, { text }) => sum + 128 + 2 * text.length, 0)
          while (bytes() > MAX) kept.shift()
        }
      }),
      { numRuns: runs(2_500) },
    )
  })
})
