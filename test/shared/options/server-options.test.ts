import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSeal } from '../../../src/endpoint/seal/index.js'
import { APP_LIMITS, APP_OPTIONS } from '../../../src/endpoint/server/check-app-options.js'
import {
  createMemoryStore,
  createResponseService,
  createResponsesApp,
  type ResponsesAppOptions,
} from '../../../src/endpoint/server/index.js'
import { serveResponses } from '../../../src/endpoint/server/node.js'
import { functionTools } from '../../../src/endpoint/tools/functions.js'
import { createVllmEngine } from '../../../src/engines/sources/vllm.js'
import { loadTokenTable } from '../../../src/index.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'
import { scriptedEngine } from '../../../src/testing/index.js'
import { runs } from '../../support/runs.js'

const tokenTable = await loadTokenTable()
const engine = scriptedEngine([])
const { server: passedTo } = createVllmEngine({ url: 'http://localhost' })
const dice = (label: string) => functionTools(label, { roll: { parameters: { type: 'object' }, run: () => 4 } })

interface Example {
  readonly right: readonly unknown[]
  /** Values that must be refused, with the message for each. */
  readonly wrong: readonly (readonly [value: unknown, words: string])[]
}

const flag: Example = { right: [true, false], wrong: [['yes', 'expected true or false, got "yes"']] }
const callback: Example = { right: [() => 1], wrong: [[{}, 'expected a function, got an object']] }

