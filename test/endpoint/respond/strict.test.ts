import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FIRST_SPECIAL, SPECIAL } from '../../../src/core/harmony/vocabulary.js'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import type { InvalidOutput } from '../../../src/endpoint/respond/index.js'
import { checkEnforces } from '../../../src/engines/contract/check-constraint.js'
import type { EngineCapabilities } from '../../../src/engines/contract/constraint.js'
import type { TokenEngine } from '../../../src/engines/contract/engine.js'
import { EngineError } from '../../../src/engines/contract/engine-error.js'
import { tokenStream } from '../../../src/engines/contract/token-stream.js'
import { RequestError } from '../../../src/shared/request-error.js'
import { runs } from '../../support/runs.js'
import { decodeTokens, encodeHarmony } from '../../support/tokens.js'
import { expectSameAfterDeath } from './same-after-death.js'
import { ANSWER, GITHUB, type Held, type HeldScript, heldModelOf, type Run, run, SEARCH } from './scripted.js'

const PLACE = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const F = { type: 'function', name: 'f', parameters: PLACE, strict: true } as const
const LOOSE = { type: 'function', name: 'loose', parameters: PLACE, strict: false } as const
const FORMAT = { type: 'json_schema', name: 'place', schema: PLACE, strict: true } as const
const ALL: EngineCapabilities = { constraints: ['json_schema', 'regex', 'lark'] }

const THINK = '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant'
const PREAMBLE = '<|channel|>commentary<|message|>I call it.<|end|><|start|>assistant'
const CALL = '<|channel|>commentary to=functions.f <|constrain|>json<|message|>'
const FINAL = '<|channel|>final<|message|>'
const RIGHT = '{"city":"Rome"}'
const WRONG = 'Rome, of course'

/** Runs a response with a model that supports constraints. */
async function runHeld(
  request: Partial<ResponseRequest>,
  script: HeldScript,
  options: Parameters<typeof run>[1] = {},
): Promise<Run & { readonly calls: readonly Held[] }> {
  const calls: Held[] = []
  const engine = heldModelOf({ capabilities: ALL, calls, ...script })
  return { ...(await run({ input: 'Go.', ...request }, { engine, ...options })), calls }
}

const textOf = (answer: Run): unknown => answer.output.find(({ type }) => type === 'message')
const kindsOf = ({ calls }: { calls: readonly Held[] }): unknown[] => calls.map(({ options }) => options.constraint)

