import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRequest, RequestError } from '../../../src/endpoint/request/index.js'
import { parseRequestInSlices } from '../../../src/endpoint/request/parse-request.js'
import { pathOf } from '../../../src/endpoint/request/path.js'
import { atOnce, createWork } from '../../../src/shared/slices.js'
import { sdkTypes } from '../../support/openai-sdk.js'
import { runs } from '../../support/runs.js'
import { typeOracle } from '../../support/type-oracle.js'
import { errorOf } from './errors.js'
import { sdkRequests as requests } from './sdk-values.js'

const sdk = sdkTypes('resources/responses/responses')

/** Text that the parser knows: the names of fields, and what they may hold. */
const words = fc.constantFrom(
  ...'input tools type role content user message function name text format json_schema metadata reasoning effort'.split(
    ' ',
  ),
  ...'tool_choice conversation __proto__ constructor hasOwnProperty length id summary item_reference output'.split(' '),
)
const soup = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e300, '', 'hi'),
    words,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(words, tie('value'), { maxKeys: 6, noNullPrototype: true }),
  ),
})).value

describe('what JSON can hold', () => {
  const becomes = (body: unknown): void => {
    try {
      expect(parseRequest(body)).toBeTypeOf('object')
    } catch (error) {
      if (!(error instanceof RequestError)) throw error
      expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' })
      expect(error.body.error.message).toMatch(/^.{10,2000}\.$/s)
    }
  }

  test('any JSON value gives a request or a RequestError, nothing else', () => {
    fc.assert(fc.property(fc.jsonValue(), becomes), { numRuns: runs(500) })
    fc.assert(fc.property(soup, becomes), { numRuns: runs(2_000) })
  })

  test('any JSON value instead of any part of a request gives a request or a RequestError, nothing else', () => {
    fc.assert(
      fc.property(requests, soup, fc.nat(), (body, value, at) => {
        const paths = partsOf(body, [])
        becomes(replaced(body, paths[at % paths.length] ?? [], value))
      }),
      { numRuns: runs(1_000) },
    )
  })

  test('a parse in slices gives the same request or the same error as a parse at once', () => {
    const outcome = (parse: () => unknown): unknown => {
      try {
        return parse()
      } catch (error) {
        if (!(error instanceof RequestError)) throw error
        return { ...error.body, status: error.status }
      }
    }
    const longer = (value: unknown): unknown =>
      Array.isArray(value) && value.length > 0 ? Array.from({ length: 7 }, (_, at) => value[at % value.length]) : value
    fc.assert(
      fc.property(
        requests,
        soup,
        fc.nat(),
        fc.boolean(),
        fc.integer({ min: 1, max: 200 }),
        (body, value, at, isBad, slice) => {
          const paths = partsOf(body, [])
          const long = paths.reduce(
            (known, path) => replaced(known, path, longer(valueIn(known, path))),
            body as unknown,
          )
          const sent = isBad ? replaced(long, paths[at % paths.length] ?? [], value) : long
          const inSlices = outcome(() => atOnce(parseRequestInSlices(sent, {}, createWork(slice))))
          expect(inSlices).toEqual(outcome(() => parseRequest(sent)))
        },
      ),
      { numRuns: runs(1_000) },
    )
  })

  test('a parse pauses within one item as between many', () => {
    const part = { type: 'input_text', text: 'Hi' }
    const items = Array.from({ length: 3000 }, () => ({ role: 'user', content: 'Hi' }))
    const parts = [{ role: 'user', content: Array.from({ length: 3000 }, () => part) }]
    for (const input of [items, parts]) {
      const slices = [...parseRequestInSlices({ input }, {}, createWork(1000))]
      expect(slices.length).toBeGreaterThan(20)
      expect(slices.length).toBeLessThan(200)
    }
  })

  test('no JSON value changes a prototype', () => {
    const before = Object.getOwnPropertyNames(Object.prototype).sort()
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      const hostile = `{"${key}":{"polluted":true,"temperature":9,"type":"function"}}`
      for (const body of [
        `{"input":"hi","${key}":{"temperature":9}}`,
        `{"input":[{"role":"user","content":"hi","${key}":{"type":"nope"}}]}`,
        `{"input":"hi","metadata":{"${key}":"x"},"tools":[{"type":"function","name":"f","parameters":${hostile}}]}`,
        `{"input":"hi","tools":[{"type":"image_generation","${key}":${hostile}}]}`,
      ]) {
        const parsed = parseRequest(JSON.parse(body))
        expect(parsed.temperature).toBeUndefined()
        expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
        expect(Object.getPrototypeOf(parsed.tools?.[0] ?? {})).toBe(Object.prototype)
      }
    }
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('what comes out', () => {
  test('a parsed request is the same when it is sent and parsed again', () => {
    fc.assert(
      fc.property(requests, (body) => {
        const parsed = parseRequest(body)
        expect(parseRequest(JSON.parse(JSON.stringify(parsed)))).toEqual(parsed)
      }),
      { numRuns: runs(500) },
    )
  })

  test('a request is the same if the client leaves out what it sent as null', () => {
    fc.assert(
      fc.property(requests, (body) => {
        const without = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
        expect(parseRequest(without)).toEqual(parseRequest(body))
      }),
      { numRuns: runs(300) },
    )
  })

  test('a parsed request has no null for a parameter, and fits its type', () => {
    const isParsed = typeOracle(
      fileURLToPath(new URL('../../../src/core/responses/parsed-request.ts', import.meta.url)),
      'ParsedRequest',
    )
    fc.assert(
      fc.property(requests, (body) => {
        const parsed = parseRequest(body)
        expect(Object.values(parsed)).not.toContain(null)
        expect(isParsed(parsed)).toBe(true)
      }),
      { numRuns: runs(300) },
    )
  })

  test('a parsed request shares nothing with the body but JSON Schemas', () => {
    const item = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' }
    const tool = { type: 'function', name: 'f', parameters: { type: 'object' } }
    const { input, tools } = parseRequest({ input: [item], tools: [tool] })
    expect(input?.[0]).not.toBe(item)
    expect(tools?.[0]).not.toBe(tool)
    expect(tools?.[0]).toHaveProperty('parameters', tool.parameters)
  })
})

/** Places where the parser checks only a type, although the SDK specifies more, by the path within the request. */
const NOT_CHECKED: readonly { readonly path: RegExp; readonly because: string }[] = [
  { path: /\.(action|actions\[\d+\])\.(?!type$)/, because: 'no gpt-oss model uses a computer' },
  { path: /\.environment\.(?!type$|container_id$)/, because: 'the environment of a shell is only echoed' },
  { path: /\.container\.(?!type$)/, because: 'the container of a code interpreter is only echoed' },
  { path: /^(image|access_programs)(\.|$)/, because: 'it is ignored' },
]
const ONLY_ECHOED = /^(computer|computer_use_preview|image_generation|programmatic_tool_calling|tool_search)$/

describe('one mistake', () => {
  test('a request that is wrong in one place is refused, and the error names that place', () => {
    const isSdk = typeOracle(sdk, 'ResponseCreateParamsBase')
    const seen = new Set<string>()
    fc.assert(
      fc.property(requests, fc.nat(), (body, at) => {
        const leaves = partsOf(body, []).filter((path) => typeof valueIn(body, path) !== 'object')
        const path = leaves[at % leaves.length] ?? []
        const param = pathOf(path)
        expect(isSdk(body)).toBe(true)
        const damaged = replaced(body, path, typeof valueIn(body, path) === 'boolean' ? 'wrong' : true)
        fc.pre(!isSdk(damaged) && !isNotChecked(damaged, path, param))
        seen.add(param.replace(/\[\d+\]/g, '[]'))
        expect(errorOf(damaged).param).toBe(param)
      }),
      { numRuns: runs(2_000) },
    )
    expect(seen.size).toBeGreaterThan(30)
  })

  test('an item that lacks a field is refused, and the error names the field', () => {
    const body = { input: [{ type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' }] }
    for (const field of ['call_id', 'name', 'arguments']) {
      const { [field]: _, ...item } = body.input[0] as { [field: string]: string }
      expect(errorOf({ input: [item] })).toMatchObject({
        param: `input[0].${field}`,
        code: 'missing_required_parameter',
      })
    }
  })
})

function isNotChecked(body: unknown, path: readonly (string | number)[], param: string): boolean {
  if (NOT_CHECKED.some((each) => each.path.test(param))) return true
  // A tool that is only echoed, or an image that was generated: wherever it is, everything below its type.
  return path.some((_, length) => {
    const { type } = Object(valueIn(body, path.slice(0, length))) as { type?: unknown }
    const [field] = path.slice(length)
    if (type === 'image_generation_call') return !/^(id|result|revised_prompt|status|type)$/.test(String(field))
    return typeof type === 'string' && ONLY_ECHOED.test(type) && field !== 'type'
  })
}

/** The paths of everything within a value. */
function partsOf(value: unknown, path: readonly (string | number)[]): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [...(path.length === 0 ? [] : [path]), ...entries.flatMap(([step, part]) => partsOf(part, [...path, step]))]
}

function valueIn(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce((part: unknown, step) => (part as { [step: string]: unknown })[step], value)
}

function replaced(value: unknown, [step, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (step === undefined) return by
  const copy: { [step: string]: unknown } | unknown[] = Array.isArray(value) ? [...value] : { ...(value as object) }
  const part = (copy as { [step: string]: unknown })[step]
  return Object.assign(copy, { [step]: replaced(part, rest, by) })
}
