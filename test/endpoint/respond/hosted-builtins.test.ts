import { describe, expect, test } from 'vitest'
import type { Diagnostic } from '../../../src/core/diagnostics/diagnostic.js'
import { countInputTokens } from '../../../src/endpoint/respond/count-input-tokens.js'
import { hostedBuiltins } from '../../../src/endpoint/respond/opening/hosted-builtins.js'
import type { RespondOptions } from '../../../src/endpoint/respond/options.js'
import type { HostedCall, Tool } from '../../../src/endpoint/tools/tool.js'
import { decodeTokens } from '../../support/tokens.js'
import { ANSWER, type Asked, echo, GITHUB, optionsOf, type RunOptions, run } from './scripted.js'

const answering = (answers: Tool['answers']): Tool => ({ answers, run: async () => ({ output: 'done' }) })
const python = answering(({ type }) => type === 'code_interpreter_call')
const noErrors = (error: unknown): void => expect.unreachable(String(error))

const CODE = { type: 'code_interpreter' } as const
const SEARCH = { type: 'web_search' } as const
const CONTAINER = { type: 'shell', environment: { type: 'container_auto' } } as const
const FUNCTION = { type: 'function', name: 'f' } as const

/** The namespaces that the model is taught, and the host's diagnostics. */
async function told(
  request: object,
  options: RunOptions = {},
): Promise<{ taught: string[]; left: readonly Diagnostic[] }> {
  const asked: Asked[] = []
  const left: Diagnostic[] = []
  const { entries } = await run(
    { input: 'Hi', ...request },
    { turns: [ANSWER], asked, tools: [], onDiagnostic: (diagnostic) => void left.push(diagnostic), ...options },
  )
  expect(entries[0]?.type).toBe('open')
  const prompt = decodeTokens(asked[0]?.context.filter((id) => id < 200_000) ?? [])
  return {
    taught: [...prompt.matchAll(/^(?:## (\w+)$|namespace (\w+) \{)/gm)].flatMap(([, , name]) => name ?? []),
    left,
  }
}

describe('which built-in tools the host runs', () => {
  test('a tool is asked about an empty call of each type', () => {
    const asked: HostedCall[] = []
    const tool = answering((call) => asked.push(call) === 0)
    expect(hostedBuiltins([tool], noErrors)).toEqual([])
    expect(asked.map(({ type }) => type)).toEqual([
      'code_interpreter_call',
      'file_search_call',
      'shell_call',
      'web_search_call',
    ])
    expect(asked).toMatchObject([
      { code: '', outputs: null },
      { queries: [], results: null },
      { action: { commands: [] }, environment: { type: 'container_reference' } },
      { action: { type: 'search', query: '' } },
    ])
  })

  test('the built-in tools that some tool answers are run', () => {
    const shell = answering((call) => call.type === 'shell_call' && call.environment?.type === 'container_reference')
    expect(hostedBuiltins([python, shell], noErrors)).toEqual(['code_interpreter', 'shell'])
    expect(hostedBuiltins([echo], noErrors)).toEqual(['code_interpreter', 'file_search', 'shell', 'web_search'])
    expect(hostedBuiltins([], noErrors)).toEqual([])
  })

  test('a tool that throws when it is asked runs nothing, and the host is told', () => {
    const errors: unknown[] = []
    const broken = answering(() => {
      throw new Error('broken')
    })
    expect(hostedBuiltins([broken], (error) => errors.push(error))).toEqual([])
    expect(errors).toHaveLength(4)
  })

  test('a tool that changes the empty call that it is asked about changes no other', () => {
    const careless = answering((call) => {
      Object.assign(call, { code: 'changed' })
      return false
    })
    hostedBuiltins([careless], noErrors)
    const codes: unknown[] = []
    hostedBuiltins([answering((call) => 'code' in call && codes.push(call.code) === 0)], noErrors)
    expect(codes).toEqual([''])
  })
})

describe('the tools that the model is taught', () => {
  test('hosted tools that nothing runs are not taught, and the host is told once', async () => {
    const tools = [SEARCH, CODE, CONTAINER, { type: 'image_generation' }, { type: 'web_search_preview' }, FUNCTION]
    expect(await told({ tools })).toEqual({
      taught: ['functions'],
      left: [
        {
          code: 'unhosted_tool',
          subject: 'web_search, code_interpreter, shell, image_generation, web_search_preview',
          index: -1,
        },
      ],
    })
  })

  test('hosted tools that the host runs are taught', async () => {
    const { taught, left } = await told({ tools: [CODE, SEARCH, FUNCTION] }, { tools: [echo] })
    expect(taught).toEqual(expect.arrayContaining(['browser', 'functions']))
    expect(left).toEqual([])
    const some = await told({ tools: [CODE, SEARCH] }, { tools: [python] })
    expect(some.taught).not.toContain('browser')
    expect(some.left).toMatchObject([{ subject: 'web_search' }])
  })

  test('what a tool does not regard of its declaration is told to the host, and one that throws then still runs', async () => {
    const errors: unknown[] = []
    const partly: Tool = { ...echo, ignores: ({ type }) => (type === SEARCH.type ? ['user_location.city'] : []) }
    const throwing: Tool = {
      ...echo,
      ignores() {
        throw new Error('broken')
      },
    }
    const { taught, left } = await told(
      { tools: [CODE, SEARCH] },
      { tools: [throwing, partly], onError: (error) => void errors.push(error) },
    )
    expect(taught).toContain('browser')
    expect(left).toEqual([{ code: 'ignored_parameter', subject: 'web_search: user_location.city', index: -1 }])
    expect(errors.map(String)).toEqual(['Error: broken', 'Error: broken'])
  })

  test('of many fields, whose names a client may write, a few are told, and only their beginnings', async () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `${at} ${'x'.repeat(500)}`)
    const { left } = await told({ tools: [CODE, CODE] }, { tools: [{ ...echo, ignores: () => names }] })
    const subjects = left.map(({ subject = '' }) => subject)
    expect(subjects).toHaveLength(9)
    expect(subjects.at(0)).toMatch(/^code_interpreter: 0 x+\.\.\.$/)
    expect(subjects.at(-1)).toBe('other fields of tools')
    expect(Math.max(...subjects.map(({ length }) => length))).toBeLessThan(110)
  })

  test.each([
    ['a shell without an environment', [{ type: 'shell' }]],
    ['a local shell', [{ type: 'shell', environment: { type: 'local' } }]],
    ['the local_shell tool', [{ type: 'local_shell' }]],
  ])('%s is taught although the host runs none', async (_, tools) => {
    expect(await told({ tools })).toEqual({ taught: ['container'], left: [] })
  })

  test('beside a container that nothing runs a local shell is not taught: a call of it would be one of the container', async () => {
    const { taught, left } = await told({ tools: [CONTAINER, { type: 'local_shell' }] })
    expect(taught).toEqual([])
    expect(left).toMatchObject([{ subject: 'shell, local_shell' }])
  })

  test("what tool_choice leaves out is the client's own choice, and no diagnostic", async () => {
    expect((await told({ tools: [SEARCH, FUNCTION], tool_choice: 'none' })).left).toEqual([])
    const allowed = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] }
    expect((await told({ tools: [SEARCH, FUNCTION], tool_choice: allowed })).left).toEqual([])
  })

  test('an MCP server instead of a built-in tool is taught if the host answers for it', async () => {
    const tools = [{ type: 'mcp', server_label: 'container', require_approval: 'never' }]
    const container = answering((call) => call.type === 'mcp_call' && call.server_label === 'container')
    expect((await told({ tools }, { tools: [container] })).taught).toEqual(['container'])
    expect((await told({ tools }, { tools: [python] })).taught).toEqual([])
  })

  test('an MCP server instead of a built-in tool that nothing answers for has a listing that failed', async () => {
    const tools = [{ type: 'mcp', server_label: 'code_interpreter', require_approval: 'never' }]
    const { output } = await run({ input: 'Hi', tools }, { turns: [ANSWER], tools: [python] })
    expect(output[0]).toMatchObject({ type: 'mcp_list_tools', error: 'The server is not available.' })
  })

  test('a call of a tool that nothing runs fails, and the model continues', async () => {
    const turns = ['<|channel|>analysis to=python code<|message|>1+1<|call|>', ANSWER]
    const { output, response } = await run({ input: 'Hi', tools: [CODE] }, { turns, tools: [] })
    expect(output).toMatchObject([{ type: 'code_interpreter_call', status: 'failed' }, { type: 'message' }])
    expect(response.status).toBe('completed')
  })

  test('a process that continues from the entries is not told again', async () => {
    const left: Diagnostic[] = []
    const options = { turns: [ANSWER], tools: [], onDiagnostic: (each: Diagnostic) => void left.push(each) }
    const request = { input: 'Hi', tools: [SEARCH] }
    const { entries } = await run(request, options)
    expect(left).toHaveLength(1)
    for (const [at] of entries.entries()) await run(request, { ...options, entries: entries.slice(0, at + 1) })
    expect(left).toHaveLength(1)
  })

  test('the counted input tokens are those of the prompt', async () => {
    for (const tools of [[], [python], [echo]]) {
      const asked: Asked[] = []
      const request = { input: 'Hi', tools: [CODE, SEARCH, CONTAINER, FUNCTION] }
      const options = { turns: [ANSWER], asked, tools }
      await run(request, options)
      const diagnosed: Diagnostic[] = []
      const counting: RespondOptions = { ...optionsOf(options), onDiagnostic: (each) => void diagnosed.push(each) }
      expect(await countInputTokens(request, counting)).toEqual({ inputTokens: asked[0]?.context.length })
      expect(diagnosed).toEqual([])
    }
  })

  test('placeholders for images are a diagnostic with their number', async () => {
    const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
    const message = (content: unknown) => ({ type: 'message', role: 'user', content })
    const { left } = await told({ input: [message([image, image]), message('Go on.')] })
    expect(left).toEqual([{ code: 'unread_attachment', subject: '2', index: -1 }])
  })
})