describe('a strict body', () => {
  test.each<[string, Partial<ResponseRequest>, string, object, object]>([
    ['of a function', { tools: [F] }, CALL, { jsonSchema: PLACE }, { type: 'function_call', arguments: RIGHT }],
    [
      'of a function in a namespace',
      { tools: [{ type: 'namespace', name: 'ns', tools: [F] }] },
      CALL.replace('functions.f', 'ns.f'),
      { jsonSchema: PLACE },
      { type: 'function_call', namespace: 'ns', arguments: RIGHT },
    ],
    [
      'of a function without parameters',
      { tools: [{ ...F, parameters: null }] },
      CALL,
      { jsonSchema: { type: 'object', properties: {}, additionalProperties: false } },
      { type: 'function_call' },
    ],
    [
      'of a custom tool with a regular expression',
      { tools: [{ type: 'custom', name: 'f', format: { type: 'grammar', syntax: 'regex', definition: '.*' } }] },
      CALL.replace(' <|constrain|>json', ''),
      { regex: '.*' },
      { type: 'custom_tool_call', input: RIGHT },
    ],
    [
      'of a custom tool with a Lark grammar',
      {
        tools: [{ type: 'custom', name: 'f', format: { type: 'grammar', syntax: 'lark', definition: 'start: /.*/' } }],
      },
      CALL.replace(' <|constrain|>json', ''),
      { grammar: 'start: /.*/', syntax: 'lark' },
      { type: 'custom_tool_call', input: RIGHT },
    ],
    ['of an answer', { text: { format: FORMAT } }, FINAL, { jsonSchema: PLACE }, { content: [{ text: RIGHT }] }],
    [
      'of an answer that OpenAI would hold as far as it can',
      { text: { format: { ...FORMAT, strict: false } } },
      FINAL,
      { jsonSchema: PLACE },
      { content: [{ text: RIGHT }] },
    ],
    [
      'of an answer that is any object',
      { text: { format: { type: 'json_object' } } },
      FINAL,
      { jsonSchema: { type: 'object' } },
      { content: [{ text: RIGHT }] },
    ],
  ])('a strict body %s is constrained from its first token on', async (_what, request, header, constraint, item) => {
    const end = header === FINAL ? '<|return|>' : '<|call|>'
    const script = { held: [THINK + header + RIGHT + end], free: [THINK + header + WRONG + end] }
    const { output, calls } = await runHeld(request, script)
    expect(output.at(-1)).toMatchObject({ ...item, status: 'completed' })
    expect(JSON.stringify(output)).not.toContain('of course')
    // Pauses at the reasoning and at the body.
    expect(kindsOf({ calls })).toEqual([undefined, undefined, constraint])
    expect(calls[2]?.context.at(-1)).toBe(SPECIAL.message)
  })

  test('nothing but a strict body is constrained: reasoning, preambles, and loose functions are free', async () => {
    const loose = CALL.replace('functions.f', 'functions.loose')
    const turn = `${THINK}${PREAMBLE}${loose}${RIGHT}<|end|><|start|>assistant${CALL}${RIGHT}<|call|>`
    const { output, calls } = await runHeld({ tools: [F, LOOSE] }, { held: [turn] })
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call', 'function_call'])
    expect(kindsOf({ calls }).map((constraint) => constraint !== undefined)).toEqual([false, false, false, false, true])
  })

  test('the strict body of each of several calls in one turn is constrained', async () => {
    const turn = `${CALL}${RIGHT}<|end|><|start|>assistant${CALL}${RIGHT}<|call|>`
    const { output, calls } = await runHeld({ tools: [F] }, { held: [turn], free: [turn.replaceAll(RIGHT, WRONG)] })
    expect(output).toMatchObject([{ arguments: RIGHT }, { arguments: RIGHT }])
    expect(kindsOf({ calls })).toEqual([undefined, { jsonSchema: PLACE }, undefined, { jsonSchema: PLACE }])
  })

  test.each(['<|call|>', '<|return|>', '<|endoftext|>', '<|end|>'])('a strict body may end in %s', async (end) => {
    const called = await runHeld(
      { tools: [F] },
      { held: [`${CALL}${RIGHT}${end}${end === '<|end|>' ? '<|return|>' : ''}`] },
    )
    expect(called.output).toMatchObject([{ type: 'function_call', status: 'completed', arguments: RIGHT }])
    expect(called.response.status).toBe('completed')
    const answered = await runHeld(
      { text: { format: FORMAT } },
      { held: [`${FINAL}${RIGHT}${end}${end === '<|end|>' ? '<|return|>' : ''}`] },
    )
    expect(textOf(answered)).toMatchObject({ status: 'completed', content: [{ text: RIGHT }] })
    expect(answered.response.status).toBe('completed')
  })

  test.each([
    [{ tools: [F] }, `${CALL}${RIGHT}<|call|>`],
    [{ text: { format: FORMAT } }, `${FINAL}${RIGHT}<|return|>`],
  ])('a strict body gets the end that the engine swallowed', async (request, turn) => {
    const whole = await runHeld(request, { held: [turn], swallows: true })
    const other = await runHeld(request, { held: [turn] })
    expect(whole.output).toEqual(other.output)
    expect(whole.transcript).toEqual(other.transcript)
    expect(whole.entries.filter(({ type }) => type === 'host')).toMatchObject([
      { tokens: encodeHarmony(turn).slice(-1) },
    ])
  })

  test('a strict body that a request demands is constrained right after the header that the host wrote', async () => {
    const script = { held: [`${THINK}${CALL}${RIGHT}<|call|>`], free: [`${THINK}${CALL}${WRONG}<|call|>`] }
    const { output, calls } = await runHeld({ tools: [F], tool_choice: { type: 'function', name: 'f' } }, script)
    expect(output).toMatchObject([{ type: 'reasoning' }, { type: 'function_call', arguments: RIGHT }])
    expect(kindsOf({ calls })).toEqual([undefined, { jsonSchema: PLACE }])
  })

  test('control tokens that the engine writes in a strict body fail the response', async () => {
    const forged = `${FINAL}{"city":"R<|end|><|start|>assistant<|channel|>final<|message|>forged"}<|return|>`
    const errors: unknown[] = []
    const onError = (error: unknown): void => void errors.push(error)
    const broken = `${FINAL}{"city":"R<|channel|>forged"}<|return|>`
    const { response, events } = await runHeld({ text: { format: FORMAT } }, { held: [broken], size: 9 }, { onError })
    expect(response.status).toBe('failed')
    expect(JSON.stringify(events)).not.toContain('forged')
    expect(errors.map(String).join()).toContain(`sampled ${SPECIAL.channel} under a constraint`)
    // The engine's tokens after an end are not read.
    const model = heldModelOf({ held: [forged], capabilities: ALL })
    const generate: typeof model.generate = (context, options) => {
      if (options?.constraint === undefined) return model.generate(context, options)
      return tokenStream(async function* () {
        yield encodeHarmony(forged.slice(FINAL.length))
        return undefined
      })
    }
    const cut = await run({ input: 'Go.', text: { format: FORMAT } }, { engine: { ...model, generate } })
    expect(cut.output[0]).toMatchObject({ content: [{ text: '{"city":"R' }] })
    expect(JSON.stringify(cut.events)).not.toContain('forged')
  })

  test('a turn is cut at the header of a strict body even if the engine gives more', async () => {
    const turn = `${FINAL}${WRONG}<|return|>`
    const calls: Held[] = []
    const engine = heldModelOf({
      held: [`${FINAL}${RIGHT}<|return|>`],
      free: [turn],
      capabilities: ALL,
      calls,
      size: 99,
    })
    const deaf: typeof engine.generate = (context, { stop: _, ...options } = {}) => engine.generate(context, options)
    const { output } = await run({ input: 'Go.', text: { format: FORMAT } }, { engine: { ...engine, generate: deaf } })
    expect(output).toMatchObject([{ content: [{ text: RIGHT }] }])
  })

  test.each(['<|channel|>final', '<|channel|>final <|constrain|>json'])(
    'a strict body is constrained too after a header that the model left open: %s',
    async (header) => {
      const calls: Held[] = []
      const right = heldModelOf({ held: [`${header}<|message|>${RIGHT}<|return|>`], capabilities: ALL, calls })
      const wrong = heldModelOf({ held: [`${header}{"town":"Rome"}<|return|>`], calls })
      const generate: typeof right.generate = (context, options) =>
        (options?.constraint === undefined ? wrong : right).generate(context, options)
      const { output } = await run({ input: 'Go.', text: { format: FORMAT } }, { engine: { ...right, generate } })
      expect(output).toMatchObject([{ type: 'message', status: 'completed', content: [{ text: RIGHT }] }])
      expect(kindsOf({ calls })).toEqual([undefined, { jsonSchema: PLACE }])
    },
  )

  test.each([
    ['<|channel|>final', ' The number is 42.<|return|>'],
    ['<|channel|>final', '<|return|>'],
    ['<|channel|>answer', '<|return|>'],
    [`${THINK}<|channel|>final <|constrain|>json`, '<|return|>'],
  ])('a strict body is constrained too where the model forgets to begin it: %s%s', async (header, rest) => {
    for (const swallows of [false, true]) {
      const calls: Held[] = []
      const right = heldModelOf({ held: [`${header}<|message|>${RIGHT}<|return|>`], capabilities: ALL, calls })
      const said = swallows ? rest.replace(/<.*/, '') : rest
      const wrong = heldModelOf({ held: [`${header}${said}`], calls })
      const generate: typeof right.generate = (context, options) =>
        (options?.constraint === undefined ? wrong : right).generate(context, options)
      const { output, response } = await run(
        { input: 'Go.', text: { format: FORMAT } },
        { engine: { ...right, generate } },
      )
      expect(output.at(-1)).toMatchObject({ type: 'message', status: 'completed', content: [{ text: RIGHT }] })
      expect(output.filter(({ type }) => type === 'message')).toHaveLength(1)
      expect(calls.at(-1)?.options.constraint).toEqual({ jsonSchema: PLACE })
      // All sampled tokens, including unused ones.
      const given = calls.reduce((sum, call) => sum + call.given.length, 0)
      if (rest.startsWith('<')) expect(response.usage?.output_tokens).toBe(given)
    }
  })

  test('a strict body spends the tokens of the response', async () => {
    const turn = encodeHarmony(`${FINAL}${RIGHT}<|return|>`)
    const most = turn.length - 2
    const { response, calls } = await runHeld(
      { text: { format: FORMAT }, max_output_tokens: most },
      { held: [`${FINAL}${RIGHT}<|return|>`] },
    )
    expect(calls.map(({ maxTokens }) => maxTokens)).toEqual([most, most - 3])
    expect(response).toMatchObject({ status: 'incomplete', usage: { output_tokens: most } })
  })
})

