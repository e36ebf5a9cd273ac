import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/core/diagnostics/diagnostic.js'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import { deferred } from '../../../src/endpoint/flow/deferred.js'
import { type RespondOptions, type ResponseHandle, respond } from '../../../src/endpoint/respond/index.js'
import type { TokenEngine } from '../../../src/engines/contract/engine.js'
import { EngineError } from '../../../src/engines/contract/engine-error.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'
import { dyingEngine } from '../../support/dying-engine.js'
import { describeSlow } from '../../support/slow-suites.js'
import { encodeHarmony } from '../../support/tokens.js'
import { expectSameAfterDeath } from './same-after-death.js'
import { GITHUB, heldModelOf, modelOf, optionsOf, type RunOptions, run, SEARCH } from './scripted.js'

const THINK = '<|channel|>analysis<|message|>Hm, \u00fcber \u{1f30b}.<|end|><|start|>assistant'
const FINAL = '<|channel|>final<|message|>'
const LONG = `${FINAL}It is Rome, in Italy: \u{1f30b}\u{1f600} Ciao.<|return|>`
const F_CALL = '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"city":"Rome"}'
const PYTHON = '<|channel|>analysis to=python code<|message|>1+1<|call|>'
const FORCED = `${THINK}${SEARCH}`
const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const F = { type: 'function', name: 'f', parameters: SCHEMA, strict: true }
const FORMAT = { type: 'json_schema', name: 'answer', schema: SCHEMA, strict: true }
const ALL = { constraints: ['json_schema', 'regex', 'lark', 'gbnf'] as const }
const scripted =
  (...turns: string[]) =>
  (): TokenEngine =>
    modelOf(turns)
const held =
  (...turns: string[]) =>
  (): TokenEngine =>
    heldModelOf({ held: turns, capabilities: ALL, cachedTokens: 7 })

const CASES: Readonly<Record<string, { readonly engine: () => TokenEngine; readonly request: object }>> = {
  'reasoning and an answer': { engine: scripted(THINK + LONG), request: {} },
  'a loop of calls of MCP and of python': {
    engine: scripted(THINK + SEARCH, PYTHON, THINK + SEARCH, THINK + LONG),
    request: { tools: [GITHUB, { type: 'code_interpreter' }], include: ['code_interpreter_call.outputs'] },
  },
  'two calls at once': {
    engine: scripted(THINK + SEARCH.replace('<|call|>', `<|end|><|start|>assistant${PYTHON}`), LONG),
    request: { tools: [GITHUB, { type: 'code_interpreter' }] },
  },
  'parallel calls of the client': {
    engine: held(`${THINK}${F_CALL}<|end|><|start|>assistant${F_CALL}<|call|>`),
    request: { tools: [F], parallel_tool_calls: true },
  },
  'a strict body': { engine: held(`${THINK}${FINAL}{"city":"Rome"}<|return|>`), request: { text: { format: FORMAT } } },
  'strict arguments, and a strict answer': {
    engine: held(`${THINK}${F_CALL}<|call|>`, `${FINAL}{"city":"Rome"}<|return|>`),
    request: { tools: [F], text: { format: FORMAT } },
  },
  'a strict body whose engine swallows its end': {
    engine: () =>
      heldModelOf({ held: [`${THINK}${FINAL}{"city":"Rome"}<|return|>`], capabilities: ALL, swallows: true }),
    request: { text: { format: FORMAT } },
  },
  'steps of several tokens': {
    engine: () => heldModelOf({ held: [`${THINK}${FINAL}{"city":"Rome"}<|return|>`], capabilities: ALL, size: 3 }),
    request: { text: { format: FORMAT } },
  },
  'a demanded call': {
    engine: scripted(FORCED, THINK + LONG),
    request: { tools: [GITHUB], tool_choice: { type: 'mcp', server_label: 'github', name: 'search' } },
  },
  'stop strings': { engine: scripted(THINK + LONG), request: { stop: ['Italy: \u{1f30b}\u{1f600} C', 'Paris'] } },
  'stop strings that do not come': { engine: scripted(THINK + LONG), request: { stop: ['Rome, in Spain', 'Ciao!'] } },
  'a limit of tokens': { engine: scripted(THINK + LONG), request: { max_output_tokens: 20 } },
  'a conversation that is compacted first': {
    engine: scripted(LONG),
    request: {
      input: ['Go.', 'Now!'].map((content) => ({ role: 'user', content })),
      context_management: [{ type: 'compaction', compact_threshold: 60 }],
    },
  },
  'text without a header': { engine: scripted('It is Rome, Italy.<|return|>'), request: { stop: ['me, Spain'] } },
}

