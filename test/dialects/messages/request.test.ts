import { describe, expect, test } from 'vitest'
import { fromMessagesRequest } from '../../../src/dialects/index.js'
import { writeSignature } from '../../../src/dialects/messages/signature.js'
import { parseRequest } from '../../../src/endpoint/request/index.js'
import { RequestError } from '../../../src/shared/request-error.js'

const user = { role: 'user', content: 'Hi' }

/** What a body becomes, without what all have. */
function read(body: object): { readonly [parameter: string]: unknown } {
  const { store, include, ...request } = fromMessagesRequest({ messages: [user], ...body }).request
  expect({ store, include }).toEqual({ store: false, include: ['reasoning.encrypted_content'] })
  parseRequest({ ...request, store })
  return request
}

const docs = { type: 'url', name: 'docs', url: 'https://nobody.example', authorization_token: 'secret' }
const toolset = (...configs: object[]) => Object.assign({ type: 'mcp_toolset', mcp_server_name: 'docs' }, ...configs)

/** The items that messages become. A user's message ends them. */
function items(...messages: object[]): unknown[] {
  return (read({ messages: [...messages, user] })['input'] as unknown[]).slice(0, -1)
}

function refusal(body: object): { readonly param: string | null; readonly message: string } {
  try {
    const messages = fromMessagesRequest({ messages: [user], ...body })
    try {
      parseRequest(messages.request)
    } catch (error) {
      throw error instanceof RequestError ? messages.refusal(error) : error
    }
  } catch (error) {
    if (error instanceof RequestError) return { param: error.param, message: error.message }
    throw error
  }
  throw new Error('it was not refused')
}

const text = (said: string) => ({ type: 'text', text: said })
const input = (said: string) => ({ type: 'input_text', text: said })
const use = (id: string, args: object = {}) => ({ type: 'tool_use', id, name: 'look', input: args })
const called = (id: string, json = '{}') => ({ type: 'function_call', call_id: id, name: 'look', arguments: json })
const result = (id: string, content: unknown = 'ok') => ({ type: 'tool_result', tool_use_id: id, content })
const output = (id: string, ...parts: object[]) => ({ type: 'function_call_output', call_id: id, output: parts })

