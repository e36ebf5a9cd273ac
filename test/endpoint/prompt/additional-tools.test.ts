import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { policies } from '../../../src/core/recipients/policy.js'
import { promptMessages } from '../../../src/endpoint/prompt/prompt-messages.js'
import { renderPrompt } from '../../../src/endpoint/prompt/render-prompt.js'
import { teachTools } from '../../../src/endpoint/prompt/taught-tools.js'
import { TOOLS } from '../../../src/endpoint/request/schemas/tools.js'
import { loadTokenTable } from '../../../src/index.js'
import { RequestError } from '../../../src/shared/request-error.js'
import { runs } from '../../support/runs.js'

const tokenTable = await loadTokenTable()
const OPTIONS = {
  date: '2026-01-31',
  listings: [{ serverLabel: 'docs', tools: [{ name: 'search' }, { name: 'open' }] }],
}

const user = (content = 'Hi'): object => ({ role: 'user', content })
const declares = (...tools: readonly object[]): object => ({ type: 'additional_tools', role: 'developer', tools })
const fn = (name: string, description = 'Works.'): object => ({ type: 'function', name, description })
const docs = (...allowed_tools: string[]): object => ({ type: 'mcp', server_label: 'docs', allowed_tools })

/** A declaration of each type of tool. */
const DECLARED: Readonly<Record<string, object>> = {
  function: {
    name: 'look',
    description: 'Looks.',
    parameters: { type: 'object', properties: { at: { type: 'string' } } },
  },
  custom: {
    name: 'exec',
    description: 'Runs.',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' },
  },
  namespace: { name: 'clock', description: 'Time.', tools: [fn('sleep'), { type: 'custom', name: 'tick' }] },
  mcp: { server_label: 'docs', server_description: 'Pages.' },
  file_search: { vector_store_ids: ['vs_1'] },
  shell: { environment: { type: 'local' } },
}

/** The text of the developer messages of a request. */
const taughtBy = (request: object): string[] =>
  promptMessages(request, OPTIONS).flatMap(({ role, content }) => (role === 'developer' ? [content] : []))
const idsOf = (request: object): number[] => [...renderPrompt(request, { ...OPTIONS, tokenTable }).tokens]