describe('a demand that nothing can meet', () => {
  const only = (choice: unknown, ...tools: object[]) =>
    run({ input: 'Hi', tools, tool_choice: choice } as never, UNASKED)
  const UNASKED: RunOptions = { turns: [], tools: [] }
  const required = (...tools: object[]) => ({ type: 'allowed_tools', mode: 'required', tools })

  test.each<[string, unknown, object[]]>([
    ['a web search', { type: 'web_search' }, [SEARCH, FUNCTION]],
    ['a web search by its old name', { type: 'web_search_preview' }, [SEARCH, FUNCTION]],
    ['the code interpreter', { type: 'code_interpreter' }, [CODE, FUNCTION]],
    ['a container', { type: 'shell' }, [CONTAINER, FUNCTION]],
    ['a search of files', { type: 'file_search' }, [{ type: 'file_search' }, FUNCTION]],
    ['an image', { type: 'image_generation' }, [{ type: 'image_generation' }, FUNCTION]],
    ['a computer', { type: 'computer_use' }, [{ type: 'computer_use_preview' }, FUNCTION]],
    ['any call', 'required', [SEARCH, CODE, { type: 'file_search' }]],
    ['any call of a server that is not there', 'required', [GITHUB]],
    [
      'a call of a server that is not there',
      { type: 'mcp', server_label: 'container' },
      [{ ...GITHUB, server_label: 'container' }],
    ],
    ['one of some calls', required(SEARCH, CODE), [SEARCH, CODE, FUNCTION]],
  ])('%s is refused before anything is sampled', async (_, choice, tools) => {
    await expect(only(choice, ...tools)).rejects.toMatchObject({
      status: 400,
      param: 'tool_choice',
      code: 'unsupported_value',
      message: expect.stringMatching(/(?:is not|none of .* is) available on this server/),
    })
  })

  test('the refusal names what is not available', async () => {
    await expect(only({ type: 'web_search_preview' }, SEARCH)).rejects.toThrow(
      "Unsupported value: 'tool_choice': the tool 'web_search_preview' is not available on this server.",
    )
    await expect(only('required', SEARCH, CODE)).rejects.toThrow(
      "none of the tools that may be called ('web_search' and 'code_interpreter') is available",
    )
  })

  test('a demand that something else can meet is no error', async () => {
    const called =
      '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>'
    const request = { input: 'Hi', tools: [SEARCH, FUNCTION], tool_choice: 'required' } as const
    const { output, entries } = await run(request, { turns: [called], tools: [] })
    expect(output.at(-1)).toMatchObject({ type: 'function_call', name: 'f', status: 'completed' })
    // What is left out is no choice: there is one function, and the host writes its name.
    expect(entries[0]).toMatchObject({ callees: ['functions.f'] })
  })

  test('a count of input tokens is refused as the response is', async () => {
    const request = { input: 'Hi', tools: [SEARCH], tool_choice: 'required' } as const
    await expect(countInputTokens(request, optionsOf({ tools: [] }))).rejects.toMatchObject({ param: 'tool_choice' })
  })
})
