import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classifyRecipient } from '../../../src/core/recipients/classify.js'
import { declareTools } from '../../../src/core/recipients/declared-tools.js'
import { type PolicyName, policies, type RecipientPolicy } from '../../../src/core/recipients/policy.js'
import { recipientKey } from '../../../src/core/recipients/recipient.js'
import type { McpTool, UnknownTool } from '../../../src/core/responses/request.js'
import { RUNS } from '../../support/runs.js'
import { channel, recipient, tools, word } from './arbitraries.js'
import { classified, spell } from './spell.js'
import { builtin, custom, fn, mcp } from './tools.js'

const presets = Object.values(policies)
const policy = fc.constantFrom(...presets)

describe('the channel decides if there is no recipient', () => {
  const byChannel: [string | undefined, string][] = [
    ['analysis', 'reasoning'],
    ['commentary', 'message commentary'],
    ['final', 'message final_answer'],
    ['comment', 'message final_answer'],
    [undefined, 'message final_answer'],
  ]
  for (const policy of presets) {
    for (const nobody of [undefined, 'assistant', 'user', '']) {
      const to = nobody === undefined ? 'without recipient' : `to ${JSON.stringify(nobody)}`
      test.each(byChannel)(`under ${policy.name}, a message ${to} on channel %s is %s`, (channel, expected) => {
        expect(spell(classifyRecipient(nobody, channel, declareTools([]), policy))).toBe(expected)
      })
    }
  }
})

describe('the result for a recipient under each preset', () => {
  const weather = [fn('get_weather')]
  const math = [fn('math.sum')]
  const patch = [custom('apply_patch')]
  const interpreter = [builtin('code_interpreter')]
  const search = [builtin('web_search')]
  const github = [mcp('github')]

  interface Row {
    to: string
    tools: UnknownTool[]
    becomes: Record<PolicyName, string>
  }
  const everywhere = (to: string, tools: UnknownTool[], becomes: string, vllm = becomes): Row => ({
    to,
    tools,
    becomes: { openai: becomes, agents: becomes, vllm, 'functions-only': becomes },
  })
  /** A declared built-in or MCP server, which `functions-only` does not know. */
  const hosted = (to: string, tools: UnknownTool[], becomes: string, vllm = becomes): Row => ({
    to,
    tools,
    becomes: { openai: becomes, agents: becomes, vllm, 'functions-only': `function_call ${to} (undeclared)` },
  })
  const undeclared = (to: string, tools: UnknownTool[], split: string, vllm = split): Row => ({
    to,
    tools,
    becomes: {
      openai: `function_call ${to} (undeclared)`,
      agents: `mcp_call ${split} (unavailable)`,
      vllm: `mcp_call ${vllm}`,
      'functions-only': `function_call ${to} (undeclared)`,
    },
  })

  const rows: Row[] = [
    everywhere('functions.get_weather', weather, 'function_call get_weather'),
    everywhere('functions.get_weather', [], 'function_call get_weather (undeclared)'),
    everywhere('functions.math.sum', math, 'function_call math.sum'),
    everywhere('functions.functions.x', [], 'function_call functions.x (undeclared)'),
    everywhere('functions.apply_patch', patch, 'custom_tool_call apply_patch'),
    undeclared('functions.', [], 'functions / functions'),
    undeclared('functions', [], 'functions / functions'),
    everywhere('get_weather', weather, 'function_call get_weather', 'mcp_call get_weather / get_weather'),
    everywhere('math.sum', math, 'function_call math.sum', 'mcp_call math / sum'),
    everywhere('apply_patch', patch, 'custom_tool_call apply_patch', 'mcp_call apply_patch / apply_patch'),
    undeclared('get_weather', [], 'get_weather / get_weather'),

    hosted('python', interpreter, 'code_interpreter_call', 'mcp_call code_interpreter / python'),
    hosted('python', [mcp('code_interpreter')], 'mcp_call code_interpreter / python'),
    undeclared('python', [], 'python / python', 'code_interpreter / python'),

    hosted('browser.search', search, 'web_search_call search', 'mcp_call web_search_preview / search'),
    hosted('browser.open', search, 'web_search_call open_page', 'mcp_call web_search_preview / open'),
    hosted('browser.find', search, 'web_search_call find_in_page', 'mcp_call web_search_preview / find'),
    hosted('browser.search', [mcp('browser')], 'mcp_call browser / search'),
    hosted('browser.search', [mcp('web_search_preview')], 'mcp_call web_search_preview / search'),
    undeclared('browser.search', [], 'browser / search', 'web_search_preview / search'),
    undeclared('browser', search, 'browser / browser', 'web_search_preview / browser'),

    hosted('container.exec', [builtin('shell')], 'shell_call null', 'mcp_call container / exec'),
    hosted('container.exec', [builtin('local_shell')], 'local_shell_call', 'mcp_call container / exec'),
    hosted('container.exec', [mcp('container')], 'mcp_call container / exec'),
    undeclared('container.exec', [], 'container / exec'),

    hosted('github.search', github, 'mcp_call github / search'),
    hosted('mcp.github.search', github, 'mcp_call github / search'),
    hosted('mcp.github', github, 'mcp_call github / github'),
    hosted('github', github, 'mcp_call github / github'),
    undeclared('github.search', [], 'github / search'),
    undeclared('mcp.github.search', [], 'github / search'),
    undeclared('mcp.', [], 'mcp / mcp'),
    undeclared('.search', [], '.search / .search'),
    undeclared('repo_browser.issues.list', [], 'repo_browser / issues.list'),
    undeclared('constructor', [], 'constructor / constructor'),
    undeclared('<|constrain|>json', [], '<|constrain|>json / <|constrain|>json'),
  ]

  const declared = (tools: UnknownTool[]): string =>
    tools.map((tool) => ('server_label' in tool ? `mcp ${tool.server_label}` : tool.type)).join(', ') || 'nothing'

  for (const { to, tools, becomes } of rows) {
    for (const name of Object.keys(policies) as PolicyName[]) {
      test(`under ${name}, ${to} with ${declared(tools)} declared is ${becomes[name]}`, () => {
        expect(classified(to, tools, name)).toBe(becomes[name])
      })
    }
  }
})

