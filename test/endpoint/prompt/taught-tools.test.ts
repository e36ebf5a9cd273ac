import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { policies } from '../../../src/core/recipients/policy.js'
import { recipientKey } from '../../../src/core/recipients/recipient.js'
import type { McpListing } from '../../../src/core/responses/mcp-listing.js'
import { teachTools } from '../../../src/endpoint/prompt/taught-tools.js'
import { RequestError } from '../../../src/shared/request-error.js'
import { Translator } from '../../../src/translate.js'
import { RUNS } from '../../support/runs.js'

interface Declaration {
  readonly tools: readonly object[]
  readonly listings: readonly McpListing[]
}

/** Few names, so that they often collide: with each other, with namespaces and with built-in tools. */
const name = (): fc.Arbitrary<string> =>
  fc.constantFrom(
    'a',
    'b',
    'a.b',
    'b.c',
    'functions',
    'functions.a',
    'python',
    'browser',
    'search',
    'mcp',
    'mcp.a',
    'exec',
  )

const client = (): fc.Arbitrary<object> => fc.record({ type: fc.constantFrom('function', 'custom'), name: name() })

const tool = (): fc.Arbitrary<object> =>
  fc.oneof(
    client(),
    fc.record({ type: fc.constant('namespace'), name: name(), tools: fc.array(client(), { maxLength: 3 }) }),
    fc.record({ type: fc.constant('mcp'), server_label: name(), require_approval: fc.constantFrom('never', 'always') }),
    fc.record({ type: fc.constantFrom('web_search', 'code_interpreter', 'shell', 'local_shell', 'apply_patch') }),
  )

const declaration = (): fc.Arbitrary<Declaration> =>
  fc.record({
    tools: fc.array(tool(), { maxLength: 6 }),
    listings: fc.array(
      fc.record({ serverLabel: name(), tools: fc.array(fc.record({ name: fc.oneof(name(), fc.string()) })) }),
      { maxLength: 4 },
    ),
  })

/** Undefined if the request is refused: two tools of the client's with one name. */
function taught({ tools, listings }: Declaration): ReturnType<typeof teachTools> | undefined {
  try {
    return teachTools({ tools }, listings, policies.openai)
  } catch (error) {
    if (error instanceof RequestError) return undefined
    throw error
  }
}

/** The callee that a call of this recipient becomes, by the whole translator. */
function called(recipient: string, { tools }: Declaration): string {
  const translator = new Translator({ request: { tools: tools as { type: string }[] } })
  const text = `<|channel|>commentary to=${recipient}<|message|>{}<|call|>`
  translator.push(text)
  const [last] = translator.end('stop').slice(-1) as { response?: { output: { [field: string]: string }[] } }[]
  const item = last?.response?.output[0] ?? {}
  const { type = '', name, namespace, server_label: serverLabel } = item
  return recipientKey({ kind: type, name, ...(serverLabel !== undefined ? { serverLabel } : { namespace }) } as never)
}