describe('the messages of a request', () => {
  test('instructions are the system text without the attribution of Claude Code', () => {
    const attribution = text('x-anthropic-billing-header: cc_version=2.1.330;')
    expect(read({ system: [attribution, text('Be brief.'), text('Be kind.')] })['instructions']).toBe(
      'Be brief.\nBe kind.',
    )
    expect(read({ system: 'Be brief.' })['instructions']).toBe('Be brief.')
    expect(read({ system: [attribution] })).not.toHaveProperty('instructions')
    expect(read({ system: [text('Be brief.'), attribution] })['instructions']).toContain('x-anthropic-billing-header')
  })

  test('a system message stays where it stands, in the middle and last', () => {
    const system = { role: 'system', content: [text('It is noon.')] }
    const roles = (...messages: object[]) =>
      (read({ messages })['input'] as { role?: string }[]).map(({ role }) => role)
    expect(roles(user, system)).toEqual(['user', 'developer'])
    expect(roles(user, system, { role: 'assistant', content: 'Ok.' }, user)).toEqual([
      'user',
      'developer',
      'assistant',
      'user',
    ])
  })

  test('results come behind their calls in the order of the calls, whatever stands around them', () => {
    const turn = { role: 'assistant', content: [use('a'), use('b')] }
    const answer = { role: 'user', content: [text('Look.'), result('b', [text('two')]), result('a', 'one')] }
    expect(items(turn, answer)).toEqual([
      called('a'),
      called('b'),
      output('a', input('one')),
      output('b', input('two')),
      { type: 'message', role: 'user', content: [input('Look.')] },
    ])
  })

  test('a result that failed says so', () => {
    const turn = { role: 'assistant', content: [use('a')] }
    const failed = (content: string) =>
      items(turn, { role: 'user', content: [{ ...result('a', content), is_error: true }] })[1]
    expect(failed('no such file')).toEqual(output('a', input('Error:'), input('no such file')))
    expect(failed('<tool_use_error>no</tool_use_error>')).toEqual(
      output('a', input('<tool_use_error>no</tool_use_error>')),
    )
  })

  test('a text beside calls is a preamble, and of several texts the last is the answer', () => {
    const phases = (...content: object[]) =>
      items({ role: 'assistant', content }).map((item) => (item as { phase?: string }).phase)
    expect(phases(text('a'), text('b'))).toEqual(['commentary', 'final_answer'])
    const turn = [
      { role: 'assistant', content: [text('a'), use('x')] },
      { role: 'user', content: [result('x')] },
    ]
    expect(items(...turn)[0]).toMatchObject({ phase: 'commentary' })
  })

  test('a signature is taken apart into seals in their places, wherever its block stands', () => {
    const [first, last] = ['A', 'B'].map((letter) => `hr1.rs.${letter.repeat(50)}`)
    const seals = writeSignature([
      { before: 0, at: 0, sealed: first ?? '' },
      { before: 2, at: 3, sealed: last ?? '' },
    ])
    const wanted = [
      { type: 'reasoning', content: [{ text: 'Hm.' }], encrypted_content: first },
      { type: 'message' },
      { type: 'function_call' },
      { type: 'reasoning', content: [], encrypted_content: last },
    ]
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: seals }
    const answer = { role: 'user', content: [result('x')] }
    const blocks = [text('a'), use('x')]
    expect(items({ role: 'assistant', content: [thinking, ...blocks] }, answer)).toMatchObject([...wanted, {}])
    expect(items({ role: 'assistant', content: [...blocks, thinking] }, answer)).toMatchObject([...wanted, {}])
    // A client that keeps a message of its own for each block.
    const split = [thinking, ...blocks].map((block) => ({ role: 'assistant', content: [block] }))
    expect(items(...split, answer)).toMatchObject([...wanted, {}])
  })

  test('thinking of another server is read, with the signature for the server that can open it', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 'EqQB' },
      { type: 'redacted_thinking', data: 'EmwK' },
      text('a'),
    ]
    expect(items({ role: 'assistant', content })).toMatchObject([
      { type: 'reasoning', content: [{ text: 'Hm.' }], encrypted_content: 'EqQB' },
      { type: 'reasoning', content: [], encrypted_content: 'EmwK' },
      { type: 'message' },
    ])
    expect(
      items({ role: 'assistant', content: [{ type: 'thinking', thinking: '', signature: '' }, text('a')] }),
    ).toHaveLength(1)
  })

  test('a signature of many seals, or of short ones, is one of another server and no list of items', () => {
    const seal = `0-0.hr1.rs.${'A'.repeat(50)}`
    for (const signature of [new Array(1000).fill(seal).join('~'), '0.a~'.repeat(1000), `${seal}~`, `x${seal}`]) {
      const content = [{ type: 'thinking', thinking: 'Hm.', signature }, text('a')]
      expect(items({ role: 'assistant', content })).toMatchObject([
        { encrypted_content: signature },
        { type: 'message' },
      ])
    }
  })

  test('images and documents are attachments, and a document of text is text', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    const pdf = { type: 'document', title: 'a.pdf', source: { type: 'url', url: 'https://example.com/a.pdf' } }
    const plain = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Hello.' } }
    expect(items({ role: 'user', content: [image, pdf, plain] })).toMatchObject([
      {
        content: [
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
          { type: 'input_file', filename: 'a.pdf', file_url: 'https://example.com/a.pdf' },
          input('Hello.'),
        ],
      },
    ])
  })
})

