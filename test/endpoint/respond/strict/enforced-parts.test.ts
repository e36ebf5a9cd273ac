import { describe, expect, test } from 'vitest'
import { FREE_CHOICE } from '../../../../src/core/recipients/tool-choice.js'
import type { ResponseRequest } from '../../../../src/core/responses/request.js'
import { type EnforcedParts, enforcedParts } from '../../../../src/endpoint/respond/strict/enforced-parts.js'
import { strictParts } from '../../../../src/endpoint/respond/strict/strict-parts.js'
import type { EngineCapabilities } from '../../../../src/engines/contract/constraint.js'
import { GBNF_CAPABILITIES } from '../../../../src/engines/sources/gbnf.js'
import { RequestError } from '../../../../src/shared/request-error.js'
import { atOnce, type Slices } from '../../../../src/shared/slices.js'

const tool = (parameters: object, strict?: boolean, name = 'f') =>
  ({ type: 'function', name, parameters, ...(strict !== undefined && { strict }) }) as const

function holding(
  request: Pick<ResponseRequest, 'tools' | 'text'>,
  capabilities: EngineCapabilities = GBNF_CAPABILITIES,
  onUnsupportedConstraint: 'relax' | 'refuse' = 'relax',
): Slices<EnforcedParts> {
  const parts = strictParts({ input: '', ...request } as ResponseRequest, FREE_CHOICE)
  return enforcedParts(parts, capabilities, { onUnsupportedConstraint, onError: (error) => expect.fail(String(error)) })
}

function refusal(work: Slices<EnforcedParts>): unknown {
  try {
    atOnce(work)
  } catch (error) {
    if (error instanceof RequestError) return { ...error.body.error, status: error.status }
    throw error
  }
  throw new Error('not refused')
}

const ENGINES: readonly [string, EngineCapabilities][] = [
  ['one that writes grammars', GBNF_CAPABILITIES],
  ['one that holds schemas by itself', { constraints: ['json_schema'] }],
  ['one without constraints', {}],
]

describe('a value that is not a schema', () => {
  test.each(ENGINES)(
    'a value that is not a schema is refused with its path, before anything is sampled: %s',
    (_what, capabilities) => {
      const inA = (schema: unknown): object => ({ type: 'object', properties: { a: schema } })
      for (const strict of [true, undefined]) {
        expect(refusal(holding({ tools: [tool(inA({ type: 'objekt' }), strict)] }, capabilities))).toEqual({
          status: 400,
          type: 'invalid_request_error',
          param: 'tools[0].parameters',
          code: 'invalid_function_parameters',
          message: expect.stringContaining("In context=('properties', 'a', 'type'), "),
        })
      }
      const format = { type: 'json_schema', name: 'x', schema: inA({ $ref: '#/$defs/none' }) } as const
      expect(refusal(holding({ text: { format } }, capabilities))).toMatchObject({
        status: 400,
        param: 'text.format.schema',
        code: 'invalid_json_schema',
        message: expect.stringContaining("'$ref'"),
      })
    },
  )

  test('a function that is not strict may have any parameters', () => {
    expect(atOnce(holding({ tools: [tool({ type: 'objekt' }, false)] })).enforced).toEqual([])
  })
})

describe('what cannot be enforced', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'number', multipleOf: 0.01 }, b: { type: 'integer' } },
    required: ['a', 'b'],
  }

  test('a keyword is relaxed by itself, and named with its path', () => {
    const { enforced, typeOnly, relaxed } = atOnce(holding({ tools: [tool(schema, true)] }))
    expect(enforced).toEqual(['tools[0].parameters'])
    expect(typeOnly).toEqual([])
    expect(relaxed).toEqual([expect.stringMatching(/^tools\[0\]\.parameters\/properties\/a\/multipleOf: /)])
  })

  test('a request that must not be relaxed is refused, but not for a function that does not say strict', () => {
    expect(refusal(holding({ tools: [tool(schema, true)] }, GBNF_CAPABILITIES, 'refuse'))).toMatchObject({
      code: 'invalid_function_parameters',
      message: expect.stringContaining("('properties', 'a', 'multipleOf')"),
    })
    expect(atOnce(holding({ tools: [tool(schema)] }, GBNF_CAPABILITIES, 'refuse')).enforced).toEqual([
      'tools[0].parameters',
    ])
  })
})