/** Of each option. The compiler asks for a line where there is a new one. */
const EXAMPLES: Readonly<Record<keyof ResponsesAppOptions, Example>> = {
  engine: {
    right: [engine, () => engine],
    wrong: [
      ['vllm', 'expected a TokenEngine, or a function'],
      [{}, 'expected a T'],
    ],
  },
  tokenTable: { right: [tokenTable], wrong: [[loadTokenTable(), 'expected await loadTokenTable()']] },
  models: {
    right: [['a', 'b']],
    wrong: [
      ['a', 'expected an array of names'],
      [[], 'expected an array of names'],
    ],
  },
  otherModels: { right: ['any', 'refuse'], wrong: [['all', "expected 'any' or 'refuse', got \"all\""]] },
  passOn: {
    right: [
      { server: passedTo, paths: ['/v1/embeddings', '/tokenize'] },
      { server: passedTo, paths: [] },
    ],
    wrong: [
      ['http://localhost:8000', 'passOn: expected an object'],
      [{ server: {}, paths: [] }, 'passOn.server: expected the server of an engine behind HTTP: engine.server'],
      [{ server: passedTo, paths: '/tokenize' }, 'passOn.paths: expected an array of paths'],
      [{ server: passedTo, paths: ['/metrics'] }, 'passOn.paths[0]: expected'],
      [{ server: passedTo, path: '/tokenize' }, 'did you mean passOn.paths?'],
    ],
  },
  audit: callback,
  offered: {
    right: [{}, { instructions: 'Be brief.', onClash: 'client', allowedTools: 'ignore', tools: [] }, () => undefined],
    wrong: [
      ['dice', 'offered: expected an object'],
      [{ tool: [] }, 'did you mean offered.tools?'],
      [{ tools: [dice('a')] }, 'offered.tools[0]: expected a tool of type mcp, code_interpreter'],
      [{ tools: [{ type: 'function', name: 'f' }] }, 'got "function"'],
      [{ tools: [{ type: 'mcp' }] }, 'offered.tools[0].server_label: expected a label'],
      [
        { tools: [{ type: 'mcp', server_label: 'a', require_approval: 'maybe' }] },
        "require_approval: expected 'always'",
      ],
      [
        { tools: [{ type: 'mcp', server_label: 'a' }] },
        'offered.tools[0].server_label: expected the label of one of tools',
      ],
      [{ tools: [{ type: 'web_search' }] }, 'offered.tools[0]: expected a tool that one of tools answers'],
      [{ onClash: 'both' }, "offered.onClash: expected 'refuse' or 'client'"],
    ],
  },
  offeredCalls: { right: ['shown', 'hidden'], wrong: [['hide', "expected 'shown' or 'hidden', got \"hide\""]] },
  approval: {
    right: ['always', 'never', { never: { read_only: true } }, { always: { tool_names: ['pay'] } }, () => 'always'],
    wrong: [
      ['sometimes', "require_approval: expected 'always', 'never' or { always, never }"],
      [{ always: 'pay' }, 'always'],
      [null, "expected 'always', 'never', { always, never } or a function"],
    ],
  },
  auditArguments: flag,
  tools: {
    right: [[], [dice('a'), dice('b')]],
    wrong: [
      [dice('a'), 'expected an array of tools'],
      [[{ answers: () => true }], 'tools[0]: expected a tool, with the method run'],
      [[dice('a'), dice('a')], 'tools[1]: expected a label that no other tool has, got "a"'],
    ],
  },
  store: {
    right: [createMemoryStore()],
    wrong: [
      [{}, 'expected a store, with the method open'],
      ['redis://', 'expected a store, got'],
    ],
  },
  seal: {
    right: [createSeal([{ id: 'a', key: new Uint8Array(32) }])],
    wrong: [['secret', 'expected a seal, of createSeal']],
  },
  limits: { right: [{ queue: 0, bodyBytes: 1000 }], wrong: [[5, 'limits: expected an object, got 5']] },
  request: {
    right: [{ unknown: 'refuse', limits: { depth: 10 } }],
    wrong: [
      [{ unknown: 'drop' }, "request.unknown: expected 'skip' or 'refuse'"],
      [{ limits: { depth: 1000 } }, 'request.limits.depth: expected a whole number from 1 to 500'],
      [{ limits: { dept: 1 } }, 'did you mean request.limits.depth?'],
    ],
  },
  response: {
    right: [{ policy: 'agents', reasoning: 'both', images: 'refuse' }],
    wrong: [
      [{ policy: 'agent' }, 'policy: expected one of openai, agents'],
      [{ reasoning: 'full' }, 'response.reasoning: expected one of'],
      [{ polcy: 'agents' }, 'did you mean response.policy?'],
    ],
  },
  sharedPrefixCache: {
    right: [true, false],
    wrong: [
      ['yes', 'expected true or false'],
      [0, 'expected true or false'],
    ],
  },
  onDisconnect: {
    right: ['stop', 'finish', { graceMs: 5 }],
    wrong: [
      ['ignore', "expected 'stop', 'finish' or { graceMs }"],
      [{ grace: 5 }, "expected 'stop', 'finish' or { graceMs }"],
    ],
  },
  authorize: callback,
  authorizeOperator: callback,
  parts: {
    right: [[], [{ type: 'mcp', name: 'docs', check: async () => {} }]],
    wrong: [
      [{}, 'expected an array of parts'],
      [[{ type: 'mcp', name: 'docs' }], 'parts[0]: expected a part with its check'],
    ],
  },
  adminProcesses: callback,
  hosts: {
    right: ['any', ['llm.example.com', 'box:8000', '[::1]:80', '10.0.0.1']],
    wrong: [
      [['https://x'], 'hosts[0]: expected a name as in Host'],
      [['x/v1'], 'hosts[0]: expected a name as in Host'],
      ['x', "expected an array of names, or 'any'"],
    ],
  },
  origins: {
    right: [['https://chat.example.com', 'http://localhost:3000']],
    wrong: [
      [['https://x/'], 'origins[0]: expected an origin as browsers send it'],
      [['x.example'], 'origins[0]: expected an origin as browsers send it'],
      [['*'], 'origins[0]: expected an origin as browsers send it'],
    ],
  },
  basePath: {
    right: ['/v1', ''],
    wrong: [
      ['v1', 'expected a path such as /v1'],
      ['/v1/', 'expected a path such as /v1'],
    ],
  },
  dialect: {
    right: ['openai', 'open-responses', 'vllm'],
    wrong: [
      ['vLLM', 'dialect: expected a dialect, or one of openai, open-responses, vllm, got "vLLM"'],
      [{}, 'dialect: expected a dialect, or one of'],
    ],
  },
  chat: {
    right: [{ reasoning: 'both' }, { hostedCalls: 'reasoning' }],
    wrong: [
      ['both', 'chat: expected an object'],
      [{ reasoning: 1 }, 'chat.reasoning: expected'],
    ],
  },
  done: flag,
  keepAliveMs: {
    right: [0, 15_000],
    wrong: [
      [-1, 'keepAliveMs: expected a whole number of milliseconds'],
      [2 ** 31, 'keepAliveMs: exp'],
    ],
  },
  pages: {
    right: [{ '/metrics': () => new Response() }],
    wrong: [[{ '/metrics': 'x' }, 'pages./metrics: expected a function']],
  },
  operatorPages: {
    right: [{ '/metrics': () => new Response() }],
    wrong: [[{ '/metrics': 'x' }, 'operatorPages./metrics: expected a function']],
  },
  upgradeWebSocket: callback,
  onEntry: callback,
  onError: callback,
  onMetric: callback,
  pause: callback,
  clock: callback,
  now: callback,
  tracing: { right: [{ start: () => ({}) }], wrong: [[{}, 'expected openTelemetry(api), with the method start']] },
}

const make = (options: object) => () => createResponsesApp({ engine, tokenTable, ...options } as never)

function refusalOf(create: () => unknown): HarmonyResponsesError {
  try {
    create()
  } catch (error) {
    expect(error).toBeInstanceOf(HarmonyResponsesError)
    expect(error).toHaveProperty('code', 'bad_option')
    return error as HarmonyResponsesError
  }
  return expect.unreachable('it was accepted')
}