test('python is a call of the MCP server code_interpreter if the request declares that', () => {
  const tools = declareTools([mcp('code_interpreter')])
  expect(classifyRecipient('python', 'analysis', tools)).toEqual({
    kind: 'mcp_call',
    serverLabel: 'code_interpreter',
    name: 'python',
    available: true,
  })
})

describe('a bare built-in', () => {
  test('a bare built-in is a declared function of that name if no built-in is declared', () => {
    expect(classified('python', [fn('python')])).toBe('function_call python')
  })

  test('a bare built-in is the built-in before a declared function of that name', () => {
    expect(classified('python', [fn('python'), builtin('code_interpreter')])).toBe('code_interpreter_call')
  })

  test('a bare built-in leaves the function of that name reachable by its namespace', () => {
    expect(classified('functions.python', [fn('python'), builtin('code_interpreter')])).toBe('function_call python')
  })

  test('a bare built-in is a declared function of that name before an MCP server', () => {
    expect(classified('python', [mcp('python'), fn('python')])).toBe('function_call python')
  })

  test('a bare built-in is the built-in before an MCP server of that label', () => {
    expect(classified('browser.search', [mcp('browser'), builtin('web_search')])).toBe('web_search_call search')
  })

  test('a bare built-in is the hosted shell before the local one', () => {
    expect(classified('container.exec', [builtin('local_shell'), builtin('shell')])).toBe('shell_call null')
  })
})

test('a custom tool goes before a function of the same name', () => {
  expect(classified('functions.bash', [fn('bash'), custom('bash')])).toBe('custom_tool_call bash')
})

describe('a policy is a table', () => {
  const tools = declareTools([builtin('code_interpreter'), mcp('search-server')])
  const classify = (recipient: string, changes: Partial<RecipientPolicy>) =>
    spell(classifyRecipient(recipient, undefined, tools, { ...policies.openai, ...changes }))

  test('a policy is a table whose order can be changed', () => {
    expect(classify('python', { order: ['functions'] })).toBe('function_call python (undeclared)')
  })

  test('a policy is a table whose built-ins can be extended', () => {
    expect(classify('jupyter', { builtins: { jupyter: { tool: 'code_interpreter' } } })).toBe('code_interpreter_call')
  })

  test('a policy is a table whose aliases can be extended', () => {
    expect(classify('find.docs', { aliases: { find: 'search-server' } })).toBe('mcp_call search-server / docs')
  })

  test('a policy is a table whose list of nobodies can be extended', () => {
    expect(classify('everyone', { nonToolRecipients: ['everyone'] })).toBe('message final_answer')
  })

  test('a policy is a table whose answer to undeclared tools can be replaced', () => {
    expect(classify('x.y', { undeclared: 'unavailable_mcp_call' })).toBe('mcp_call x / y (unavailable)')
  })
})