describe('without anything strict', () => {
  const requests: Partial<ResponseRequest>[] = [
    {},
    { tools: [LOOSE] },
    { tools: [F], tool_choice: 'none' },
    {
      tools: [F, LOOSE],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'loose' }] },
    },
    { tools: [{ type: 'custom', name: 'c' }], text: { format: { type: 'text' } } },
  ]

  test.each(requests)('the abilities of an engine change nothing where nothing is strict: %j', async (request) => {
    const held = [`${THINK}${PREAMBLE}${FINAL}Hi<|return|>`]
    const able = await runHeld(request, { held })
    const unable = await runHeld(request, { held, capabilities: {} })
    const asked = ({ calls }: typeof able): object[] =>
      calls.map(({ options: { signal: _, onUsage: __, ...options }, ...call }) => ({ ...call, options }))
    expect(asked(able)).toEqual(asked(unable))
    expect(able.calls).toHaveLength(1)
    expect(able.calls[0]?.options.stop).toBeUndefined()
    expect(able.events).toEqual(unable.events)
  })

  test('an engine that cannot report its abilities is asked where nothing is strict', async () => {
    const errors: unknown[] = []
    const engine = { ...heldModelOf({ held: [ANSWER] }), capabilities: () => Promise.reject(new Error('no route')) }
    const { response } = await run({ input: 'Go.' }, { engine, onError: (error) => void errors.push(error) })
    expect(response.status).toBe('completed')
    expect(errors.map(String)).toEqual(['Error: no route'])
  })
})

