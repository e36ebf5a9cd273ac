import { describe, expect, test } from 'vitest'
import { type ResponseRequest, translate } from '../../../src/index.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'
import { expectSame } from '../../support/expect-same.js'
import { describeSlow } from '../../support/slow-suites.js'
import { Translator } from '../../support/translator.js'
import { builtin, mcp } from '../recipients/tools.js'
import { callTo, createRun, FIXED, type Run, runOf, terminal } from './run.js'

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
const nestedObject = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const DEEP = 20_000
const LONG = 150_000

const shell = (type: string): ResponseRequest['tools'] => [{ type: 'shell', environment: { type } } as never]

/** Every kind of call, with parsed arguments or without: the request's tools, and the recipient. */
const CALLS: readonly [string, ResponseRequest['tools'], string][] = [
  ['a search', [builtin('web_search')], 'browser.search'],
  ['an opened page', [builtin('web_search')], 'browser.open'],
  ['a search in a page', [builtin('web_search')], 'browser.find'],
  ['code', [builtin('code_interpreter')], 'python'],
  ["a shell command of the host's", shell('container_auto'), 'container.exec'],
  ["a shell command of the client's", shell('local'), 'container.exec'],
  ['a local shell command', [builtin('local_shell')], 'container.exec'],
  ['an MCP call', [mcp('github')], 'github.search'],
  ['an MCP call to be approved', [{ ...mcp('github'), require_approval: 'always' } as never], 'github.search'],
  ['a function call', [], 'functions.f'],
]

const COMMAND_WORDS = Array.from({ length: LONG }, (_, at) => `"w${at}"`).join()

/** Arguments that a model may write. */
const ARGUMENTS: readonly [string, string][] = [
  ['a nested list', nested(DEEP)],
  ['nested objects', nestedObject(DEEP)],
  ['a nested list as the command', `{"cmd":${nested(DEEP)}}`],
  ['a nested list in the command', `{"cmd":["ls",${nested(DEEP)}]}`],
  ['nested objects in the command', `{"command":["ls",${nestedObject(DEEP)}],"timeout":${nested(DEEP)}}`],
  ['a nested environment', `{"cmd":["ls"],"env":{"A":${nestedObject(DEEP)}},"user":${nested(DEEP)}}`],
  [
    'a nested query',
    `{"query":${nested(DEEP)},"id":${nested(DEEP)},"pattern":${nested(DEEP)},"cursor":${nested(DEEP)}}`,
  ],
  ['an endless beginning', `{"cmd":${'['.repeat(DEEP)}`],
  ['a long list', `[${COMMAND_WORDS}]`],
  ['a long command', `{"cmd":[${COMMAND_WORDS}]}`],
  ['a long script', `{"cmd":"${'echo x;'.repeat(LONG)}"}`],
  ['a long word', `{"cmd":["ls","${'x'.repeat(10 * LONG)}"]}`],
  ['many variables', `{"cmd":["ls"],"env":{${Array.from({ length: LONG / 10 }, (_, at) => `"V${at}":${at}`).join()}}}`],
  ['numbers beyond all numbers', '{"cmd":["ls"],"timeout":1e999,"cursor":1e999,"id":-1e999}'],
  ['names of what objects inherit', '{"__proto__":{"cmd":["ls"]},"constructor":[[]],"cmd":["__proto__"]}'],
]

/** Continues in another process, if requested. */
function moved(run: Run, options: { request: ResponseRequest }, isMoved: boolean): Run {
  if (!isMoved) return run
  return runOf(Translator.restore(JSON.parse(JSON.stringify(run.translator.snapshot())), { ...FIXED, ...options }))
}

describeSlow('a call with deep or long arguments', () => {
  describe.each(CALLS)('%s', (_, tools, recipient) => {
    test.each(ARGUMENTS)('a call throws nothing at %s, cut or whole, here or in another process', (_name, text) => {
      const options = { request: { tools: tools ?? [] } }
      for (const [cut, isMoved] of [
        [text.length, false],
        [text.length >> 1, true],
        [text.length >> 2, false],
      ] as const) {
        const begun = new Translator({ ...FIXED, ...options })
        begun.push(callTo(recipient, text.slice(0, cut)))
        const run = moved(runOf(begun), options, isMoved)
        if (cut === text.length) run.push('<|call|>')
        const item = run.translator.response.output[0]
        if (item?.type.match(/^(mcp|code|web|shell)_.*call$/) && cut === text.length) {
          run.translator.push({
            host: `<|start|>${recipient} to=assistant<|channel|>commentary<|message|>${text}<|end|>`,
          })
        }
        const last = moved(run, options, isMoved).translator.end(cut === text.length ? 'stop' : undefined)
        expectSame(JSON.parse(JSON.stringify(terminal(last))), terminal(last))
      }
    })
  })
})

describe('a command', () => {
  const run = (text: string): Run => {
    const run = createRun({ request: { tools: shell('local') ?? [] } })
    run.push(`${callTo('container.exec', text)}<|call|>`)
    return run
  }

  test.each([nested(5_000), '["ls",["-l"]]', '{"cmd":["ls",{"flag":"-l"}]}'])(
    'a command of which a word is no word is reported as unreadable: %.40s',
    (text) => {
      const { diagnostics, translator } = run(text)
      expect(diagnostics).toMatchObject([{ code: 'unreadable_arguments', subject: 'shell_call', text }])
      expect(translator.response.output).toMatchObject([{ action: { commands: [] } }])
    },
  )

  test('a command may have numbers and the like for words', () => {
    const { diagnostics, translator } = run('["head","-n",5,true,null]')
    expect(diagnostics).toEqual([])
    expect(translator.response.output).toMatchObject([{ action: { commands: ['head -n 5 true null'] } }])
  })

  test('a command has no timeout that JSON cannot say', () => {
    expect(run('{"cmd":["ls"],"timeout":1e999}').translator.response.output).toMatchObject([
      { action: { timeout_ms: null } },
    ])
  })
})