describe('the parameters of a request', () => {
  test.each([
    [{ thinking: { type: 'enabled', budget_tokens: 2000 } }, { effort: 'low' }, 'shown'],
    [{ thinking: { type: 'enabled', budget_tokens: 31_999 } }, { effort: 'high' }, 'shown'],
    [{ thinking: { type: 'adaptive', display: 'omitted' } }, undefined, 'omitted'],
    [{ thinking: { type: 'disabled' } }, { effort: 'low' }, undefined],
    [
      { thinking: { type: 'enabled', budget_tokens: 2000 }, output_config: { effort: 'max' } },
      { effort: 'max' },
      'shown',
    ],
  ])('%j asks for an effort, and how thinking is shown', (body, reasoning, thinking) => {
    expect(read(body)['reasoning']).toEqual(reasoning)
    expect(fromMessagesRequest({ messages: [user], ...body }).answer.thinking).toBe(thinking)
  })

  test.each([
    [{ type: 'auto' }, 'auto'],
    [{ type: 'any' }, 'required'],
    [{ type: 'none' }, 'none'],
    [
      { type: 'tool', name: 'look' },
      { type: 'function', name: 'look' },
    ],
  ])('the tool choice %j is %j', (tool_choice, wanted) => {
    const tools = [{ name: 'look', input_schema: { type: 'object' } }]
    expect(read({ tools, tool_choice })['tool_choice']).toEqual(wanted)
    const single = read({ tools, tool_choice: { ...tool_choice, disable_parallel_tool_use: true } })
    expect(single['parallel_tool_calls']).toBe(false)
  })

  test('a tool is a function, which is not strict unless it says so', () => {
    const tool = {
      name: 'look',
      description: 'Looks.',
      input_schema: { type: 'object' },
      cache_control: { type: 'ephemeral' },
    }
    const declared = { type: 'function', name: 'look', description: 'Looks.', parameters: { type: 'object' } }
    expect(read({ tools: [tool, { ...tool, name: 'see', strict: true }] })['tools']).toEqual([
      { ...declared, strict: false },
      { ...declared, name: 'see', strict: true },
    ])
  })

  test('a deferred tool is none of the request until a result names it, and is taught behind that result once', () => {
    const find = { name: 'find', description: 'Finds.', input_schema: { type: 'object' }, defer_loading: true }
    const look = { name: 'look', input_schema: { type: 'object' } }
    const found = {
      type: 'function',
      name: 'find',
      description: 'Finds.',
      parameters: { type: 'object' },
      strict: false,
    }
    const named = (...names: string[]) => names.map((tool_name) => ({ type: 'tool_reference', tool_name }))
    expect(read({ tools: [find, look] })['tools']).toMatchObject([{ name: 'look' }])
    const messages = [
      user,
      { role: 'assistant', content: [use('a'), use('b')] },
      { role: 'user', content: [result('b', 'ok'), result('a', named('find', 'nothing')), text('Go on.')] },
      { role: 'assistant', content: [use('c')] },
      { role: 'user', content: [result('c', named('find'))] },
    ]
    const { input: items, tools } = read({ tools: [find, look], messages }) as Record<string, { type: string }[]>
    expect(tools).toMatchObject([{ name: 'look' }, found])
    expect(items?.slice(3)).toEqual([
      output('a', input('Found the tool find.'), input('Found the tool nothing.')),
      output('b', input('ok')),
      { type: 'additional_tools', role: 'developer', tools: [found] },
      { type: 'message', role: 'user', content: [input('Go on.')] },
      called('c'),
      output('c', input('Found the tool find.')),
    ])
  })

  test('a deferred tool that has to be called is taught from the beginning', () => {
    const find = { name: 'find', input_schema: { type: 'object' }, defer_loading: true }
    const request = read({ tools: [find], tool_choice: { type: 'tool', name: 'find' } })
    expect(request).toMatchObject({ tools: [{ name: 'find' }], tool_choice: { type: 'function', name: 'find' } })
  })

  test('a search of the web may be the tool that has to be called, unless a function has its name', () => {
    const tool_choice = { type: 'tool', name: 'web_search' }
    const search = { type: 'web_search_20250305', name: 'web_search' }
    const own = { name: 'web_search', input_schema: { type: 'object' } }
    const chosen = (...tools: object[]) =>
      parseRequest(fromMessagesRequest({ messages: [user], tools, tool_choice }).request).tool_choice
    expect(chosen(search)).toEqual({ type: 'web_search' })
    expect(chosen(own, search)).toEqual({ type: 'function', name: 'web_search' })
  })

  test("a search of the web is the host's, with its domains, and with its most uses for the answer", () => {
    const search = { type: 'web_search_20250305', name: 'web_search', allowed_domains: ['example.com'], max_uses: 2 }
    const { request, answer } = fromMessagesRequest({ messages: [user], tools: [search] })
    expect(request).toMatchObject({
      tools: [{ type: 'web_search', filters: { allowed_domains: ['example.com'] } }],
      include: ['reasoning.encrypted_content', 'web_search_call.action.sources', 'web_search_call.results'],
    })
    expect(answer).toEqual({ maxSearches: 2 })
  })

  test('a search of the web leaves out the domains that the client wants left out', () => {
    const search = { type: 'web_search_20260209', name: 'web_search', blocked_domains: ['example.com'] }
    const { request } = fromMessagesRequest({ messages: [user], tools: [search] })
    expect(parseRequest(request).tools).toMatchObject([{ filters: { blocked_domains: ['example.com'] } }])
  })

  test('a text that goes on behind a citation is one message, and one behind another block is not', () => {
    const citation = { type: 'web_search_result_location', url: 'https://a.test/', title: 'A', cited_text: '' }
    const cited = (words: string) => ({ ...text(words), citations: [citation] })
    const said = (words: string, phase: string) => ({
      ...{ type: 'message', role: 'assistant', phase },
      content: [{ type: 'output_text', text: words }],
    })
    const thought = { type: 'thinking', thinking: 'Hm.', signature: '' }
    const content = [text('I look.'), cited('They'), thought, cited('They do'), cited(', as found'), text('.')]
    expect(items({ role: 'assistant', content })).toEqual([
      said('I look.', 'commentary'),
      said('They', 'commentary'),
      expect.objectContaining({ type: 'reasoning' }),
      said('They do, as found.', 'final_answer'),
    ])
  })

  test.each<[object, object]>([
    [{ tools: [toolset()] }, {}],
    [{ tools: [toolset({ configs: { find: { enabled: true } } })] }, {}],
    [
      { tools: [toolset({ default_config: { enabled: false }, configs: { find: { enabled: true }, drop: {} } })] },
      { allowed_tools: ['find'] },
    ],
    [{ mcp_servers: [{ ...docs, tool_configuration: { allowed_tools: ['find'] } }] }, { allowed_tools: ['find'] }],
    [{}, {}],
  ])(
    "%j of a server is the operator's server of that name, and where the client says it is is not read",
    (body, rest) => {
      const request = read({ mcp_servers: [docs], ...body })
      expect(request['tools']).toEqual([{ type: 'mcp', server_label: 'docs', require_approval: 'never', ...rest }])
      expect(JSON.stringify(request)).not.toMatch(/nobody|secret/)
    },
  )

  test('a server that is turned off is not asked', () => {
    expect(read({ mcp_servers: [{ ...docs, tool_configuration: { enabled: false } }] })).not.toHaveProperty('tools')
  })

  test('calls of the server come back as its items, with their results, and those without a result never happened', () => {
    const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'otters' } }
    const open = { ...search, id: 'o', input: { url: 'https://example.com' } }
    const mcp = { type: 'mcp_tool_use', id: 'm', name: 'find', server_name: 'docs', input: { q: 1 } }
    const failed = { type: 'web_search_tool_result_error', error_code: 'unavailable' }
    const content = [
      ...[search, open, mcp, { ...mcp, id: 'n' }, { ...mcp, id: 'cut' }],
      { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
      { type: 'web_search_tool_result', tool_use_id: 'o', content: failed },
      { type: 'mcp_tool_result', tool_use_id: 'm', content: [text('a'), text('b')], is_error: false },
      { type: 'mcp_tool_result', tool_use_id: 'n', content: 'no', is_error: true },
      { type: 'mcp_tool_listing', mcp_server_name: 'docs', tools: [] },
    ]
    const call = { type: 'mcp_call', name: 'find', server_label: 'docs', arguments: '{"q":1}' }
    const error = { type: 'mcp_tool_execution_error', content: [text('no')] }
    expect(items({ role: 'assistant', content })).toEqual([
      { type: 'web_search_call', action: { type: 'search', query: 'otters' }, status: 'completed' },
      { type: 'web_search_call', action: { type: 'open_page', url: 'https://example.com' }, status: 'failed' },
      { ...call, output: 'a\nb', error: null },
      { ...call, output: null, error },
    ])
  })

  test('a format is a strict schema, and hides preambles', () => {
    const format = { type: 'json_schema', schema: { type: 'object' } }
    expect(read({ output_config: { format } })['text']).toEqual({
      format: { type: 'json_schema', name: 'response', schema: { type: 'object' }, strict: true },
    })
    expect(fromMessagesRequest({ messages: [user], output_config: { format } }).answer.preambles).toBe('hidden')
  })
})