test('a strict response is not begun with an engine that cannot report its abilities', async () => {
  const down = new EngineError('server_error', 'no route')
  const engine = { ...heldModelOf({ held: [ANSWER] }), capabilities: () => Promise.reject(down) }
  await expect(run({ input: 'Go.', tools: [F] }, { engine })).rejects.toBe(down)
})

describe('log-probabilities', () => {
  const request: Partial<ResponseRequest> = {
    text: { format: FORMAT },
    include: ['message.output_text.logprobs'],
    top_logprobs: 2,
  }
  test.each([
    [undefined, [2, undefined]],
    [true, [2, 2]],
  ])('log-probabilities of a body are asked for if the engine has them beside a constraint: %s', async (has, asked) => {
    const capabilities = { ...ALL, ...(has && { hasConstrainedLogprobs: has }) }
    const { calls } = await runHeld(request, { held: [`${FINAL}${RIGHT}<|return|>`], capabilities })
    expect(calls.map(({ options }) => options.logprobs)).toEqual(asked)
  })
})

describe('usage', () => {
  test('usage counts no pause as a turn, and the cached tokens of the first call of each turn', async () => {
    const turns = [SEARCH, `${THINK}${FINAL}${RIGHT}<|return|>`]
    const request = { tools: [GITHUB], text: { format: FORMAT } }
    const paused = await runHeld(request, { held: turns, cachedTokens: 7 })
    const free = await runHeld(request, { held: turns, cachedTokens: 7, capabilities: {} })
    expect(paused.calls.length).toBeGreaterThan(free.calls.length)
    expect(paused.response.usage).toEqual(free.response.usage)
    expect(paused.response.usage?.input_tokens_details.cached_tokens).toBe(14)
  })

  test('usage is the same for a process that continues once the engine has reported it', async () => {
    const request: ResponseRequest = { input: 'Go.', text: { format: FORMAT } }
    const engine = (): TokenEngine =>
      heldModelOf({ held: [`${THINK}${FINAL}${RIGHT}<|return|>`], capabilities: ALL, cachedTokens: 7 })
    const whole = await run(request, { engine: engine() })
    const counted = whole.entries.findIndex(({ type }) => type === 'usage')
    expect(counted).toBeGreaterThan(0)
    for (const [at, shown] of whole.before.entries()) {
      if (at <= counted) continue
      const rest = await run(request, { engine: engine(), entries: whole.entries.slice(0, at) })
      expect(rest.events).toEqual(whole.events.slice(shown))
    }
  })

  test('usage never has more cached tokens than the prompt has', async () => {
    const model = heldModelOf({ held: [`${FINAL}${RIGHT}<|return|>`], capabilities: ALL })
    const whole = await run({ input: 'Go.', text: { format: FORMAT } }, { engine: model })
    const at = whole.entries.findLastIndex(({ type }) => type === 'chunk')
    const entries = whole.entries.slice(0, at).filter(({ type }) => type !== 'usage')
    const generate: typeof model.generate = (context, options) => {
      const stream = model.generate(context, options)
      const next = async () => {
        const step = await stream.next()
        return step.done
          ? { ...step, value: { reason: 'stop' as const, usage: { cachedTokens: context.length } } }
          : step
      }
      return { ...stream, next, return: () => stream.return(), [Symbol.asyncIterator]: () => stream }
    }
    const { response } = await run(
      { input: 'Go.', text: { format: FORMAT } },
      { engine: { ...model, generate }, entries },
    )
    expect(response.usage?.input_tokens_details.cached_tokens).toBe(response.usage?.input_tokens)
  })
})