describe('data of the caller that is too deep is an error of his', () => {
  const deep = (depth: number): never => JSON.parse(nestedObject(depth)) as never
  const codeOf = (act: () => unknown): unknown => {
    try {
      act()
    } catch (error) {
      if (error instanceof HarmonyResponsesError) return [error.code, error.message]
      throw error
    }
    return undefined
  }
  const EXPECTED = 'plain JSON data, at most 500 levels deep'

  test.each([501, 5_000, DEEP])('a request that is too deep is an error of the caller, %i levels deep', (depth) => {
    const schema = { type: 'function', name: 'f', parameters: deep(depth) } as never
    for (const request of [
      { tools: [schema] },
      { metadata: deep(depth) },
      { text: deep(depth) },
    ] as ResponseRequest[]) {
      expect(codeOf(() => new Translator({ ...FIXED, request }))).toEqual([
        'bad_option',
        `request: expected ${EXPECTED}, got an object`,
      ])
    }
    expect(codeOf(() => translate([], { request: { tools: [schema] } }))).toMatchObject([
      'bad_option',
      expect.any(String),
    ])
    // The prompt is the host's alone.
    expect(codeOf(() => new Translator({ ...FIXED, request: { input: deep(depth) } as never }))).toBeUndefined()
  })

  test('a request of 400 levels is no error, though every event with a response repeats it', () => {
    const request = { tools: [{ type: 'function', name: 'f', parameters: deep(400) } as never] }
    const run = createRun({ request })
    run.push('<|channel|>final<|message|>Hi<|return|>')
    expect(JSON.stringify(terminal(run.end()))).toContain(nestedObject(400))
    expect(codeOf(() => Translator.restore(run.translator.snapshot(), { ...FIXED }))).toBeUndefined()
  })

  test.each([501, 5_000, DEEP])(
    'listings and messages that are too deep are an error of the caller, %i levels deep',
    (depth) => {
      const mcpListings = [{ serverLabel: 'a', tools: [{ name: 't', inputSchema: deep(depth) }] }]
      expect(codeOf(() => new Translator({ ...FIXED, mcpListings }))).toMatchObject(['bad_option', expect.any(String)])
      expect(codeOf(() => new Translator({ ...FIXED, inputMessages: [deep(depth)] }))).toMatchObject([
        'bad_option',
        expect.any(String),
      ])
    },
  )

  test.each([501, 5_000, DEEP])(
    'results of tools that are too deep are an error of the caller and change nothing, %i levels deep',
    (depth) => {
      const request = { tools: [builtin('code_interpreter'), builtin('web_search')], include: [] }
      const run = createRun({ request })
      run.push(`${callTo('python', '1')}<|call|><|start|>assistant${callTo('browser.search', '{"query":"q"}')}`)
      const before = run.translator.snapshot()
      const [code, search] = run.translator.response.output as { id: string }[]
      for (const result of [
        { itemId: code?.id, outputs: [{ type: 'logs', logs: deep(depth) }] },
        { itemId: search?.id, sources: [{ url: 'https://example.com', more: deep(depth) }] },
        { itemId: search?.id, pages: [{ url: 'https://example.com', cursor: 1, more: deep(depth) }] },
        { itemId: code?.id, output: 'x', error: { message: 'no', data: deep(depth) } },
      ]) {
        expect(codeOf(() => run.translator.toolResult(result as never))).toEqual([
          'bad_result',
          `toolResult: expected ${EXPECTED}, got an object`,
        ])
      }
      expect(run.translator.snapshot()).toEqual(before)
    },
  )

  test('a request that contains itself is an error of the caller', () => {
    const metadata: { [field: string]: unknown } = {}
    metadata['self'] = metadata
    expect(codeOf(() => new Translator({ ...FIXED, request: { metadata } as never }))).toMatchObject([
      'bad_option',
      expect.any(String),
    ])
  })

  test.each(['mcpListings', 'inputMessages'])(
    'the very call of translate() throws at data that is too deep: %s',
    (option) => {
      const entry = { serverLabel: 'a', tools: [{ name: 't', inputSchema: deep(DEEP) }] }
      expect(codeOf(() => translate([], { [option]: [entry] }))).toMatchObject(['bad_option', expect.any(String)])
    },
  )

  test('a result that is no plain data is an error of the caller', () => {
    const run = createRun({ request: { tools: [builtin('code_interpreter')] } })
    run.push(`${callTo('python', '1')}<|call|>`)
    const [code] = run.translator.response.output
    const result = { itemId: code?.id, outputs: [{ type: 'logs', logs: 'a', more: () => 1 }] }
    expect(codeOf(() => run.translator.toolResult(result as never))).toMatchObject(['bad_result', expect.any(String)])
  })

  test('a snapshot that is too deep is an error of the caller', () => {
    const snapshot = { ...createRun().translator.snapshot(), more: deep(DEEP) }
    expect(codeOf(() => Translator.restore(snapshot, FIXED))).toMatchObject(['bad_snapshot', expect.any(String)])
  })
})