describe('each option of the app', () => {
  const names = Object.keys(EXAMPLES) as (keyof ResponsesAppOptions)[]

  test.each(names)('%s takes what its type says, and undefined', (name) => {
    for (const value of [...EXAMPLES[name].right, ...(['engine', 'tokenTable'].includes(name) ? [] : [undefined])]) {
      expect(make({ [name]: value })).not.toThrow()
    }
  })

  test.each(names)('%s refuses anything else when the app is made, and says what it expected', (name) => {
    for (const [value, words] of EXAMPLES[name].wrong) {
      expect(refusalOf(make({ [name]: value })).message, name).toContain(words)
    }
  })

  test.each(names)('%s refuses at least most of what plain JavaScript has, by a typed error', (name) => {
    const junk = [null, 0, -1, 1.5, Number.NaN, '', 'x', [], [1], {}, { x: 1 }, true, Symbol('x'), 10n, new Date()]
    const refused = junk.filter((value) => {
      try {
        make({ [name]: value })()
        return false
      } catch (error) {
        expect(error).toBeInstanceOf(HarmonyResponsesError)
        return true
      }
    })
    expect(refused).toContain(null)
    expect(refused.length).toBeGreaterThan(junk.length / 2)
  })

  test('an engine and a token table are needed', () => {
    expect(refusalOf(() => createResponsesApp({ tokenTable } as never)).message).toContain(
      'engine: expected a TokenEngine',
    )
    expect(refusalOf(() => createResponsesApp({ engine } as never)).message).toContain(
      'expected await loadTokenTable()',
    )
    for (const none of [undefined, null, 5, []]) {
      expect(refusalOf(() => createResponsesApp(none as never)).message).toContain(
        'createResponsesApp: options: expected',
      )
    }
  })
})

describe('names that there are not', () => {
  test.each([
    ['authorise', 'authorize'],
    ['apikey', undefined],
    ['onDisconect', 'onDisconnect'],
    ['basepath', 'basePath'],
    ['keep_alive_ms', 'keepAliveMs'],
  ])('%s is refused, and the name that was meant is named', (name, meant) => {
    const { message } = refusalOf(make({ [name]: 1 }))
    expect(message).toContain(`createResponsesApp: there is no option "${name}"`)
    expect(message).toContain(meant === undefined ? 'it has engine, tokenTable' : `did you mean ${meant}?`)
  })

  test('limits.concurency is refused', () => {
    expect(refusalOf(make({ limits: { concurency: 4 } })).message).toBe(
      'limits: there is no option "limits.concurency", did you mean limits.concurrency?',
    )
  })

  test('a misspelled name of any option or limit is refused, and the right one named', () => {
    const tables = [
      ['', APP_OPTIONS],
      ['limits.', APP_LIMITS],
    ] as const
    const option = fc.constantFrom(
      ...tables.flatMap(([prefix, table]) => Object.keys(table).map((name) => ({ prefix, name }))),
    )
    fc.assert(
      fc.property(
        option.filter(({ name }) => name.length > 5),
        fc.nat(),
        fc.boolean(),
        ({ prefix, name }, at, swaps) => {
          const index = at % (name.length - 1)
          const [one = '', two = ''] = [name[index], name[index + 1]]
          const misspelled = name.slice(0, index) + (swaps ? two + one : one) + name.slice(index + 2)
          fc.pre(!(misspelled in (prefix === '' ? APP_OPTIONS : APP_LIMITS)))
          const { message } = refusalOf(make(prefix === '' ? { [misspelled]: 1 } : { limits: { [misspelled]: 1 } }))
          expect(message).toMatch(/did you mean \S+\?$/)
        },
      ),
      { numRuns: runs(500) },
    )
  })

  test('a service of its own has no options of the app, and serveResponses none that it does not have', async () => {
    expect(refusalOf(() => createResponseService({ engine, tokenTable, authorize() {} } as never)).message).toContain(
      'createResponseService: there is no option "authorize"',
    )
    await expect(serveResponses({ engine, tokenTable, host: '0.0.0.0' } as never)).rejects.toThrow(
      'serveResponses: there is no option "host"',
    )
    await expect(serveResponses({ engine, tokenTable, port: 70_000 })).rejects.toThrow('port: expected a whole number')
  })

  test('createMemoryStore({ responces }) is refused', () => {
    expect(refusalOf(() => createMemoryStore({ responces: 5 } as never)).message).toBe(
      'createMemoryStore: there is no option "responces", did you mean responses?',
    )
  })
})

test('each limit of the app is refused where it is no number that it can be', () => {
  for (const name of Object.keys(APP_LIMITS)) {
    for (const value of [-1, '1', Number.NaN, null, Number.POSITIVE_INFINITY]) {
      if (name === 'responseSeconds' && value === Number.POSITIVE_INFINITY) continue
      expect(refusalOf(make({ limits: { [name]: value } })).message).toContain(`limits.${name}: expected a`)
    }
    expect(make({ limits: { [name]: 7 } })).not.toThrow()
  }
})