describe('continuing from entries', () => {
  const parts = fc.record({
    lead: fc.constantFrom('', THINK, PREAMBLE, THINK + PREAMBLE),
    calls: fc.array(fc.constantFrom(CALL, CALL.replace('functions.f', 'functions.loose')), { maxLength: 2 }),
    last: fc.constantFrom(`${FINAL}${RIGHT}<|return|>`, `${CALL}${RIGHT}<|call|>`, `${FINAL}${RIGHT}<|call|>`),
    hosted: fc.boolean(),
    swallows: fc.boolean(),
    size: fc.integer({ min: 1, max: 4 }),
    isParallel: fc.boolean(),
    isForced: fc.boolean(),
    most: fc.option(fc.integer({ min: 1, max: 60 })),
    death: fc.nat(),
  })

  test('a process that continues in the middle of anything strict finds the same events', async () => {
    await fc.assert(
      fc.asyncProperty(parts, async ({ lead, calls, last, hosted, most, isForced, isParallel, death, ...how }) => {
        const turn = calls.map((call) => `${call}${RIGHT}<|end|><|start|>assistant`).join('')
        const forced = `${THINK}${CALL}${RIGHT}<|call|>`
        // An omitted end of a hosted call is missing without a constraint, too.
        const first = hosted && !how.swallows ? [lead + SEARCH] : []
        const held = isForced ? [forced] : [...first, lead + turn + last]
        const request: ResponseRequest = {
          input: 'Go.',
          tools: [F, LOOSE, GITHUB],
          text: { format: FORMAT },
          parallel_tool_calls: isParallel,
          ...(isForced && { tool_choice: { type: 'function', name: 'f' } }),
          ...(most !== null && { max_output_tokens: most }),
        }
        const engine = () => heldModelOf({ held, capabilities: ALL, ...how })
        const whole = await run(request, { engine: engine() })
        for (const [at, shown] of whole.before.entries()) {
          const rest = await run(request, { engine: engine(), entries: whole.entries.slice(0, at) })
          expect(rest.events).toEqual(whole.events.slice(shown))
          expect(rest.transcript).toEqual(whole.transcript)
        }
        await expectSameAfterDeath(engine, (dying, options) => run(request, { ...options, engine: dying }), death)
      }),
      { numRuns: runs(40) },
    )
  })
})

test.each([
  [['json_schema', 'gbnf'] as const, { grammar: expect.stringContaining('root ::='), syntax: 'gbnf', isJson: true }],
  [['json_schema'] as const, undefined],
])(
  'a process that continues in the middle of a body holds the rest of it, if the engine takes a grammar: %j',
  async (kinds, constraint) => {
    const script = { held: [`${FINAL}${RIGHT}<|return|>`], capabilities: { constraints: kinds } }
    const request: ResponseRequest = { input: 'Go.', text: { format: FORMAT } }
    const whole = await run(request, { engine: heldModelOf(script) })
    // The header has three tokens.
    const entries = whole.entries.slice(0, whole.entries.findIndex(({ type }) => type === 'chunk') + 3 + 2)
    const calls: Held[] = []
    const rest = await run(request, { engine: heldModelOf({ ...script, calls }), entries })
    expect(rest.transcript).toEqual(whole.transcript)
    expect(kindsOf({ calls })).toEqual([constraint])
  },
)

/** What backends take: guidance, xgrammar, any other, and none. */
const BACKENDS = {
  guidance: ['json_schema', 'regex', 'lark', 'gbnf'],
  xgrammar: ['json_schema', 'regex', 'gbnf'],
  other: ['json_schema', 'regex'],
  none: [],
} as const satisfies Record<string, EngineCapabilities['constraints']>

/** A model behind a backend that refuses the kinds of constraints that it does not take, as the adapters do. */
function behind(backend: keyof typeof BACKENDS, script: HeldScript): TokenEngine {
  const constraints = BACKENDS[backend]
  const model = heldModelOf({ ...script, capabilities: { constraints } })
  return {
    ...model,
    generate(prompt, options = {}) {
      const { constraint } = options
      checkEnforces(backend, { constraints }, constraint)
      return model.generate(prompt, options)
    },
  }
}

describe.each(['guidance', 'xgrammar', 'other'] as const)('a strict body that was begun behind %s', (first) => {
  const held = [`${FINAL}${RIGHT}<|return|>`]
  const request: ResponseRequest = { input: 'Go.', text: { format: FORMAT } }

  test.each(['guidance', 'xgrammar', 'other', 'none'] as const)(
    'a strict body of another process continues as %s can enforce it, and what is not enforced is reported',
    async (second) => {
      const whole = await run(request, { engine: behind(first, { held }) })
      const header = whole.entries.findIndex(({ type }) => type === 'chunk') + 3
      for (const begun of [0, 2]) {
        const calls: Held[] = []
        const relaxed: unknown[] = []
        const rest = await run(request, {
          engine: behind(second, { held, calls }),
          entries: whole.entries.slice(0, header + begun),
          onDiagnostic: ({ code, subject }) => void relaxed.push([code, subject]),
        })
        expect([rest.response.status, rest.transcript]).toEqual(['completed', whole.transcript])
        const isFree = second === 'none' || (second === 'other' && begun > 0)
        const asked = begun === 0 ? { jsonSchema: PLACE } : { syntax: 'gbnf', isJson: true }
        expect(kindsOf({ calls })).toEqual([isFree ? undefined : expect.objectContaining(asked)])
        expect(relaxed).toEqual(
          isFree ? [['relaxed_schema', expect.stringMatching(/^text\.format\.schema: The engine that continues/)]] : [],
        )
      }
    },
  )
})

