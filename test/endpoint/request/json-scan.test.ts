import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRequest, RequestError } from '../../../src/endpoint/request/index.js'
import { createJsonScan } from '../../../src/endpoint/request/json-scan.js'
import { RUNS } from '../../support/runs.js'

/** The result of scanning a text in pieces: the status of its refusal, or 200. */
function scanned(text: string, limits: { depth: number; values: number; names?: number }, cut = 7): number {
  const scan = createJsonScan({ names: 1_000_000, ...limits })
  const bytes = new TextEncoder().encode(text)
  try {
    for (let at = 0; at < bytes.length; at += cut) scan.push(bytes.subarray(at, at + cut))
    return 200
  } catch (error) {
    if (error instanceof RequestError) return error.status
    throw error
  }
}

/** Objects, arrays and their entries, where an empty one counts as one. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const entries = Object.values(value)
  return Math.max(entries.length, 1) + entries.reduce<number>((sum, entry) => sum + countOf(entry), 0)
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

const json = fc.jsonValue({ stringUnit: 'binary', depthSize: 'large' })
const spaced = fc.tuple(json, fc.constantFrom(undefined, 1))

describe('a JSON text is bounded by its bytes', () => {
  test("the scan counts exactly the values and the levels of the parser's result, however the text is cut", () => {
    fc.assert(
      fc.property(spaced, fc.integer({ min: 1, max: 9 }), ([value, space], cut) => {
        const text = JSON.stringify(value, null, space)
        const limits = { depth: depthOf(value), values: countOf(value) }
        expect(scanned(text, limits, cut)).toBe(200)
        if (limits.values === 0) return
        expect(scanned(text, { ...limits, values: limits.values - 1 }, cut)).toBe(413)
        expect(scanned(text, { ...limits, depth: limits.depth - 1 }, cut)).toBe(400)
      }),
      { numRuns: RUNS },
    )
  })

  test('a body that was parsed elsewhere is counted in the same way', () => {
    fc.assert(
      fc.property(json, (value) => {
        const body = { input: 'hi', client_metadata: { value } }
        const values = countOf(body)
        const limits = { depth: 500, values }
        expect(parseRequest(body, { limits })).toBeDefined()
        expect(() => parseRequest(body, { limits: { ...limits, values: values - 1 } })).toThrow(/too many values/)
      }),
      { numRuns: RUNS },
    )
  })

  test('brackets, commas and quotes inside of strings count for nothing', () => {
    const text = JSON.stringify(['[[[{{{,,,"]]]\\', '\\"[,'])
    expect(scanned(text, { depth: 1, values: 2 })).toBe(200)
  })

  test('the count ends at the limit: no byte after it is read', () => {
    let read = 0
    const bytes = new Proxy(new Uint8Array(1_000).fill(0x5b), {
      get(target, name) {
        if (typeof name === 'string' && /^\d+$/.test(name)) read += 1
        return Reflect.get(target, name, target)
      },
    })
    expect(() => createJsonScan({ depth: 20, values: 500, names: 500 }).push(bytes)).toThrow(/nested too deeply/)
    expect(read).toBe(21)
  })
})

test('different names of fields are bounded, however often each comes and wherever the text is cut', () => {
  const limits = { depth: 10, values: 100_000 }
  const objects = (count: number): string =>
    JSON.stringify(Array.from({ length: 300 }, (_, at) => ({ [`a "name" ${at % count}`]: 'a: "b": c', text: at })))
  for (const cut of [1, 7, 1000]) {
    expect(scanned(objects(9), { ...limits, names: 10 }, cut)).toBe(200)
    expect(scanned(objects(10), { ...limits, names: 10 }, cut)).toBe(413)
  }
})

test('names of one body are counted alike in its text and in its parsed value', () => {
  const properties = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`property_${at}`, { type: 'string' }]))
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object', properties } }]
  const body = { input: 'Hi', tools }
  // `input`, `tools`, `type`, `name`, `parameters`, `properties`, and the properties.
  for (const [names, status] of [
    [56, 200],
    [55, 413],
  ] as const) {
    expect(scanned(JSON.stringify(body), { depth: 10, values: 1000, names })).toBe(status)
    const parse = (): unknown => parseRequest(body, { limits: { names } })
    if (status === 200) expect(parse()).toMatchObject({ input: 'Hi' })
    else expect(parse).toThrow(expect.objectContaining({ status }))
  }
})
