import { describe, expect, test } from 'vitest'
import { policies } from '../../../src/core/recipients/policy.js'
import type { McpTool } from '../../../src/core/responses/request.js'
import { classified } from './spell.js'
import { builtin, mcp } from './tools.js'

describe('a server label', () => {
  test('a server label may contain dots', () => {
    expect(classified('acme.docs.search', [mcp('acme.docs')])).toBe('mcp_call acme.docs / search')
  })

  test('a server label may contain dots after the mcp prefix', () => {
    expect(classified('mcp.acme.docs.search', [mcp('acme.docs')])).toBe('mcp_call acme.docs / search')
  })

  test('a server label may contain hyphens', () => {
    expect(classified('git-hub.search', [mcp('git-hub')])).toBe('mcp_call git-hub / search')
  })

  test('a server label ends at a dot or at the end, not inside a segment', () => {
    expect(classified('github.search', [mcp('git')])).toBe('function_call github.search (undeclared)')
  })

  test('a server label is matched as it is written, upper case and lower', () => {
    expect(classified('GitHub.search', [mcp('github')])).toBe('function_call GitHub.search (undeclared)')
  })

  test('a server label leaves the dots of the tool name alone', () => {
    expect(classified('github.issues.list', [mcp('github')])).toBe('mcp_call github / issues.list')
  })

  test('a server label is the tool name too if a dot ends the recipient', () => {
    expect(classified('github.', [mcp('github')])).toBe('mcp_call github / github')
  })

  test('a server label wins over a shorter one, declared before', () => {
    expect(classified('acme.docs.search', [mcp('acme'), mcp('acme.docs')])).toBe('mcp_call acme.docs / search')
  })

  test('a server label wins over a shorter one, declared after', () => {
    expect(classified('acme.docs.search', [mcp('acme.docs'), mcp('acme')])).toBe('mcp_call acme.docs / search')
  })

  test('a server label distinguishes two servers with a tool of the same name', () => {
    const tools = [mcp('github'), mcp('gitlab')]
    expect(['github.search', 'gitlab.search'].map((recipient) => classified(recipient, tools))).toEqual([
      'mcp_call github / search',
      'mcp_call gitlab / search',
    ])
  })

  test('a server label may be a built-in tool name', () => {
    expect(classified('python', [mcp('python')])).toBe('mcp_call python / python')
  })

  test('a server label goes before an alias', () => {
    expect(classified('python', [mcp('code_interpreter'), mcp('python')])).toBe('mcp_call python / python')
  })

  test('a server label does not take the names of the functions namespace', () => {
    expect(classified('functions.search', [mcp('functions')])).toBe('function_call search (undeclared)')
  })
})

describe('a server labelled mcp', () => {
  test('a server labelled mcp has the tools that no other server has', () => {
    expect(classified('mcp.search', [mcp('mcp')])).toBe('mcp_call mcp / search')
  })

  test('a server labelled mcp is addressed with the prefix too', () => {
    expect(classified('mcp.mcp.search', [mcp('mcp')])).toBe('mcp_call mcp / search')
  })

  test('a server labelled mcp gives way to a server whose label follows, however short', () => {
    expect(classified('mcp.gh.search', [mcp('mcp'), mcp('gh')])).toBe('mcp_call gh / search')
  })

  test('a server labelled mcp gives way to a label that begins with mcp and is meant literally', () => {
    expect(classified('mcp.github.search', [mcp('github'), mcp('mcp.github')])).toBe('mcp_call mcp.github / search')
  })
})

describe('an alias', () => {
  test('an alias stands for the label after the mcp prefix too', () => {
    expect(classified('mcp.browser.open', [mcp('web_search_preview')])).toBe('mcp_call web_search_preview / open')
  })

  test('an alias stands for nothing inside a longer segment', () => {
    expect(classified('pythons', [mcp('code_interpreter')])).toBe('function_call pythons (undeclared)')
  })
})

describe('allowed_tools', () => {
  const github = (allowed: McpTool['allowed_tools'], recipient = 'github.search') =>
    classified(recipient, [mcp('github', allowed)])
  const available = 'mcp_call github / search'
  const unavailable = 'mcp_call github / search (unavailable)'

  test('allowed_tools allows every tool if it is absent', () => expect(github(undefined)).toBe(available))
  test('allowed_tools allows every tool if it is null', () => expect(github(null)).toBe(available))
  test('allowed_tools allows the tools of a list', () => expect(github(['search'])).toBe(available))
  test('allowed_tools leaves out tools that a list does not name', () => expect(github(['list'])).toBe(unavailable))
  test('allowed_tools allows nothing by an empty list', () => expect(github([])).toBe(unavailable))
  test('allowed_tools allows every tool by a star', () => expect(github(['list', '*'])).toBe(available))
  test('allowed_tools allows the tools of a filter', () => expect(github({ tool_names: ['search'] })).toBe(available))
  test('allowed_tools leaves out tools that a filter does not name', () =>
    expect(github({ tool_names: ['list'] })).toBe(unavailable))
  test('allowed_tools allows every tool by a star in a filter', () =>
    expect(github({ tool_names: ['*'] })).toBe(available))
  test('allowed_tools allows every tool by an empty filter', () => expect(github({})).toBe(available))
  test('allowed_tools allows every tool if only read_only is asked for', () =>
    expect(github({ read_only: true })).toBe(available))

  test('allowed_tools allows every tool if the names are null', () =>
    expect(github({ tool_names: null as never })).toBe(available))
  test('allowed_tools names a tool by its whole name, dots and all', () =>
    expect(github(['issues.list'], 'github.issues.list')).toBe('mcp_call github / issues.list'))

  test('allowed_tools is of one server only', () => {
    expect(classified('gitlab.search', [mcp('github', ['search']), mcp('gitlab', [])])).toBe(
      'mcp_call gitlab / search (unavailable)',
    )
  })

  test('allowed_tools adds up over the entries of one label', () => {
    const tools = [mcp('github', ['search']), mcp('github', ['list'])]
    expect(['github.search', 'github.list'].map((recipient) => classified(recipient, tools))).toEqual([
      'mcp_call github / search',
      'mcp_call github / list',
    ])
  })

  test('allowed_tools allows every tool if one entry of the label does', () => {
    expect(classified('github.search', [mcp('github', []), mcp('github')])).toBe(available)
  })

  test('allowed_tools decides over a tool that an alias leads to', () => {
    expect(classified('python', [mcp('code_interpreter', ['bash'])])).toBe(
      'mcp_call code_interpreter / python (unavailable)',
    )
  })
})