describeSlow('an engine that dies once, after any token', () => {
  test.each(Object.entries(CASES))(
    'the answer is the same wherever it dies once: %s',
    async (_, { engine, request }) => {
      const given = { input: 'Go.', ...request } as ResponseRequest
      await expectSameAfterDeath(engine, (dying, options) =>
        run(given, { ...options, sealCompaction: (text) => text, engine: dying }),
      )
    },
  )
})

describe('an engine that dies in mid-answer', () => {
  test('the answer has the log-probabilities of each token once', async () => {
    const request = { input: 'Go.', include: ['message.output_text.logprobs'], top_logprobs: 1 } as ResponseRequest
    const scored = (): TokenEngine => {
      const model = modelOf([THINK + LONG])
      return {
        ...model,
        generate(prompt, options) {
          const tokens = model.generate(prompt, options)
          async function* withScores() {
            for (;;) {
              const step = await tokens.next()
              if (step.done) return step.value
              const id = step.value as number
              yield { id, logprob: -id / 1e6, topLogprobs: [{ id, logprob: -id / 1e6 }] }
            }
          }
          return withScores() as never
        },
      }
    }
    const { output } = await run(request, { engine: scored() })
    expect(output.at(-1)).toMatchObject({ content: [{ logprobs: expect.any(Array) }] })
    await expectSameAfterDeath(scored, (dying, options) => run(request, { ...options, engine: dying }))
  })
})

const LOST = new EngineError('server_error', 'the connection was lost')
const REQUEST = { input: 'Go.' } as ResponseRequest

/** A response whose engine dies at these steps, with all that its host learns. */
async function died(
  dies: readonly number[],
  { request = REQUEST, error = LOST, engine = modelOf([THINK + LONG]), ...options }: Died = {},
) {
  const waits: number[] = []
  const errors: unknown[] = []
  const diagnostics: Diagnostic[] = []
  const dying = dyingEngine(engine, dies, error)
  const done = await run(request, {
    engine: dying,
    delay: async (ms) => void waits.push(ms),
    onError: (each) => void errors.push(each),
    onDiagnostic: (each) => void diagnostics.push(each),
    ...options,
  })
  const types = done.events.map(({ type }) => type)
  return { ...done, waits, errors, diagnostics, types, deaths: dying.deaths }
}

interface Died extends Omit<RunOptions, 'engine'> {
  readonly request?: ResponseRequest
  readonly error?: unknown
  readonly engine?: TokenEngine
}

describe('how often, and how soon, an engine is asked again', () => {
  test('it is asked twice unless the host says otherwise, after a wait that doubles', async () => {
    const twice = await died([3, 5])
    expect([twice.response.status, twice.waits, twice.errors]).toEqual(['completed', [500, 1000], [LOST, LOST]])
    const thrice = await died([3, 5, 7])
    expect([thrice.response.status, thrice.waits]).toEqual(['failed', [500, 1000]])
    expect(thrice.types.filter((type) => type === 'response.failed')).toHaveLength(1)
    const more = await died([3, 3, 3, 3, 3, 3, 3, 3], { engineRestarts: 8 })
    expect([more.response.status, more.waits]).toEqual([
      'completed',
      [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000],
    ])
  })

  test('it is not asked again if the host allows none', async () => {
    const { response, waits, errors } = await died([3], { engineRestarts: 0 })
    expect([response.status, waits, errors]).toEqual(['failed', [], [LOST]])
  })

  test('an engine that asks for a longer wait is given it, up to half a minute', async () => {
    const busy = (retryAfterMs: number) => new EngineError('rate_limit_exceeded', 'busy', { status: 429, retryAfterMs })
    expect((await died([3], { error: busy(7000) })).waits).toEqual([7000])
    const { response, waits } = await died([3], { error: busy(30_001) })
    expect([response.error?.code, waits]).toEqual(['rate_limit_exceeded', []])
  })

  test('an engine that fails before the first token is not asked again: the client has to', async () => {
    const { response, waits } = await died([0])
    expect([response.status, waits]).toEqual(['failed', []])
  })

  test('an engine that fails before the first token after a call is asked again: the call has run', async () => {
    const engine = modelOf([SEARCH, LONG])
    const request = { ...REQUEST, tools: [GITHUB] } as ResponseRequest
    const calls = encodeHarmony(SEARCH).length
    const { response, waits } = await died([calls], { engine, request })
    expect([response.status, waits]).toEqual(['completed', [500]])
  })

  test.each([
    ['context_length_exceeded', new EngineError('context_length_exceeded', 'too long')],
    ['invalid_prompt', new EngineError('invalid_prompt', 'no')],
    ['no room for the response here', new EngineError('rate_limit_exceeded', 'out of memory')],
    ['an error of the host', new HarmonyResponsesError('bad_script', 'no turn left')],
    ['an error that is none of an engine', new TypeError('x is not a function')],
  ])('an engine is not asked again after %s', async (_, error) => {
    const { response, waits, errors } = await died([3], { error })
    expect([response.status, waits, errors]).toEqual(['failed', [], [error]])
  })

  test('an engine that breaks its constraint is not asked again', async () => {
    const engine = heldModelOf({ held: [`${FINAL}{"city":<|start|>`], capabilities: ALL })
    const { response, waits } = await died([], { engine, request: { ...REQUEST, text: { format: FORMAT } } as never })
    expect([response.status, waits]).toEqual(['failed', []])
  })

  test('an engine whose text is read as tokens is not asked again within a turn', async () => {
    const engine = { ...modelOf([LONG]), capabilities: async () => ({ spellsMarkers: true }) }
    expect((await died([3], { engine })).response.status).toBe('failed')
  })

  test('an engine that continues only whole turns is asked again between them', async () => {
    const engine = { ...modelOf([SEARCH, LONG]), capabilities: async () => ({ continues: 'turn' as const }) }
    const request = { ...REQUEST, tools: [GITHUB] } as ResponseRequest
    const calls = encodeHarmony(SEARCH).length
    const { response } = await died([calls], { engine, request })
    expect(response.status).toBe('completed')
    expect((await died([calls + 1], { engine, request })).response.status).toBe('failed')
  })

  test('the host learns after how many tokens, and that a seed starts again', async () => {
    const notice = (subject: string): object[] => [{ code: 'engine_restarted', subject, index: -1 }]
    expect((await died([3])).diagnostics).toEqual(notice('after 3 tokens'))
    const seeded = await died([3], { request: { ...REQUEST, seed: 7 } as ResponseRequest })
    expect(seeded.diagnostics).toEqual(notice('after 3 tokens, and its seed starts again'))
  })

  test('the engine is asked again what it can do, since another one may answer at its address', async () => {
    let asked = 0
    const capabilities = async () => {
      asked += 1
      return asked === 2 ? Promise.reject(LOST) : ALL
    }
    const engine = { ...heldModelOf({ held: [`${FINAL}{"city":"Rome"}<|return|>`], capabilities: ALL }), capabilities }
    const { response, waits } = await died([6], { engine, request: { ...REQUEST, text: { format: FORMAT } } as never })
    expect([response.status, waits, asked]).toEqual(['completed', [500, 1000], 3])
  })
})