describe('what is refused', () => {
  const search = { type: 'web_search_20250305', name: 'web_search' }
  const searched = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }
  const said = (...content: object[]) => ({ messages: [{ role: 'assistant', content }, user] })

  test.each<[object, string, string]>([
    [{ messages: [] }, 'messages', 'empty array'],
    [{ messages: [{ role: 'tool', content: '' }] }, 'messages[0].role', 'Supported values'],
    [{ messages: [user, { role: 'assistant', content: 'So' }] }, 'messages[1]', 'must end with a user message'],
    [{ max_tokens: 0 }, 'max_tokens', '>= 1'],
    [{ temperature: 3 }, 'temperature', '<= 2'],
    [{ tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'tools[0].type', 'input_schema'],
    [{ tools: [{ name: 'a b', input_schema: {} }] }, 'tools[0].name', 'pattern'],
    [{ tools: [{ name: 'a', input_schema: 1 }] }, 'tools[0].input_schema', 'object'],
    [{ tools: [{ ...search, max_uses: 0 }] }, 'tools[0].max_uses', '>= 1'],
    [{ tools: [{ ...search, allowed_domains: 'a.com' }] }, 'tools[0].allowed_domains', 'array of strings'],
    [{ tools: [{ ...search, blocked_domains: [1] }] }, 'tools[0].blocked_domains[0]', 'string'],
    [
      { tools: [{ ...search, allowed_domains: ['a.com'], blocked_domains: ['b.com'] }] },
      'tools[0].blocked_domains',
      'exclude each other',
    ],
    [{ tools: [toolset()] }, 'tools[0].mcp_server_name', "'docs' is not in 'mcp_servers'"],
    [{ mcp_servers: [docs], tools: [toolset(), toolset()] }, 'tools[1].mcp_server_name', 'has a toolset already'],
    [{ mcp_servers: [docs, docs] }, 'mcp_servers[1].name', 'is there twice'],
    [{ mcp_servers: [{ ...docs, type: 'stdio' }] }, 'mcp_servers[0].type', "'url'"],
    [
      { mcp_servers: [{ ...docs, tool_configuration: { allowed_tools: 1 } }] },
      'mcp_servers[0].tool_configuration.allowed_tools',
      '',
    ],
    [
      { mcp_servers: [docs], tools: [toolset({ configs: { a: { enabled: false } } })] },
      'tools[0].configs.a.enabled',
      'default_config.enabled',
    ],
    [
      { mcp_servers: [docs], tools: [toolset({ default_config: { enabled: 1 } })] },
      'tools[0].default_config.enabled',
      'boolean',
    ],
    [
      said({ type: 'mcp_tool_result', tool_use_id: 'x', content: '' }),
      'messages[0].content[0].tool_use_id',
      'No tool call found',
    ],
    [said(searched, searched), 'messages[0].content[1].id', 'Duplicate'],
    [{ thinking: { type: 'loud' } }, 'thinking.type', 'Supported values'],
    [{ stop_sequences: [''] }, 'stop_sequences[0]', 'empty string'],
    [{ tool_choice: { type: 'tool', name: 'x' } }, 'tool_choice', 'not found'],
    [{ output_config: { effort: 'huge' } }, 'output_config.effort', 'Supported values'],
  ])('%j is refused at %s', (body, param, words) => {
    const refused = refusal(body)
    expect(refused.param).toBe(param)
    expect(refused.message).toContain(words)
  })

  test('a body that is no object is refused', () => {
    for (const body of [null, 1, 'x', []]) expect(() => fromMessagesRequest(body)).toThrow(RequestError)
    expect(() => fromMessagesRequest({})).toThrow("Missing required parameter: 'messages'")
  })
})