test('a body that continues behind another backend reports the keywords that this one leaves out', async () => {
  const held = [`${FINAL}${RIGHT}<|return|>`]
  const request: ResponseRequest = { input: 'Go.', text: { format: FORMAT } }
  const whole = await run(request, { engine: behind('guidance', { held }) })
  const entries = whole.entries.slice(
    0,
    whole.entries.findIndex(({ type }) => type === 'chunk'),
  )
  const relaxed: unknown[] = []
  const fit: EngineCapabilities['fit'] = function* (constraint) {
    yield
    return { constraint, relaxed: [{ path: '/required', message: 'is not enforced' }], nodes: 0 }
  }
  const engine = heldModelOf({ held, capabilities: { constraints: ['json_schema'], fit } })
  await run(request, { engine, entries, onDiagnostic: ({ code, subject }) => void relaxed.push([code, subject]) })
  expect(relaxed).toEqual([['relaxed_schema', 'text.format.schema/required: is not enforced']])
})

test('a response that is taken over fails if its engine cannot say what it enforces', async () => {
  const held = [`${FINAL}${RIGHT}<|return|>`]
  const request: ResponseRequest = { input: 'Go.', text: { format: FORMAT } }
  const whole = await run(request, { engine: behind('guidance', { held }) })
  const entries = whole.entries.slice(0, whole.entries.findIndex(({ type }) => type === 'chunk') + 5)
  const capabilities = (): Promise<never> => Promise.reject(new EngineError('server_error', 'it is down'))
  const errors: unknown[] = []
  const engine = { ...behind('guidance', { held }), capabilities }
  const { response } = await run(request, {
    engine,
    entries,
    engineRestarts: 0,
    onError: (error) => void errors.push(error),
  })
  expect([response.status, errors]).toEqual(['failed', [expect.objectContaining({ message: 'it is down' })]])
})

test('a body that continues behind another engine has log-probabilities only if that engine gives them beside a constraint', async () => {
  const held = [`${FINAL}${RIGHT}<|return|>`]
  const request: ResponseRequest = {
    ...{ input: 'Go.', text: { format: FORMAT } },
    ...{ include: ['message.output_text.logprobs'], top_logprobs: 1 },
  }
  const constraints = ['json_schema', 'gbnf'] as const
  const scored = heldModelOf({ held, capabilities: { constraints, hasConstrainedLogprobs: true } })
  const whole = await run(request, { engine: scored })
  const entries = whole.entries.slice(0, whole.entries.findIndex(({ type }) => type === 'chunk') + 5)
  for (const hasConstrainedLogprobs of [true, false]) {
    const calls: Held[] = []
    const engine = heldModelOf({ held, calls, capabilities: { constraints, hasConstrainedLogprobs } })
    await run(request, { engine, entries })
    expect(calls.map(({ options }) => options.logprobs)).toEqual([hasConstrainedLogprobs ? 1 : undefined])
  }
})

describe('a strict body that an engine ends without a character', () => {
  const request: ResponseRequest = { input: 'Go.', text: { format: FORMAT } }
  const script = {
    held: [`${FINAL}${RIGHT}<|return|>`],
    capabilities: { constraints: ['json_schema', 'gbnf'] as const },
  }

  /** Continues the response after some tokens of its body, on an engine that writes nothing but an end, or not even that. */
  const endedAfter = async (tokens: number, end: readonly number[]) => {
    const whole = await run(request, { engine: heldModelOf(script) })
    const header = whole.entries.findIndex(({ type }) => type === 'chunk') + 3
    const generate = () =>
      tokenStream(async function* () {
        if (end.length > 0) yield end
        return { reason: 'stop' as const }
      })
    const engine = { ...heldModelOf(script), generate }
    return await run(request, { engine, entries: whole.entries.slice(0, header + tokens) })
  }
  const body = encodeHarmony(RIGHT).length

  test.each([
    ['its end', [SPECIAL.return]],
    ['nothing', []],
  ])('a strict body fails if the engine writes %s where it may not end', async (_, end) => {
    for (let tokens = 0; tokens < body; tokens++) {
      expect([tokens, (await endedAfter(tokens, end)).response.status]).toEqual([tokens, 'failed'])
    }
  })

  test.each([
    ['its end', [SPECIAL.return]],
    ['nothing', []],
  ])('a strict body is complete if the engine writes %s where it may end', async (_, end) => {
    const { response } = await endedAfter(body, end)
    expect(response).toMatchObject({ status: 'completed', output: [{ content: [{ text: RIGHT }] }] })
  })
})

