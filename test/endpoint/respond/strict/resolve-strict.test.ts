import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../../../src/core/diagnostics/diagnostic.js'
import type { ResponseRequest } from '../../../../src/core/responses/request.js'
import type { InvalidOutput } from '../../../../src/endpoint/respond/index.js'
import type { Constraint, EngineCapabilities } from '../../../../src/engines/contract/constraint.js'
import { EngineError } from '../../../../src/engines/contract/engine-error.js'
import type { FittedConstraint } from '../../../../src/engines/contract/index.js'
import type { Slices } from '../../../../src/shared/slices.js'
import { ANSWER, type Held, type HeldScript, heldModelOf, type RunOptions, run } from '../scripted.js'

const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const F = { type: 'function', name: 'f', parameters: CITY } as const
const HOLDS: EngineCapabilities = { constraints: ['json_schema'] }
const CALL = '<|channel|>commentary to=functions.f <|constrain|>json<|message|>'
const RIGHT = '{"city":"Rome"}'
const WRONG = '{"town":"Rome"}'
const CALLS: HeldScript = { held: [`${CALL}${RIGHT}<|call|>`], free: [`${CALL}${WRONG}<|call|>`] }

async function runCall(request: Partial<ResponseRequest>, script: Partial<HeldScript> = {}, options: RunOptions = {}) {
  const calls: Held[] = []
  const diagnostics: Diagnostic[] = []
  const invalid: InvalidOutput[] = []
  const engine = heldModelOf({ capabilities: HOLDS, ...CALLS, calls, ...script })
  const observed = {
    onDiagnostic: (diagnostic: Diagnostic) => void diagnostics.push(diagnostic),
    onInvalidOutput: (one: InvalidOutput) => void invalid.push(one),
  }
  const whole = await run({ input: 'Go.', ...request }, { engine, ...observed, ...options })
  const constraints = calls.flatMap(({ options: { constraint } }) => constraint ?? [])
  return { ...whole, constraints, diagnostics, invalid, created: whole.events[0] as { response?: object } }
}

const PICKY: EngineCapabilities = {
  ...HOLDS,
  *fit(constraint) {
    yield
    const isHeld = !JSON.stringify(constraint).includes('"not"')
    if (isHeld) return { constraint, relaxed: [], nodes: 0 }
    return { constraint: undefined, relaxed: [{ path: '/not', message: "'not' is not permitted." }], nodes: 0 }
  },
}