describe('while the engine is away', () => {
  /** A response whose engine has died, which goes on when the test lets it. */
  function waiting(options: Partial<RespondOptions> = {}) {
    const { promise: isWaiting, resolve: tell } = deferred<void>()
    const { promise: goesOn, resolve: goOn } = deferred<void>()
    const delay = (_: number, signal: AbortSignal): Promise<void> => {
      tell()
      signal.addEventListener('abort', () => goOn())
      return goesOn
    }
    const engine = dyingEngine(modelOf([THINK + LONG]), [3])
    const response = run(REQUEST, { delay, onError: () => {}, onDiagnostic: () => {}, ...options, engine })
    return { response, isWaiting, goOn }
  }

  test('a response that is aborted fails at once', async () => {
    const abort = new AbortController()
    const { response, isWaiting } = waiting({ signal: abort.signal })
    await isWaiting
    abort.abort()
    expect((await response).response.status).toBe('failed')
  })

  test('an item of the host is shown before the rest of the answer', async () => {
    let insert: ResponseHandle['insert'] = () => false
    const shown: string[] = []
    const { response, isWaiting, goOn } = waiting({
      onOpen(handle) {
        insert = handle.insert
      },
    })
    await isWaiting
    insert({ type: 'compaction', id: 'cmp_own', encrypted_content: 'gAAA' })
    await new Promise((resolve) => setImmediate(resolve))
    goOn()
    const { events } = await response
    for (const event of events) if (event.type === 'response.output_item.added') shown.push(event.item.type)
    expect(shown).toEqual(['reasoning', 'compaction', 'message'])
  })

  test('a response whose time is up meanwhile ends incomplete', async () => {
    let now = 1_767_225_600
    const { response, isWaiting, goOn } = waiting({ clock: () => now, limits: { seconds: 30 } })
    await isWaiting
    now += 31
    goOn()
    expect((await response).response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    })
  })

  test('a response whose reader leaves asks the engine no more', async () => {
    const engine = dyingEngine(modelOf([THINK + LONG]), [3])
    const delay = async (_: number, signal: AbortSignal): Promise<void> => {
      const left = stream.return([])
      expect(signal.aborted).toBe(true)
      await left
    }
    const options = { ...optionsOf({}), engine, delay, onError: () => {}, onDiagnostic: () => {} }
    const stream = respond(REQUEST, options)
    for await (const _ of stream);
    expect(engine.steps).toBe(3)
  })
})