describe('tools that an item of the conversation declares', () => {
  test.each(Object.keys(TOOLS))('a tool of the type %s is known and taught as it is in tools', (type) => {
    const tool = { type, ...DECLARED[type] }
    const inTools = teachTools({ tools: [tool], input: [user()] }, OPTIONS.listings, policies.openai)
    const item = declares(tool)
    const inItem = teachTools({ input: [user(), item] }, OPTIONS.listings, policies.openai)
    for (const field of ['namespaces', 'builtins', 'untaught', 'omitted'] as const) {
      expect(inItem[field]).toEqual(inTools[field])
    }
    const { functions, customTools, builtins, shell } = inTools.declared
    expect(inItem.declared).toMatchObject({ functions, customTools, builtins, shell })
    const isTaught = inTools.namespaces.length + inTools.builtins.size > 0
    expect(inItem.later.get(item)?.length ?? 0).toBe(isTaught ? 1 : 0)
    expect(inItem.head).toEqual({ namespaces: [], builtins: new Set() })
  })

  test('tools of items in front of the conversation are taught at the head, exactly as those of the request', () => {
    const tools = Object.entries(DECLARED).map(([type, fields]) => ({ type, ...fields }))
    const instructions = [{ role: 'developer', content: 'Be brief.' }]
    const inTools = idsOf({ tools, input: [...instructions, user()] })
    expect(idsOf({ input: [declares(...tools), ...instructions, user()] })).toEqual(inTools)
    expect(idsOf({ input: [...instructions, declares(...tools), user()] })).toEqual(inTools)
    const [first, ...others] = tools as [object, ...object[]]
    expect(idsOf({ tools: [first], input: [declares(...others), ...instructions, user()] })).toEqual(inTools)
  })

  test('a built-in tool is taught in a message at its item, even if it has no functions of its own', () => {
    const [message] = taughtBy({ input: [user(), declares({ type: 'code_interpreter' }, fn('look'))] })
    expect(message).toMatch(/^# Tools\n\n## python\n\nUse this tool .+## functions\n\nnamespace functions \{/s)
  })

  test('a tool that is declared again is taught once', () => {
    const items = [declares(fn('look'), docs('search')), user(), declares(docs('search'), fn('look'))]
    expect(taughtBy({ input: [user(), ...items] })).toHaveLength(1)
    expect(taughtBy({ input: [...items, user()] })).toHaveLength(1)
  })

  test('a tool that is declared otherwise is taught anew, and the earlier message stays', () => {
    const [first, second] = taughtBy({
      input: [user(), declares(fn('look', 'Old.')), user(), declares(fn('look', 'New.'))],
    })
    expect([first, second]).toEqual([expect.stringContaining('// Old.'), expect.stringContaining('// New.')])
  })

  test('a tool that becomes a custom one of the same name is called as that', () => {
    const input = [user(), declares(fn('look')), user(), declares({ type: 'custom', name: 'look' })]
    const { declared, functionRecipient } = teachTools({ input }, [], policies.openai)
    expect([[...declared.functions], [...declared.customTools]]).toEqual([[], ['look']])
    expect(functionRecipient('look')).toBe('functions.look')
    expect(taughtBy({ input })[1]).toContain('type look = (_: string) => any;')
  })

  test('a server of which fewer tools are allowed later is called by those alone', () => {
    const input = [user(), declares(docs('search', 'open')), user(), declares(docs('open'))]
    const { namespaces } = teachTools({ input }, OPTIONS.listings, policies.openai)
    expect(namespaces).toMatchObject([{ name: 'docs', tools: [{ name: 'open' }] }])
    expect(taughtBy({ input })).toHaveLength(1)
  })

  test('tools that tool_choice excludes are not taught', () => {
    const input = [user(), declares(fn('look'), fn('find'))]
    expect(taughtBy({ input, tool_choice: 'none' })).toEqual([])
    const allowed = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'find' }] }
    expect(taughtBy({ input, tool_choice: allowed })).toEqual([expect.not.stringContaining('look')])
  })

  test('a call to a tool of an item is addressed as the tool is taught', () => {
    const call = { type: 'function_call', call_id: 'c', name: 'sleep', namespace: 'clock', arguments: '{}' }
    const output = { type: 'function_call_output', call_id: 'c', output: 'ok' }
    const clock = { type: 'namespace', ...DECLARED['namespace'] }
    const messages = promptMessages({ input: [declares(clock), user(), call, output] }, OPTIONS)
    expect(messages.at(-2)).toMatchObject({ recipient: 'clock.sleep' })
  })

  test.each<[what: string, tools: unknown, param: string]>([
    ['no list', 7, 'input[1].tools'],
    ['an entry that is no object', ['shell'], 'input[1].tools[0]'],
    ['a function without a name', [fn('look'), { type: 'function' }], 'input[1].tools[1].name'],
    [
      'a member without a name',
      [{ type: 'namespace', name: 'a', tools: [{ type: 'custom' }] }],
      'input[1].tools[0].tools[0].name',
    ],
    [
      'a filter that is none',
      [{ type: 'mcp', server_label: 'docs', allowed_tools: 7 }],
      'input[1].tools[0].allowed_tools',
    ],
    ['a name that no recipient can have', [fn('look'), fn('a b')], 'input[1].tools[1].name'],
  ])('a declaration with %s is refused where it is', (_, tools, param) => {
    const request = { tools: [fn('look')], input: [user(), { type: 'additional_tools', role: 'developer', tools }] }
    expect(() => promptMessages(request, OPTIONS)).toThrow(RequestError)
    expect(() => promptMessages(request, OPTIONS)).toThrow(expect.objectContaining({ param }))
  })

  test('items that declare servers with more than 50,000 listed tools in total are refused', () => {
    const listings = [{ serverLabel: 'docs', tools: Array.from({ length: 2000 }, (_, at) => ({ name: `t${at}` })) }]
    const input = Array.from({ length: 26 }, (_, at) => [user(), declares(docs(`t${at}`))]).flat()
    const teach = (items: number): unknown =>
      teachTools({ input: input.slice(0, 2 * items) }, listings, policies.openai)
    expect(() => teach(25)).not.toThrow()
    expect(() => teach(26)).toThrow(expect.objectContaining({ name: 'RequestError', param: 'input[51]' }))
  })

  test('items that declare more than 10,000 tools in total are refused', () => {
    const list = Array.from({ length: 100 }, (_, at) => fn(`f${at}`))
    const input = Array.from({ length: 101 }, () => [user(), declares(...list)]).flat()
    const teach = (items: number): unknown => teachTools({ input: input.slice(0, 2 * items) }, [], policies.openai)
    expect(() => teach(100)).not.toThrow()
    expect(() => teach(101)).toThrow(expect.objectContaining({ name: 'RequestError', param: 'input[201].tools' }))
  })

  test.each<[what: string, wrong: object, right: object, param: string]>([
    [
      'server',
      { type: 'mcp', server_label: 'docs', allowed_tools: 7 },
      docs('open'),
      'input[1].tools[0].allowed_tools',
    ],
    ['shell', { type: 'shell', environment: 7 }, { type: 'shell' }, 'input[1].tools[0].environment'],
  ])('a malformed %s is refused where it is, though a later item replaces it', (_, wrong, right, param) => {
    const request = { input: [user(), declares(wrong), user(), declares(right)] }
    expect(() => promptMessages(request, OPTIONS)).toThrow(RequestError)
    expect(() => promptMessages(request, OPTIONS)).toThrow(expect.objectContaining({ param }))
  })

  test('an item that stands in the input twice, as one object, is taught', () => {
    const item = declares(fn('look'))
    expect(taughtBy({ input: [user(), item, user(), item] })[0]).toContain('look')
  })

  test('a declaration by another role is refused', () => {
    const request = { input: [{ ...declares(fn('look')), role: 'user' }] }
    expect(() => promptMessages(request, OPTIONS)).toThrow(expect.objectContaining({ param: 'input[0].role' }))
  })
})