test('no token of a strict body is sampled before its constraint stands', async () => {
  const strictHeaders = [CALL, FINAL]
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(THINK, PREAMBLE, `${CALL}${RIGHT}<|end|><|start|>assistant`), { maxLength: 4 }),
      fc.constantFrom(`${CALL}${RIGHT}<|call|>`, `${FINAL}${RIGHT}<|return|>`),
      fc.integer({ min: 1, max: 5 }),
      async (messages, last, size) => {
        const turn = messages.join('') + last
        const script = { held: [turn], free: [turn.replaceAll(RIGHT, WRONG)], size }
        const { calls, transcript } = await runHeld({ tools: [F], text: { format: FORMAT } }, script)
        expect(transcript.slice(2)).toEqual(encodeHarmony(turn))
        for (const { context, options, given } of calls) {
          const all = [...context, ...given]
          for (const header of strictHeaders.map(encodeHarmony)) {
            const isHeader = (at: number): boolean =>
              header.every((id, offset) => all[at - header.length + offset] === id)
            for (let at = context.length; at < all.length; at++) {
              if (isHeader(at)) expect([at, options.constraint]).toEqual([context.length, { jsonSchema: PLACE }])
            }
          }
        }
      },
    ),
    { numRuns: runs(40) },
  )
})

describe('schemas that an engine cannot hold', () => {
  const LARK = {
    type: 'custom',
    name: 'c',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
  } as const
  const only = (...constraints: ('json_schema' | 'regex')[]): EngineCapabilities => ({ constraints })

  test('schemas that an engine cannot hold are written freely and checked, in one call', async () => {
    const reports: InvalidOutput[] = []
    const held = [`${THINK}${CALL}{"city":7}<|call|>`]
    const onInvalidOutput = (invalid: InvalidOutput): void => void reports.push(invalid)
    const { output, calls } = await runHeld({ tools: [F] }, { held, capabilities: {} }, { onInvalidOutput })
    expect(calls).toHaveLength(1)
    expect(output.at(-1)).toMatchObject({ status: 'completed', arguments: '{"city":7}' })
    expect(reports).toMatchObject([{ itemId: (output.at(-1) as { id: string }).id, what: 'tools[0].parameters' }])
    expect(reports[0]?.errors).toContainEqual({
      path: '/city',
      message: expect.stringContaining('"string"'),
      keyword: '/properties/city/type',
    })
  })

  const holdsNothing = (path: string): NonNullable<EngineCapabilities['fit']> =>
    function* () {
      yield
      return { constraint: undefined, relaxed: [{ path, message: "'not' is not permitted." }], nodes: 0 }
    }

  test.each<[string, Partial<ResponseRequest>, EngineCapabilities, object]>([
    ['a function', { tools: [LOOSE, F] }, {}, { param: 'tools[1].parameters', code: 'unsupported_value' }],
    ['a format', { text: { format: FORMAT } }, only('regex'), { param: 'text.format.schema' }],
    ['any object', { text: { format: { type: 'json_object' } } }, only('regex'), { param: 'text.format' }],
    ['a grammar', { tools: [LARK] }, only('regex', 'json_schema'), { param: 'tools[0].format' }],
    [
      'a part of the schema of a function',
      { tools: [F] },
      { ...ALL, fit: holdsNothing('/properties/a~1b/not') },
      {
        param: 'tools[0].parameters',
        code: 'invalid_function_parameters',
        message:
          "Invalid schema for function 'f': In context=('properties', 'a/b', 'not'), 'not' is not permitted. (param: tools[0].parameters)",
      },
    ],
    [
      'a part of the schema of a format',
      { text: { format: FORMAT } },
      { ...ALL, fit: holdsNothing('') },
      {
        param: 'text.format.schema',
        code: 'invalid_json_schema',
        message: expect.stringContaining("Invalid schema for response_format 'place': In context=(), 'not'"),
      },
    ],
    [
      'a schema that breaks the reading of it',
      { tools: [F] },
      {
        ...ALL,
        fit: () => {
          throw new RangeError('too deep')
        },
      },
      { param: 'tools[0].parameters' },
    ],
  ])('schemas that an engine cannot hold are refused on demand: %s', async (_what, request, capabilities, error) => {
    const running = runHeld(
      request,
      { held: [ANSWER], capabilities },
      { onUnsupportedConstraint: 'refuse', onError() {} },
    )
    await expect(running).rejects.toBeInstanceOf(RequestError)
    await expect(
      runHeld(request, { held: [ANSWER], capabilities }, { onUnsupportedConstraint: 'refuse', onError() {} }),
    ).rejects.toMatchObject({ status: 400, ...error })
    const { response } = await runHeld(request, { held: [ANSWER], capabilities }, { onError() {} })
    expect(response.status).toBe('completed')
  })
})