describe('a call that needs approval', () => {
  const tools = [{ ...mcp('github', ['search']), require_approval: 'always' as const }]

  test.each(['openai', 'agents', 'vllm'] as const)(
    'a call that needs approval is a request for it under %s',
    (name) => {
      expect(classified('github.search', tools, name)).toBe('mcp_approval_request github / search')
      expect(classified('mcp.github.search', tools, name)).toBe('mcp_approval_request github / search')
    },
  )

  test.each(['openai', 'agents', 'vllm'] as const)(
    'a call that needs approval is an unavailable call under %s if it is not allowed',
    (name) => {
      expect(classified('github.list', tools, name)).toBe('mcp_call github / list (unavailable)')
    },
  )

  test('a call that needs approval is a function call under functions-only', () => {
    expect(classified('github.search', tools, 'functions-only')).toBe('function_call github.search (undeclared)')
  })

  test('a call that needs approval is a request for it on every channel', () => {
    const declared = declareTools(tools)
    for (const channel of ['analysis', 'commentary', 'final', undefined]) {
      expect(classifyRecipient('github.search', channel, declared)).toEqual({
        kind: 'mcp_approval_request',
        serverLabel: 'github',
        name: 'search',
      })
    }
  })
})

describe('a call of the shell', () => {
  const shell = (environment: unknown): UnknownTool => ({ ...builtin('shell'), environment }) as UnknownTool

  test.each<[string, unknown, string]>([
    ['where nothing is said', undefined, 'shell_call null'],
    ['where the environment is null', null, 'shell_call null'],
    ["on the client's machine", { type: 'local' }, 'shell_call local'],
    ['in a container that the host makes', { type: 'container_auto' }, 'shell_call container'],
    [
      'in a container that the request names',
      { type: 'container_reference', container_id: 'cntr_1' },
      'shell_call container',
    ],
  ])('a call of the shell says where it runs: %s', (_, environment, expected) => {
    expect(classified('container.exec', [shell(environment)])).toBe(expected)
    expect(classified('container.exec', [shell(environment)], 'agents')).toBe(expected)
  })

  test('a call of the shell says where the shell runs although a local_shell is declared too', () => {
    expect(classified('container.exec', [builtin('local_shell'), shell({ type: 'local' })])).toBe('shell_call local')
  })
})