describe('require_approval', () => {
  const guarded = (
    label: string,
    require_approval: McpTool['require_approval'],
    allowed?: McpTool['allowed_tools'],
  ) => ({
    type: 'mcp',
    server_label: label,
    ...(allowed === undefined ? {} : { allowed_tools: allowed }),
    ...(require_approval === undefined ? {} : { require_approval }),
  })
  const github = (approval: McpTool['require_approval'], recipient = 'github.search') =>
    classified(recipient, [guarded('github', approval)])
  const call = 'mcp_call github / search'
  const request = 'mcp_approval_request github / search'

  test.each([undefined, null, {}, { always: null, never: null }])(
    'require_approval asks for approval if it is %j',
    (unsaid) => expect(github(unsaid)).toBe(request),
  )
  test.each([undefined, null, {}, { always: null, never: null }])(
    'require_approval asks for none if it is %j and the policy says never',
    (unsaid) => {
      expect(classified('github.search', [guarded('github', unsaid)], 'vllm')).toBe(call)
      const mine = { ...policies.openai, mcpApproval: 'never' } as const
      expect(classified('github.search', [guarded('github', unsaid)], mine)).toBe(call)
    },
  )
  test('require_approval asks for approval under vllm, too, if the request says so', () =>
    expect(classified('github.search', [guarded('github', 'always')], 'vllm')).toBe(request))
  test("require_approval asks for none by 'never'", () => expect(github('never')).toBe(call))
  test("require_approval asks for approval by 'always'", () => expect(github('always')).toBe(request))
  test('require_approval asks for approval of what always names', () =>
    expect(github({ always: { tool_names: ['search'] } })).toBe(request))
  test('require_approval asks for none of what always does not name', () =>
    expect(github({ always: { tool_names: ['list'] } })).toBe(call))
  test('require_approval asks for none of what never names', () =>
    expect(github({ never: { tool_names: ['search'] } })).toBe(call))
  test('require_approval asks for approval of what never does not name', () =>
    expect(github({ never: { tool_names: ['list'] } })).toBe(request))
  test('require_approval names a tool by its whole name, dots and all', () => {
    const approval = { always: { tool_names: ['issues.list'] } }
    expect(github(approval, 'github.issues.list')).toBe('mcp_approval_request github / issues.list')
    expect(github(approval, 'github.issues')).toBe('mcp_call github / issues')
  })

  test('require_approval counts under the mcp prefix too', () =>
    expect(github('always', 'mcp.github.search')).toBe(request))
  test('require_approval counts if the label is the name too', () =>
    expect(github('always', 'github')).toBe('mcp_approval_request github / github'))

  test('require_approval counts for a tool that an alias leads to', () => {
    expect(classified('python', [guarded('code_interpreter', 'always')])).toBe(
      'mcp_approval_request code_interpreter / python',
    )
  })

  test('require_approval counts for a server labelled as a built-in, but not for the built-in', () => {
    const python = guarded('python', 'always')
    expect(classified('python', [python])).toBe('mcp_approval_request python / python')
    expect(classified('python', [python, builtin('code_interpreter')])).toBe('code_interpreter_call')
  })

  test('require_approval is that of the longest label', () => {
    const tools = [guarded('acme', 'always'), guarded('acme.docs', 'never')]
    expect(['acme.docs.search', 'acme.search'].map((recipient) => classified(recipient, tools))).toEqual([
      'mcp_call acme.docs / search',
      'mcp_approval_request acme / search',
    ])
  })

  test('require_approval is of one server only', () => {
    const tools = [guarded('github', 'always'), mcp('gitlab')]
    expect(classified('gitlab.search', tools)).toBe('mcp_call gitlab / search')
  })

  test('require_approval does not matter for a tool that is not allowed', () => {
    expect(classified('github.search', [guarded('github', 'always', ['list'])])).toBe(
      'mcp_call github / search (unavailable)',
    )
  })

  test('require_approval adds up over the entries of one label', () => {
    const tools = [guarded('github', 'never'), guarded('github', { always: { tool_names: ['write'] } })]
    expect(['github.read', 'github.write'].map((recipient) => classified(recipient, tools))).toEqual([
      'mcp_call github / read',
      'mcp_approval_request github / write',
    ])
  })
})