describe('what other servers left in a conversation', () => {
  const texts = (...lines: string[]): object[] => lines.map((text) => ({ type: 'input_text', text }))
  const use = (name: string): object => ({ type: 'server_tool_use', id: 'srvtoolu_1', name, input: { a: 1 } })
  const itemsOf = (...content: object[]): unknown =>
    fromMessagesRequest({ messages: [user, { role: 'assistant', content }, user] }).request['input']

  test.each<[string, string, object, object[]]>([
    [
      'code_execution',
      'code_execution_tool_result',
      { type: 'code_execution_result', stdout: '42\n', stderr: 'slow', return_code: 1, content: [{ file_id: 'f_1' }] },
      texts('42\nslow\n[file f_1]\n[exit code 1]'),
    ],
    [
      'code_execution',
      'code_execution_tool_result',
      { type: 'encrypted_code_execution_result', encrypted_stdout: 'Zm9v', stderr: '', return_code: 0, content: [] },
      texts('[encrypted]'),
    ],
    [
      'bash_code_execution',
      'bash_code_execution_tool_result',
      { type: 'bash_code_execution_result', stdout: 'a.txt', stderr: '', return_code: 0, content: [] },
      texts('a.txt'),
    ],
    [
      'bash_code_execution',
      'bash_code_execution_tool_result',
      { type: 'bash_code_execution_tool_result_error', error_code: 'unavailable' },
      texts('Error: unavailable'),
    ],
    [
      'text_editor_code_execution',
      'text_editor_code_execution_tool_result',
      { type: 'text_editor_code_execution_view_result', file_type: 'text', content: 'one' },
      texts('one'),
    ],
    [
      'text_editor_code_execution',
      'text_editor_code_execution_tool_result',
      { type: 'text_editor_code_execution_create_result', is_file_update: false },
      texts('Created.'),
    ],
    [
      'text_editor_code_execution',
      'text_editor_code_execution_tool_result',
      { type: 'text_editor_code_execution_str_replace_result', lines: ['-one', '+two'] },
      texts('-one\n+two'),
    ],
    [
      'web_fetch',
      'web_fetch_tool_result',
      {
        type: 'web_fetch_result',
        url: 'https://a.com',
        content: { type: 'document', title: 'A', source: { type: 'text', media_type: 'text/plain', data: 'Page.' } },
      },
      texts('https://a.com', 'A', 'Page.'),
    ],
    ['advisor', 'advisor_tool_result', { type: 'advisor_result', text: 'Test first.' }, texts('Test first.')],
    [
      'advisor',
      'advisor_tool_result',
      { type: 'advisor_redacted_result', encrypted_content: 'Zm9v' },
      texts('[encrypted]'),
    ],
    ['tomorrow', 'advisor_tool_result', { type: 'tomorrow_result' }, texts('[tomorrow_result]')],
  ])('a call of %s and its %s are a call of a function and its output', (name, type, content, output) => {
    expect(itemsOf(use(name), { type, tool_use_id: 'srvtoolu_1', content }, { type: 'text', text: 'So.' })).toEqual([
      expect.objectContaining({ role: 'user' }),
      { type: 'function_call', call_id: 'srvtoolu_1', name, arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'srvtoolu_1', output },
      expect.objectContaining({ role: 'assistant', phase: 'final_answer' }),
      expect.objectContaining({ role: 'user' }),
    ])
  })

  test('a tool that a search of the server found is taught behind the result', () => {
    const found = {
      type: 'tool_search_tool_search_result',
      tool_references: [{ type: 'tool_reference', tool_name: 'f' }],
    }
    const content = [
      use('tool_search_tool_bm25'),
      { type: 'tool_search_tool_result', tool_use_id: 'srvtoolu_1', content: found },
      { type: 'tool_use', id: 'c', name: 'f', input: {} },
    ]
    const result = { type: 'tool_result', tool_use_id: 'c', content: 'ok' }
    const tools = [{ name: 'f', input_schema: { type: 'object' }, defer_loading: true }]
    const messages = [user, { role: 'assistant', content }, { role: 'user', content: [result] }]
    const { request } = fromMessagesRequest({ messages, tools })
    expect((request['input'] as { type: string }[]).map(({ type }) => type)).toEqual([
      ...[
        'message',
        'function_call',
        'function_call_output',
        'additional_tools',
        'function_call',
        'function_call_output',
      ],
    ])
    expect(() => parseRequest(request)).not.toThrow()
  })

  test('where the server would search for tools, all of them are taught, since nobody searches', () => {
    const search = { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }
    const tools = [search, { name: 'f', input_schema: { type: 'object' }, defer_loading: true }]
    const { request } = fromMessagesRequest({ messages: [user], tools })
    expect(request['tools']).toEqual([expect.objectContaining({ type: 'function', name: 'f' })])
  })

  test('a summary stands for all that came before it', () => {
    expect(
      itemsOf(
        { type: 'text', text: 'old' },
        { type: 'compaction', content: 'They met.' },
        { type: 'text', text: 'Go on.' },
      ),
    ).toEqual([
      { type: 'message', role: 'user', content: texts('A summary of the conversation so far:\n\nThey met.') },
      expect.objectContaining({ role: 'assistant', content: [{ type: 'output_text', text: 'Go on.' }] }),
      expect.objectContaining({ role: 'user' }),
    ])
  })

  test('a summary that failed, and a change of the model, are nothing', () => {
    const change = { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } }
    expect(itemsOf({ type: 'compaction', content: null }, change, { type: 'text', text: 'Go on.' })).toHaveLength(3)
  })

  test('files of containers, and of a store of the server, are names', () => {
    const upload = { type: 'container_upload', file_id: 'f_1' }
    const image = { type: 'image', source: { type: 'file', file_id: 'f_2' } }
    const { request } = fromMessagesRequest({ messages: [{ role: 'user', content: [upload, image] }] })
    expect(request['input']).toEqual([
      expect.objectContaining({ content: [...texts('[file f_1]'), { type: 'input_image', file_id: 'f_2' }] }),
    ])
  })

  const subjects = (body: object): readonly string[] => {
    const told: string[] = []
    fromMessagesRequest(
      { messages: [user], ...body },
      {
        onDiagnostic({ code, subject = '' }) {
          expect(code).toBe('unknown_input')
          told.push(subject)
        },
      },
    )
    return told
  }

  test('blocks of types that nobody knows are left out, and reported', () => {
    const content = [{ type: 'video' }, { type: 'lyrics', text: 'La.' }]
    const messages = [
      { role: 'user', content },
      { role: 'assistant', content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content }] },
    ]
    const { request } = fromMessagesRequest({ messages })
    expect(request['input']).toEqual([
      expect.objectContaining({ content: texts('[video]', 'La.') }),
      expect.objectContaining({ content: [{ type: 'output_text', text: 'La.' }] }),
      expect.objectContaining({ output: texts('[video]', 'La.') }),
    ])
    expect(subjects({ messages })).toEqual([
      "messages[].content[] of type 'video', messages[].content[] of type 'lyrics', " +
        "messages[].content[].content[] of type 'video', messages[].content[].content[] of type 'lyrics'",
    ])
  })

  test('tools that only a server of the API runs, and unknown parameters, are left out and reported', () => {
    const types = ['web_fetch_20260309', 'advisor_20260301', 'telepathy']
    const tools = types.map((type) => ({ type, name: type }))
    expect(fromMessagesRequest({ messages: [user], tools }).request['tools']).toBeUndefined()
    expect(subjects({ tools, mood: 1 })).toEqual([
      [...types.map((type) => `tools[] of type '${type}'`), 'mood'].join(', '),
    ])
    expect(subjects({ tools: [{ type: 'web_search_20260209', name: 'web_search' }], top_k: 3 })).toEqual([])
  })

  test.each(['20250522', '20250825', '20260120'])(
    "code_execution_%s is the host's Python, also as a demanded tool",
    (date) => {
      const tools = [{ type: `code_execution_${date}`, name: 'code_execution' }]
      const tool_choice = { type: 'tool', name: 'code_execution' }
      const { request } = fromMessagesRequest({ messages: [user], tools, tool_choice })
      expect(request['tools']).toEqual([{ type: 'code_interpreter', container: { type: 'auto' } }])
      expect(request['include']).toContain('code_interpreter_call.outputs')
      expect(request['tool_choice']).toEqual({ type: 'code_interpreter' })
    },
  )

  test.each([['cntr_1'], [{ id: 'cntr_1' }], [{ id: 'cntr_1', skills: [] }]])(
    '%j is the container of the code',
    (container) => {
      const tools = [{ type: 'code_execution_20250825', name: 'code_execution' }]
      const { request } = fromMessagesRequest({ messages: [user], tools, container })
      expect(request['tools']).toEqual([{ type: 'code_interpreter', container: 'cntr_1' }])
    },
  )

  test.each<[unknown, string]>([
    [7, 'container'],
    [{ id: 7 }, 'container.id'],
    ['of resp_1', 'container'],
    [{ id: 'x' }, 'container.id'],
    [{ skills: [{ type: 'anthropic', skill_id: 'pptx' }] }, 'container.skills'],
  ])('the container %j is refused at %s', (container, param) => {
    const tools = [{ type: 'code_execution_20250825', name: 'code_execution' }]
    expect(refusal({ messages: [user], tools, container }).param).toBe(param)
  })

  test('a container in which no tool runs is reported', () => {
    const tool = { name: 'pack', input_schema: { type: 'object' }, container: { type: 'auto' } }
    expect(subjects({ tools: [tool], container: 'cntr_1' })).toEqual(['container'])
    expect(subjects({ container: { id: null } })).toEqual([])
  })

  test('code that ran here comes back as its item, in its container', () => {
    const id = 'srvtoolu_0a1b_2c3d'
    const use = { type: 'server_tool_use', id, name: 'code_execution', input: { code: '6 * 7' } }
    const result = (content: object) => ({ type: 'code_execution_tool_result', tool_use_id: id, content })
    const ran = result({ type: 'code_execution_result', stdout: '42\n', stderr: '', return_code: 0, content: [] })
    const failed = result({ type: 'code_execution_tool_result_error', error_code: 'unavailable' })
    const item = { type: 'code_interpreter_call', id: 'ci_0a1b', code: '6 * 7', container_id: 'cntr_2c3d' }
    const inputOf = (block: object) =>
      fromMessagesRequest({ messages: [user, { role: 'assistant', content: [use, block] }, user] }).request['input']
    expect(inputOf(ran)).toContainEqual({ ...item, status: 'completed', outputs: [{ type: 'logs', logs: '42\n' }] })
    expect(inputOf(failed)).toContainEqual(expect.objectContaining({ ...item, status: 'failed' }))
  })

  test.each<[object, string]>([
    [{ messages: [{ role: 'user', content: [{ type: 'video' }] }] }, 'messages[0].content[0].type'],
    [{ messages: [{ role: 'assistant', content: [{ type: 'video' }] }, user] }, 'messages[0].content[0].type'],
    [{ tools: [{ type: 'telepathy' }] }, 'tools[0].type'],
    [{ mood: 1 }, 'mood'],
  ])('%j is refused at %s if the server wants that', (body, param) => {
    let refused: unknown
    try {
      fromMessagesRequest({ messages: [user], ...body }, { unknown: 'refuse' })
    } catch (error) {
      refused = error
    }
    expect(refused).toBeInstanceOf(RequestError)
    expect(refused).toMatchObject({ param, status: 400 })
  })
})