describe('the translator accepts exactly the tools that the prompt teaches', () => {
  test('a call of a taught tool becomes an item of that very tool', () => {
    fc.assert(
      fc.property(declaration(), (given) => {
        const prompt = taught(given)
        if (prompt === undefined) return
        const recipients = prompt.namespaces.flatMap(({ name, tools }) => tools.map((tool) => `${name}.${tool.name}`))
        const callees = recipients.map((recipient) => called(recipient, given))
        // No two spellings of one tool, and each is declared.
        expect(new Set(callees).size).toBe(callees.length)
        for (const callee of callees) expect(declaredKeys(given)).toContain(callee)
      }),
      { numRuns: RUNS },
    )
  })

  test('every tool that is declared is taught, or is reported as omitted', () => {
    fc.assert(
      fc.property(declaration(), (given) => {
        const prompt = taught(given)
        if (prompt === undefined) return
        const recipients = prompt.namespaces.flatMap(({ name, tools }) => tools.map((tool) => `${name}.${tool.name}`))
        const omitted = prompt.omitted.map(({ serverLabel, name }) =>
          recipientKey({ kind: 'mcp_call', serverLabel, name } as never),
        )
        const known = new Set([...recipients.map((recipient) => called(recipient, given)), ...omitted])
        expect(declaredKeys(given).filter((key) => !known.has(key))).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })

  test('the recipient of a call of the past is that of the tool, declared or not', () => {
    fc.assert(
      fc.property(declaration(), name(), name(), fc.boolean(), (given, tool, group, isMcp) => {
        const prompt = taught(given)
        if (prompt === undefined) return
        const keys = declaredKeys(given)
        const recipient = isMcp ? prompt.mcpRecipient(group, tool) : prompt.functionRecipient(tool, group)
        const key = isMcp
          ? recipientKey({ kind: 'mcp_call', serverLabel: group, name: tool } as never)
          : recipientKey({ kind: 'function_call', name: tool, namespace: group } as never)
        const isOmitted = prompt.omitted.some(({ serverLabel, name }) => serverLabel === group && name === tool)
        if (keys.includes(key) && !isOmitted) expect(called(recipient, given)).toBe(key)
        expect(recipient).toContain(tool)
      }),
      { numRuns: RUNS },
    )
  })
})

describe('the tools that the model is taught', () => {
  const tools = [
    { type: 'function', name: 'f' },
    { type: 'function', name: 'g' },
    { type: 'namespace', name: 'docs', tools: [{ type: 'function', name: 'lookup' }] },
    { type: 'mcp', server_label: 'github', allowed_tools: ['search', 'read'] },
    { type: 'web_search' },
    { type: 'code_interpreter' },
  ]
  const listings = [{ serverLabel: 'github', tools: [{ name: 'search' }, { name: 'read' }, { name: 'delete' }] }]
  const told = (choice?: unknown): string[] => {
    const { namespaces, builtins } = teachTools({ tools, tool_choice: choice }, listings, policies.openai)
    return [...namespaces.flatMap(({ name, tools }) => tools.map((tool) => `${name}.${tool.name}`)), ...builtins]
  }

  test.each<[what: string, choice: unknown, expected: string[]]>([
    [
      'all tools that are allowed, if the request chooses none',
      undefined,
      ['functions.f', 'functions.g', 'docs.lookup', 'github.search', 'github.read', 'web_search', 'code_interpreter'],
    ],
    ['no tool with tool_choice "none"', 'none', []],
    [
      'all tools if the request names one',
      { type: 'function', name: 'f' },
      ['functions.f', 'functions.g', 'docs.lookup', 'github.search', 'github.read', 'web_search', 'code_interpreter'],
    ],
    [
      'those of allowed_tools, by their names, servers and types',
      {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'function', name: 'g' },
          { type: 'mcp', server_label: 'github', name: 'read' },
          { type: 'web_search_preview' },
        ],
      },
      ['functions.g', 'github.read', 'web_search'],
    ],
    [
      'a whole namespace and a whole server of allowed_tools',
      {
        type: 'allowed_tools',
        mode: 'auto',
        tools: [
          { type: 'namespace', name: 'docs' },
          { type: 'mcp', server_label: 'github' },
        ],
      },
      ['docs.lookup', 'github.search', 'github.read'],
    ],
  ])('the model is told of %s', (_what, choice, expected) => {
    expect(told(choice)).toEqual(expected)
  })

  test('the model is told of a built-in tool if an MCP server that replaces it lists nothing', () => {
    const request = { tools: [{ type: 'mcp', server_label: 'code_interpreter' }] }
    expect([...teachTools(request, [], policies.openai).builtins]).toEqual(['code_interpreter'])
  })

  test('the model is told of the tools that a replacing MCP server lists, in place of the built-in tool', () => {
    const request = { tools: [{ type: 'mcp', server_label: 'container' }] }
    const taught = teachTools(request, [{ serverLabel: 'container', tools: [{ name: 'exec' }] }], policies.openai)
    expect([...taught.builtins]).toEqual([])
    expect(taught.namespaces.map(({ name }) => name)).toEqual(['container'])
  })
})

/** The callees that a request declares: what a call of each of its tools has to become. */
function declaredKeys({ tools, listings }: Declaration): string[] {
  type Tool = { type: string; name: string; server_label: string; tools?: Tool[] }
  const clients = (list: readonly Tool[], namespace?: string): string[] =>
    list.map(({ type, name }) => {
      const kind = type === 'custom' ? 'custom_tool_call' : 'function_call'
      return recipientKey({ kind, name, ...(namespace !== undefined && { namespace }) } as never)
    })
  const all = tools as readonly Tool[]
  const keys = all.flatMap((tool) => {
    if (tool.type === 'function' || tool.type === 'custom') return clients([tool])
    if (tool.type === 'apply_patch') return [recipientKey({ kind: 'apply_patch_call' })]
    if (tool.type === 'namespace') return clients(tool.tools ?? [], tool.name)
    if (tool.type !== 'mcp') return []
    const listed = listings.filter(({ serverLabel }) => serverLabel === tool.server_label).flatMap((l) => l.tools ?? [])
    return listed.map(({ name }) => recipientKey({ kind: 'mcp_call', serverLabel: tool.server_label, name } as never))
  })
  return [...new Set(keys)]
}
