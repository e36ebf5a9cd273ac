import fc from 'fast-check'
import type { Tool } from 'openai/resources/responses/responses'
import { expect, test } from 'vitest'
import { itemWithoutSecrets } from '../../../src/core/response-object/without-secrets.js'
import { record } from '../../../src/engines/sources/record.js'
import type { ResponseRequest } from '../../../src/index.js'
import { RUNS } from '../../support/runs.js'
import { Translator } from '../../support/translator.js'
import { createRun, FIXED, messageOn, runOf } from '../translate/run.js'

const CANARY = 'CANARY'

/**
 * The names of every field of every tool of the API's types: a new one does not compile before it has a place below. That of
 * the newest types is seen by `npm run typecheck --prefix test/clients`.
 */
type Fields<Type extends Tool['type']> = ToolOf<Type> extends infer T ? (T extends unknown ? keyof T : never) : never
type ToolOf<Type extends Tool['type']> = Extract<Tool, { type: Type }>
type Filled = { readonly [Type in Tool['type']]: { readonly [Field in Exclude<Fields<Type>, 'type'>]-?: Sample } }

/** The value of a request's field, and its echo; undefined if the field is not echoed. */
interface Sample {
  readonly given: unknown
  readonly echoed?: unknown
}

const same = (given: unknown): Sample => ({ given, echoed: given })
const hidden = (given: unknown): Sample => ({ given })
const becomes = (given: unknown, echoed: unknown): Sample => ({ given, echoed })

const schema = same({ type: 'object', properties: { anything: { secret: 1 } } })
const callers = same(['direct'])
const filter = { tool_names: ['a'], read_only: true }
const url = (path = ''): string => `https://example.com${path}`

/**
 * Where a client puts secrets: in the fields that the API has for them, and in any that it does not have.
 */
const domain_secrets = [{ domain: 'example.com', name: CANARY, value: CANARY }]
const network_policy = { type: 'allowlist', allowed_domains: ['example.com'], domain_secrets, token: CANARY }
const echoedPolicy = { type: 'allowlist', allowed_domains: ['example.com'] }
const container = {
  type: 'container_auto',
  file_ids: ['file_1'],
  memory_limit: '4g',
  network_policy,
  env: { KEY: CANARY },
}
const echoedContainer = { ...container, network_policy: echoedPolicy, env: undefined }
const skill = { type: 'skill_reference', skill_id: 'skill_1', version: '2' }
const inline = { type: 'inline', name: 's', description: 'd' }
const skills = [skill, { ...inline, source: { type: 'base64', media_type: 'application/zip', data: CANARY } }]

const location = { type: 'approximate', city: 'Oslo', country: 'NO', region: null, timezone: 'Europe/Oslo' }
const webSearch = {
  filters: becomes({ allowed_domains: ['example.com'], token: CANARY }, { allowed_domains: ['example.com'] }),
  search_context_size: same('low'),
  user_location: becomes({ ...location, street: CANARY }, location),
}
const preview = { ...webSearch, search_content_types: same(['text']) }
const search = { ...webSearch, external_web_access: same(true) }

const called = { description: same('d'), allowed_callers: callers, async: same(true), defer_loading: same(true) }
const functionTool = {
  ...called,
  name: same('f'),
  parameters: schema,
  output_schema: schema,
  strict: same(true),
}