describe('a function that does not say whether it is strict', () => {
  test.each<[string, object]>([
    ['without the field', F],
    ['with null', { ...F, strict: null }],
    ['that is loaded later', { ...F, defer_loading: true }],
  ])('a function %s is held to its schema as it is written, and echoed as strict from the beginning', async (_, f) => {
    const { output, constraints, created, response, entries } = await runCall({ tools: [f] as never })
    expect(output).toMatchObject([{ type: 'function_call', arguments: RIGHT }])
    expect(constraints).toEqual([{ jsonSchema: CITY }])
    expect(created.response).toMatchObject({ tools: [{ name: 'f', strict: true, parameters: CITY }] })
    expect(response).toMatchObject({ tools: [{ name: 'f', strict: true }] })
    expect(entries[0]).toMatchObject({
      request: { tools: [{ ...F, strict: true }] },
      constrained: ['tools[0].parameters'],
    })
  })

  test('a function of a namespace is held and echoed as one outside of it', async () => {
    const at = (turn: string): string => turn.replace('functions.f', 'ns.f')
    const script = { held: CALLS.held.map(at), free: CALLS.free?.map(at) ?? [] }
    const loose = { ...F, name: 'loose', strict: false }
    const { output, constraints, response } = await runCall(
      { tools: [{ type: 'namespace', name: 'ns', description: '', tools: [loose, F] }] },
      script,
    )
    expect(output).toMatchObject([{ namespace: 'ns', arguments: RIGHT }])
    expect(constraints).toEqual([{ jsonSchema: CITY }])
    expect(response.tools).toMatchObject([{ tools: [{ strict: false }, { strict: true }] }])
  })

  test.each<[string, object | null | undefined, object]>([
    ['no parameters', undefined, { type: 'object', properties: {}, additionalProperties: false }],
    ['parameters of null', null, { type: 'object', properties: {}, additionalProperties: false }],
    ['parameters that may be anything', {}, {}],
    ['parameters that are any object', { type: 'object' }, { type: 'object' }],
    ['parameters that are no object', { type: 'string' }, { type: 'string' }],
  ])('a function with %s is held to the parameters as declared', async (_what, parameters, jsonSchema) => {
    const f = { type: 'function' as const, name: 'f', ...(parameters !== undefined && { parameters }) }
    const { constraints } = await runCall({ tools: [f] as never })
    expect(constraints).toEqual([{ jsonSchema }])
  })

  test('a function that says that it is not strict is free', async () => {
    const { output, constraints, response, invalid } = await runCall({ tools: [{ ...F, strict: false }] })
    expect(output).toMatchObject([{ arguments: WRONG }])
    expect(constraints).toEqual([])
    expect(response.tools).toMatchObject([{ strict: false }])
    expect(invalid).toEqual([])
  })

  test.each<[string, object]>([
    ['a custom tool', { type: 'custom', name: 'c' }],
    ['an MCP server', { type: 'mcp', server_label: 'docs', require_approval: 'never' }],
    ['a built-in tool', { type: 'code_interpreter', container: { type: 'auto' } }],
  ])('%s holds nothing and is echoed without strict', async (_what, tool) => {
    const { constraints, response } = await runCall({ tools: [tool] as never }, { held: [ANSWER] })
    expect(constraints).toEqual([])
    expect(response.tools?.[0]).not.toHaveProperty('strict')
  })

  test.each(['relax', 'refuse'] as const)(
    'a function whose schema the engine cannot hold is relaxed, reported and echoed as not strict: %s',
    async (onUnsupportedConstraint) => {
      const tools = [F, { ...F, name: 'g', parameters: { not: {} } }]
      const options = { onUnsupportedConstraint }
      const whole = await runCall({ tools }, { capabilities: PICKY }, options)
      expect(whole.output).toMatchObject([{ name: 'f', arguments: RIGHT }])
      expect(whole.created.response).toMatchObject({ tools: [{ strict: true }, { strict: false }] })
      expect(whole.diagnostics).toEqual([
        { code: 'relaxed_schema', subject: "tools[1].parameters/not: 'not' is not permitted.", index: -1 },
      ])
      const at = (turn: string): string => turn.replace('functions.f', 'functions.g')
      const other = await runCall(
        { tools },
        { capabilities: PICKY, held: CALLS.held.map(at), free: CALLS.free?.map(at) ?? [] },
        options,
      )
      expect(other.output).toMatchObject([{ name: 'g', arguments: WRONG }])
      expect(other.invalid).toEqual([])
    },
  )

  test('a schema that breaks the reading of it relaxes its function', async () => {
    const errors: unknown[] = []
    const fit = () => {
      throw new RangeError('too deep')
    }
    const { output, response, diagnostics } = await runCall(
      { tools: [F] },
      { capabilities: { ...HOLDS, fit } },
      { onUnsupportedConstraint: 'refuse', onError: (error) => void errors.push(error) },
    )
    expect(output).toMatchObject([{ arguments: WRONG }])
    expect(response.tools).toMatchObject([{ strict: false }])
    expect(diagnostics).toMatchObject([{ code: 'relaxed_schema' }])
    expect(errors.map(String)).toEqual(['RangeError: too deep'])
  })

  test('a process that continues from the entries of a relaxed function is not told again', async () => {
    const tools = [{ ...F, parameters: { not: {} } }]
    const whole = await runCall({ tools }, { capabilities: PICKY })
    for (const [at, shown] of whole.before.entries()) {
      if (at === 0) continue
      const rest = await runCall({ tools }, { capabilities: PICKY }, { entries: whole.entries.slice(0, at) })
      expect(rest.events).toEqual(whole.events.slice(shown))
      expect(rest.diagnostics).toEqual([])
    }
  })

  test.each(['relax', 'refuse'] as const)(
    'an engine without constraints leaves it free, and echoes it as not strict: %s',
    async (onUnsupportedConstraint) => {
      const { output, response, diagnostics, invalid } = await runCall(
        { tools: [F] },
        { capabilities: {} },
        { onUnsupportedConstraint },
      )
      expect(output).toMatchObject([{ arguments: WRONG }])
      expect(response.tools).toMatchObject([{ strict: false }])
      expect([diagnostics, invalid]).toEqual([[], []])
    },
  )

  test('an engine that cannot report its abilities leaves it free', async () => {
    const errors: unknown[] = []
    const down = new EngineError('server_error', 'no route')
    const engine = { ...heldModelOf(CALLS), capabilities: () => Promise.reject(down) }
    const { output } = await runCall({ tools: [F] }, CALLS, { engine, onError: (error) => void errors.push(error) })
    expect(output).toMatchObject([{ arguments: WRONG }])
    expect(errors).toEqual([down])
  })

  test('a function that tool_choice leaves out holds nothing, and its schema is not reported', async () => {
    const tools = [F, { ...F, name: 'g', parameters: { not: {} } }]
    const { constraints, response, diagnostics } = await runCall(
      { tools, tool_choice: 'none' },
      { held: [ANSWER], capabilities: PICKY },
    )
    expect(constraints).toEqual([])
    expect(response.tools).toMatchObject([{ strict: true }, { strict: true }])
    // The diagnostic is about the excluded call, not about a schema.
    expect(diagnostics.map(({ code }) => code)).toEqual(['unavailable_tool'])
  })

  test('each schema is asked about once', async () => {
    let asked = 0
    const fit = function* (constraint: Constraint): Slices<FittedConstraint> {
      asked += 1
      yield
      return { constraint, relaxed: [], nodes: 0 }
    }
    await runCall({ tools: [F, { ...F, name: 'g' }] }, { capabilities: { ...HOLDS, fit } })
    expect(asked).toBe(2)
  })
})