describe('a kind of constraint that the engine does not support', () => {
  const lark = {
    type: 'custom',
    name: 'c',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
  } as const
  const regex = { ...lark, format: { type: 'grammar', syntax: 'regex', definition: 'a+' } } as const
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const reason = (kind: string): string => `the engine does not support this kind of constraint: ${kind}`

  test.each<[string, ResponseRequest['tools'], EngineCapabilities, string[]]>([
    ['a Lark grammar', [lark, regex], GBNF_CAPABILITIES, [`tools[0].format: ${reason('lark')}`]],
    [
      'a strict function',
      [tool(schema, true)],
      { constraints: ['regex'] },
      [`tools[0].parameters: ${reason('json_schema')}`],
    ],
    [
      'a function without strict',
      [tool(schema)],
      { constraints: ['regex'] },
      [`tools[0].parameters: ${reason('json_schema')}`],
    ],
    ['by an engine without any', [lark, tool(schema, true), tool(schema)], {}, []],
    ['by an engine that lists none', [lark, tool(schema, true)], { constraints: [] }, []],
  ])(
    'a kind that the engine does not support is reported if it supports another: %s',
    (_, tools, capabilities, told) => {
      expect(atOnce(holding({ tools: tools ?? [] }, capabilities)).relaxed).toEqual(told)
    },
  )

  test('a format whose kind the engine does not support is reported, and the function beside it is free', () => {
    const request = { tools: [tool(schema)], text: { format: { type: 'json_object' } } } as const
    const { enforced, relaxed, free } = atOnce(holding(request, { constraints: ['regex'] }))
    expect([enforced, [...free]]).toEqual([[], ['tools[0].parameters']])
    expect(relaxed).toContain(`text.format: ${reason('json_schema')}`)
  })

  test.each([{}, GBNF_CAPABILITIES])(
    'a kind that the engine does not support is refused where nothing may be relaxed: %j',
    (capabilities) => {
      expect(refusal(holding({ tools: [lark] }, capabilities, 'refuse'))).toMatchObject({
        param: 'tools[0].format',
        code: 'unsupported_value',
      })
    },
  )
})

describe('the budget of a request', () => {
  test('a thousand strict functions of a hundred patterns are work in pieces, and the last ones are enforced by type', () => {
    const patterns = (n: number): object =>
      Object.fromEntries(
        Array.from({ length: 100 }, (_, m) => [`p${m}`, { type: 'string', pattern: `^[a-z]{${n},${n + m}}x+$` }]),
      )
    const tools = Array.from({ length: 1_000 }, (_, n) =>
      tool({ type: 'object', properties: patterns(n) }, true, `f${n}`),
    )
    const work = holding({ tools })
    let pauses = 0
    let step = work.next()
    for (; !step.done; step = work.next()) pauses += 1
    const { enforced, typeOnly, relaxed } = step.value
    expect(pauses).toBeGreaterThan(100)
    expect(enforced.length).toBe(1_000)
    expect(typeOnly.length).toBeGreaterThan(900)
    expect(typeOnly).toEqual(enforced.slice(-typeOnly.length))
    expect(relaxed).toHaveLength(typeOnly.length)
    // Cached schemas are counted as well: every process must decide alike.
    expect(atOnce(holding({ tools })).typeOnly).toEqual(typeOnly)
  })

  test('a schema of too many values is enforced by its type', () => {
    const schema = { type: 'object', properties: { a: { enum: Array.from({ length: 60_000 }, (_, n) => n) } } }
    const { enforced, typeOnly, relaxed } = atOnce(holding({ tools: [tool(schema, true)] }))
    expect([enforced, typeOnly]).toEqual([['tools[0].parameters'], ['tools[0].parameters']])
    expect(relaxed).toEqual([expect.stringContaining('more than 50000 values')])
  })
})

test('each new schema is compiled in slices of its own, however small, and a known one is not compiled again', () => {
  const properties = (n: number): object => ({ [`only_here_${n}`]: { type: 'string' }, limit: { type: 'integer' } })
  const tools = Array.from({ length: 40 }, (_, n) => tool({ type: 'object', properties: properties(n) }, true, `f${n}`))
  const pausesOf = (work: Slices<EnforcedParts>): number => {
    for (let pauses = 0; ; pauses++) if (work.next().done) return pauses
  }
  expect(pausesOf(holding({ tools }))).toBeGreaterThanOrEqual(2 * tools.length)
  expect(pausesOf(holding({ tools }))).toBeLessThan(tools.length / 10)
})