const name = fc.constantFrom('look', 'find', 'search', 'docs')
const client = fc.record({
  type: fc.constantFrom('function', 'custom'),
  name,
  description: fc.constantFrom('Old.', 'New.'),
})
const anyTool = fc.oneof(
  { weight: 3, arbitrary: client },
  fc.record({
    type: fc.constant('namespace'),
    name,
    tools: fc.uniqueArray(client, { selector: (each) => each.name, maxLength: 3 }),
  }),
  fc.array(fc.constantFrom('search', 'open')).map((names) => docs(...names)),
  fc.record({ type: fc.constantFrom('web_search', 'code_interpreter', 'shell', 'local_shell', 'apply_patch') }),
)
const anyList = fc.uniqueArray(anyTool, {
  selector: (each) => JSON.stringify([(each as { name?: string }).name, each]),
  maxLength: 3,
})

test('a conversation that declares more tools begins with the same tokens as before', () => {
  let count = 0
  fc.assert(
    fc.property(anyList, fc.array(anyList, { minLength: 2, maxLength: 5 }), (own, lists) => {
      // What the request itself declares is taught by the item that repeats it.
      const repeated = new Set(own.flatMap(partsOf))
      const news = (list: readonly object[]): readonly object[] =>
        list.filter((tool) => !partsOf(tool).some((part) => repeated.has(part)))
      const items = lists.flatMap((list) => [user(), declares(...news(list))])
      const requestOf = (turns: number): object => ({
        tools: own,
        input: [...items.slice(0, 2 * turns), user('Go on.')],
      })
      const [before, after] = [1, 2].map((more) => messageIds(requestOf(lists.length - 2 + more)))
      if (before === undefined || after === undefined) return
      count += 1
      expect(after.slice(0, before.length)).toEqual(before)
    }),
    { numRuns: runs(2000) },
  )
  expect(count).toBeGreaterThan(0)
})

/** A tool as text, or each member of a namespace. */
function partsOf(tool: object): string[] {
  const { type, name, tools = [tool] } = tool as { type: string; name?: string; tools?: readonly object[] }
  return tools.map((each) => JSON.stringify([type === 'namespace' ? name : null, each]))
}

/** The ids before the last message of the user; undefined if the request is refused: two tools have one name. */
function messageIds(request: object): number[] | undefined {
  try {
    const { tokens, messages } = renderPrompt(request, { ...OPTIONS, tokenTable })
    return [...tokens.subarray(0, messages.at(-1)?.start)]
  } catch (error) {
    if (error instanceof RequestError) return undefined
    throw error
  }
}