describe('laws', () => {
  test('any recipient and channel is classified under any tools', () => {
    fc.assert(
      fc.property(recipient, channel, tools, policy, (recipient, channel, tools, policy) => {
        expect(spell(classifyRecipient(recipient, channel, declareTools(tools), policy))).toEqual(expect.any(String))
      }),
      { numRuns: RUNS },
    )
  })

  test('functions.X is the function or custom tool X, regardless of other declarations', () => {
    fc.assert(
      fc.property(fc.oneof(word, fc.string({ minLength: 1 })), tools, policy, (name, tools, policy) => {
        const found = classifyRecipient(`functions.${name}`, undefined, declareTools(tools), policy)
        expect(['function_call', 'custom_tool_call']).toContain(found.kind)
        const { name: own, namespace = '' } = found as { name: string; namespace?: string }
        // A namespace may be called `functions`.
        expect([name, `functions.${name}`]).toContain(namespace === '' ? own : `${namespace}.${own}`)
      }),
      { numRuns: RUNS },
    )
  })

  test('the channel changes nothing if there is a recipient', () => {
    fc.assert(
      fc.property(recipient, channel, tools, policy, (recipient, channel, requestTools, policy) => {
        fc.pre(!policy.nonToolRecipients.includes(recipient))
        const tools = declareTools(requestTools)
        expect(classifyRecipient(recipient, channel, tools, policy)).toEqual(
          classifyRecipient(recipient, undefined, tools, policy),
        )
      }),
      { numRuns: RUNS },
    )
  })

  test('the same input gives the same recipient, whatever was classified between', () => {
    fc.assert(
      fc.property(recipient, recipient, channel, tools, policy, (recipient, other, channel, requestTools, policy) => {
        const tools = declareTools(requestTools)
        const first = classifyRecipient(recipient, channel, tools, policy)
        classifyRecipient(other, channel, tools, policy)
        expect(classifyRecipient(recipient, channel, tools, policy)).toEqual(first)
      }),
      { numRuns: RUNS },
    )
  })

  test('LABEL.tool and mcp.LABEL.tool are the same callee', () => {
    const label = word.filter((label) => !/^(mcp\.|functions(\.|$))/.test(label))
    const ownLabel = label.filter((label) => label !== 'mcp')
    fc.assert(
      fc.property(ownLabel, word, fc.array(label), (label, name, otherLabels) => {
        const tools = declareTools([label, ...otherLabels].map((label) => mcp(label)))
        const [short, long] = [`${label}.${name}`, `mcp.${label}.${name}`].map((recipient) =>
          classifyRecipient(recipient, undefined, tools),
        )
        expect(short?.kind).toBe('mcp_call')
        expect(long).toEqual(short)
      }),
      { numRuns: RUNS },
    )
  })

  test('two recipients have the same key exactly if they are the same callee', () => {
    const callee = (recipient: string, tools: UnknownTool[], policy: RecipientPolicy) => {
      const found = classifyRecipient(recipient, undefined, declareTools(tools), policy)
      return { line: spell(found), key: recipientKey(found) }
    }
    fc.assert(
      fc.property(word, word, tools, policy, (one, other, tools, policy) => {
        const [a, b] = [callee(one, tools, policy), callee(other, tools, policy)]
        expect(a.key === b.key).toBe(a.line === b.line)
      }),
      { numRuns: RUNS },
    )
  })

  /** Rules of approval for every MCP entry of some tools, in turn. */
  const rules = fc.array(
    fc.oneof(
      fc.constantFrom<McpTool['require_approval']>(undefined, null, 'always', 'never', { always: {} }, { never: {} }),
      fc.array(word).map((tool_names) => ({ always: { tool_names } })),
      fc.array(word).map((tool_names) => ({ never: { tool_names } })),
    ),
    { minLength: 1, maxLength: 4 },
  )
  const guard = (tools: UnknownTool[], rules: McpTool['require_approval'][]): UnknownTool[] =>
    tools.map((tool, at) => {
      const require_approval = rules[at % rules.length]
      return tool.type === 'mcp' && require_approval !== undefined ? { ...tool, require_approval } : tool
    })

  test('approval turns available MCP calls into requests for it, and changes nothing else', () => {
    fc.assert(
      fc.property(recipient, channel, tools, rules, policy, (recipient, channel, tools, rules, policy) => {
        const free = classifyRecipient(recipient, channel, declareTools(tools), policy)
        const found = classifyRecipient(recipient, channel, declareTools(guard(tools, rules)), policy)
        const asCall = found.kind === 'mcp_approval_request' ? { ...found, kind: 'mcp_call', available: true } : found
        expect(asCall).toEqual(free)
        expect(recipientKey(found)).toBe(recipientKey(free))
      }),
      { numRuns: RUNS },
    )
  })

  test("require_approval 'always' asks for every call of a declared server that is available, and for no other", () => {
    fc.assert(
      fc.property(word, tools, policy, (recipient, tools, policy) => {
        const free = classifyRecipient(recipient, undefined, declareTools(tools), policy)
        const found = classifyRecipient(recipient, undefined, declareTools(guard(tools, ['always'])), policy)
        const isDeclared = free.kind === 'mcp_call' && declareTools(tools).mcpServers.has(free.serverLabel)
        expect(found.kind === 'mcp_approval_request').toBe(isDeclared && free.available)
      }),
      { numRuns: RUNS },
    )
  })

  test('functions-only asks for nothing', () => {
    fc.assert(
      fc.property(recipient, channel, tools, (recipient, channel, tools) => {
        const declared = declareTools(guard(tools, ['always']))
        const { kind } = classifyRecipient(recipient, channel, declared, policies['functions-only'])
        expect(['reasoning', 'message', 'function_call', 'custom_tool_call']).toContain(kind)
      }),
      { numRuns: RUNS },
    )
  })
})