const TOOLS = {
  function: functionTool,
  custom: {
    ...called,
    name: same('c'),
    format: becomes(
      { type: 'grammar', syntax: 'lark', definition: 'start: "a"', token: CANARY },
      { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
    ),
  },
  namespace: {
    name: same('n'),
    description: same('d'),
    tools: becomes(
      [
        { type: 'function', name: 'f', authorization: CANARY },
        { type: 'custom', name: 'c', env: { KEY: CANARY } },
        { type: 'mcp', server_label: 'm', authorization: CANARY },
      ],
      [
        { type: 'function', name: 'f' },
        { type: 'custom', name: 'c' },
        { type: 'mcp', server_label: 'm' },
      ],
    ),
  },
  mcp: {
    server_label: same('docs'),
    server_description: same('d'),
    server_url: becomes(`https://${CANARY}:${CANARY}@example.com/mcp?key=${CANARY}#${CANARY}`, url('/mcp')),
    connector_id: same('connector_gmail'),
    tunnel_id: same('tunnel_1'),
    authorization: hidden(CANARY),
    headers: becomes({ Authorization: CANARY, [CANARY]: '1' }, null),
    allowed_tools: becomes({ ...filter, token: CANARY }, filter),
    require_approval: becomes(
      { always: { ...filter, token: CANARY }, never: {}, token: CANARY },
      { always: filter, never: {} },
    ),
    defer_loading: same(true),
    allowed_callers: callers,
  },
  code_interpreter: {
    container: becomes({ ...container, type: 'auto' }, { ...echoedContainer, type: 'auto' }),
    allowed_callers: callers,
  },
  shell: {
    environment: becomes(
      { ...container, container_id: 'cntr_1', skills },
      { ...echoedContainer, container_id: 'cntr_1', skills: [skill, inline] },
    ),
    allowed_callers: callers,
  },
  web_search: search,
  web_search_2025_08_26: search,
  web_search_preview: preview,
  web_search_preview_2025_03_11: preview,
  file_search: {
    vector_store_ids: same(['vs_1']),
    max_num_results: same(2),
    filters: becomes(
      { type: 'and', filters: [{ type: 'eq', key: 'a', value: 'b', token: CANARY }], token: CANARY },
      { type: 'and', filters: [{ type: 'eq', key: 'a', value: 'b' }] },
    ),
    ranking_options: becomes(
      { ranker: 'auto', score_threshold: 0, hybrid_search: { embedding_weight: 1, text_weight: 0, token: CANARY } },
      { ranker: 'auto', score_threshold: 0, hybrid_search: { embedding_weight: 1, text_weight: 0 } },
    ),
  },
  image_generation: {
    action: same('auto'),
    background: same('auto'),
    complexity: same('low'),
    frame_count: same(1),
    frame_duration_ms: same(1),
    input_fidelity: same('low'),
    input_image_mask: becomes({ file_id: 'file_1', image_url: url(`/a.png?sig=${CANARY}`) }, { file_id: 'file_1' }),
    model: same('gpt-image-1'),
    moderation: same('auto'),
    output_compression: same(100),
    output_format: same('png'),
    partial_images: same(1),
    quality: same('auto'),
    size: same('auto'),
    svg: becomes(
      { model: 'm', reasoning: { effort: 'low', token: CANARY } },
      { model: 'm', reasoning: { effort: 'low' } },
    ),
  },
  tool_search: { description: same('d'), execution: same('client'), parameters: schema },
  computer: {},
  computer_use_preview: { display_height: same(1), display_width: same(1), environment: same('linux') },
  local_shell: {},
  apply_patch: { allowed_callers: callers },
  programmatic_tool_calling: {},
}

const entries = Object.entries(TOOLS satisfies Filled) as [Tool['type'], { [field: string]: Sample }][]

/** A tool as a client declares it, with every field of its type and some of none. */
function given(type: Tool['type']): Record<string, unknown> {
  const extra = {
    api_key: CANARY,
    authorization: CANARY,
    env: { KEY: CANARY },
    [CANARY]: 1,
    '': CANARY,
    __proto__x: CANARY,
  }
  const fields = Object.entries(TOOLS[type]).map(([field, { given }]) => [field, given])
  return { ...extra, type, ...Object.fromEntries(fields) }
}

/** Everything that a translator emits or stores of a request, and the output of a recording. */
async function traces(request: ResponseRequest): Promise<string[]> {
  const run = createRun({ request, store: true })
  run.start()
  run.push(messageOn('analysis', 'Hm.'))
  const snapshot = run.translator.snapshot()
  run.push('<|end|>')
  const restored = runOf(Translator.restore(snapshot, { ...FIXED, request }))
  run.end()
  restored.fail({ message: 'no' })
  const kept: unknown[] = [snapshot, restored.translator.snapshot(), run.translator.snapshot()]
  for await (const _ of record([], (fixture) => void kept.push(fixture), { name: 'a', request }));
  const reported = [run.events, restored.events, run.translator.response, restored.translator.response]
  return [...reported, ...kept].map((value) => JSON.stringify(value))
}

test.each(entries)('a tool of type %s is echoed with its own fields, and nothing else', (type, fields) => {
  const echoed = Object.entries(fields).map(([field, { echoed }]) => [field, echoed])
  const { tools } = createRun({ request: { tools: [given(type)] as never } }).translator.response
  // Through JSON: a sample leaves out with undefined.
  expect(tools).toEqual([JSON.parse(JSON.stringify({ type, ...Object.fromEntries(echoed) }))])
})

test.each(['something_new', 'constructor', '__proto__', 'container', 'tools', 'web_searching'])(
  'a tool of the unknown type %s is echoed with its type and its name',
  (type) => {
    const tools = [{ type, name: 'n', server_label: 'l', url: CANARY, config: { name: CANARY } }]
    expect(createRun({ request: { tools } }).translator.response.tools).toEqual([{ type, name: 'n' }])
  },
)

test.each([
  ['https://example.com/mcp', 'https://example.com/mcp'],
  ['https://example.com', 'https://example.com'],
  ['https://example.com/@scope/mcp', 'https://example.com/@scope/mcp'],
  ['https://example.com/mcp?', 'https://example.com/mcp'],
  [`https://example.com/@scope/mcp?api_key=${CANARY}&b=1`, 'https://example.com/@scope/mcp'],
  [`https://example.com/mcp#${CANARY}\n${CANARY}`, 'https://example.com/mcp'],
  [`https://${CANARY}@example.com:8080/mcp`, 'https://example.com:8080/mcp'],
  [`https://a:${CANARY}@b:${CANARY}@example.com/mcp`, 'https://example.com/mcp'],
  [`https:\\\\a:${CANARY}@example.com\\mcp`, 'https:\\\\example.com\\mcp'],
  [` https:///${CANARY}@example.com/mcp`, ' https:///example.com/mcp'],
  [`${CANARY}:${CANARY}@example.com/mcp`, 'example.com/mcp'],
  ['IGNORED', 'IGNORED'],
  [null, null],
  [{ href: CANARY }, null],
])('a server at %j is echoed as %j', (server_url, echoed) => {
  const tools = [{ type: 'mcp', server_label: 'docs', server_url }]
  expect(createRun({ request: { tools } }).translator.response.tools).toEqual([{ ...tools[0], server_url: echoed }])
})

test('a canary in any place of any tools, or of a choice among them, is nowhere', async () => {
  const tool = fc.constantFrom(...entries.map(([type]) => type)).map(given)
  const tools = fc.array(fc.oneof(tool, fc.constant({ type: 'new', value: CANARY })), { maxLength: 4 })
  const choice = tools.map((tools) => ({ type: 'allowed_tools', mode: 'auto', tools, token: CANARY }))
  const request = fc.record({ tools, tool_choice: fc.oneof(fc.constant('auto'), choice) }, { requiredKeys: [] })
  await fc.assert(
    fc.asyncProperty(request, async (request) => {
      for (const trace of await traces(request as never)) expect(trace).not.toContain(CANARY)
    }),
    { numRuns: Math.min(RUNS, 200) },
  )
})

test('fields of a request that the response does not echo are not kept', async () => {
  const secrets = {
    input: [{ type: 'additional_tools', role: 'developer', tools: [given('mcp')] }],
    prompt: { id: 'p', variables: { key: CANARY } },
    context_management: [{ type: CANARY }],
    moderation: { model: CANARY },
    stream_options: { [CANARY]: true },
    api_key: CANARY,
    extra_headers: { Authorization: CANARY },
  }
  for (const trace of await traces({ ...secrets, model: 'gpt-oss' } as ResponseRequest)) {
    expect(trace).not.toContain(CANARY)
    expect(trace).toContain('gpt-oss')
  }
})

test('a recording drops a value that is not a list of tools', async () => {
  for (const tools of [{ type: 'mcp', authorization: CANARY }, [[{ authorization: CANARY }]], [null, CANARY.length]]) {
    const kept: unknown[] = []
    const request = { tools } as unknown as ResponseRequest
    for await (const _ of record([], (fixture) => void kept.push(fixture), { name: 'a', request }));
    expect(JSON.stringify(kept)).not.toContain(CANARY)
  }
})

test('calls are distinguished by the stored part of the tools, also after a snapshot', () => {
  const tools = [
    {
      type: 'mcp',
      server_label: 'docs',
      server_url: url(`?key=${CANARY}`),
      allowed_tools: { tool_names: ['a', 'b'] },
      require_approval: { always: { tool_names: ['b'] } },
    },
    { type: 'code_interpreter', container: 'cntr_mine' },
    { type: 'shell', environment: { type: 'container_reference', container_id: 'cntr_other' } },
  ]
  const run = createRun({ request: { tools } })
  run.start()
  const restored = runOf(Translator.restore(run.translator.snapshot(), FIXED))
  for (const { push, end, translator } of [run, restored]) {
    for (const recipient of ['docs.a code', 'docs.b code', 'docs.c code', 'python code', 'container.exec code']) {
      push(`<|channel|>commentary to=${recipient}<|message|>{"cmd":["ls"]}<|call|><|start|>assistant`)
    }
    end('stop')
    expect(translator.response.output).toMatchObject([
      { type: 'mcp_call', name: 'a' },
      { type: 'mcp_approval_request', name: 'b' },
      {},
      { type: 'code_interpreter_call', container_id: 'cntr_mine' },
      { type: 'shell_call', environment: { type: 'container_reference', container_id: 'cntr_other' } },
    ])
    expect(translator.response.output[2]).not.toMatchObject({ type: 'mcp_call', error: null })
  }
})

test('the request that the caller holds stays as it is', () => {
  const request = { tools: [given('mcp')] } as unknown as ResponseRequest
  const before = structuredClone(request)
  createRun({ request })
  expect(request).toEqual(before)
})

test.each(['additional_tools', 'tool_search_output'])(
  'an item of the type %s is kept without the secrets of its tools',
  (type) => {
    const tool = {
      ...{ type: 'mcp', server_label: 'dice', server_url: 'https://key@example.com/?k=secret' },
      ...{ authorization: 'secret', headers: { key: 'secret' } },
    }
    const kept = itemWithoutSecrets({ type, tools: [tool] })
    expect(kept).toMatchObject({ type, tools: [{ type: 'mcp', server_label: 'dice' }] })
    expect(JSON.stringify(kept)).not.toMatch(/secret|key@/)
  },
)