describe('the name of a demanded call', () => {
  const tools = [F, { ...F, name: 'foo' }, { type: 'custom', name: 'patch' }, { type: 'code_interpreter' }] as const
  const pick = (name: string, rest = ` <|constrain|>json<|message|>${RIGHT}<|call|>`): string =>
    `${THINK}<|channel|>commentary to=${name}${rest}`
  const NAMES = { regex: '(?:functions\\.f|functions\\.foo|functions\\.patch|python)' }

  test.each<[string, string, object]>([
    ['a function', pick('functions.foo'), { type: 'function_call', name: 'foo', arguments: RIGHT }],
    [
      'a function that another begins with',
      pick('functions.f'),
      { type: 'function_call', name: 'f', arguments: RIGHT },
    ],
    ['a custom tool', pick('functions.patch', '<|message|>x<|call|>'), { type: 'custom_tool_call', input: 'x' }],
    ['python', pick('python', ' code<|message|>1+1<|call|>'), { type: 'code_interpreter_call', code: '1+1' }],
  ])('the name of a demanded call is held to the names of the tools: %s', async (_what, turn, item) => {
    const engine = (calls: Held[] = []): TokenEngine => naming([turn, ANSWER], calls)
    const calls: Held[] = []
    const request: ResponseRequest = { input: 'Go.', tools, tool_choice: 'required' }
    const whole = await run(request, { engine: engine(calls) })
    expect(whole.output[1]).toMatchObject(item)
    expect(calls[1]?.options.constraint).toEqual(NAMES)
    expect(whole.transcript.slice(2, 2 + encodeHarmony(turn).length)).toEqual(encodeHarmony(turn))
    for (const [at, shown] of whole.before.entries()) {
      const rest = await run(request, { engine: engine(), entries: whole.entries.slice(0, at) })
      expect(rest.events).toEqual(whole.events.slice(shown))
    }
    await expectSameAfterDeath(engine, (dying, options) => run(request, { ...options, engine: dying }))
  })

  test('the name of a call that is demanded of a server is held to its tools', async () => {
    const server = {
      answers: () => true,
      run: async () => ({ output: 'done' }),
      listings: async () => [{ serverLabel: 'github', tools: [{ name: 'search' }, { name: 'read' }] }] as never,
    }
    const calls: Held[] = []
    const turn = pick('github.read')
    const request: ResponseRequest = {
      input: 'Go.',
      tools: [GITHUB, F],
      tool_choice: { type: 'mcp', server_label: 'github' },
    }
    const { output } = await run(request, { engine: naming([turn, ANSWER], calls), tools: [server] })
    expect(calls[1]?.options.constraint).toEqual({ regex: '(?:github\\.search|github\\.read)' })
    expect(output).toContainEqual(expect.objectContaining({ type: 'mcp_call', name: 'read', output: 'done' }))
  })

  test('the name of a demanded call is free if the engine cannot hold it', async () => {
    const turn = pick('functions.foo')
    const { output, calls } = await runHeld(
      { tools, tool_choice: 'required' },
      { held: [turn], capabilities: { constraints: ['json_schema'] } },
    )
    expect(output[1]).toMatchObject({ name: 'foo' })
    expect(calls.map(({ options }) => options.constraint)).toEqual([undefined, undefined, { jsonSchema: PLACE }])
  })

  test('the name of a demanded call is free in a process whose engine cannot hold it, from wherever it continues', async () => {
    const turn = pick('functions.foo')
    const request: ResponseRequest = { input: 'Go.', tools, tool_choice: 'required' }
    const whole = await run(request, { engine: naming([turn, ANSWER], []) })
    for (const [at, { type }] of whole.entries.entries()) {
      if (at === 0 || type === 'end') continue
      const calls: Held[] = []
      const engine = behind('none', { held: [turn, ANSWER], calls })
      const { response, output } = await run(request, { engine, entries: whole.entries.slice(0, at) })
      expect([at, response.status, output[1]]).toMatchObject([at, 'completed', { name: 'foo', arguments: RIGHT }])
      expect(kindsOf({ calls }).filter((kind) => kind !== undefined)).toEqual([])
    }
  })

  /** A model that is constrained to names: it ends a name as samplers do, with an end of sequence. */
  function naming(turns: readonly string[], calls: Held[]): TokenEngine {
    const model = heldModelOf({ held: turns, capabilities: ALL, calls })
    return {
      ...model,
      generate(context, options = {}) {
        const { constraint } = options
        if (constraint === undefined || !('regex' in constraint)) return model.generate(context, options)
        const { constraint: _, ...free } = options
        const stream = model.generate(context, free)
        calls.push({ ...(calls.pop() as Held), options })
        return tokenStream(async function* () {
          for await (const chunk of stream) {
            const [id] = chunk as readonly [number]
            if (id >= FIRST_SPECIAL || decodeTokens([id]).startsWith(' ')) break
            yield id
          }
          yield SPECIAL.return
          return { reason: 'stop' as const }
        })
      },
    }
  }
})
