import { describe, expect, test } from 'vitest'
import { CLIENTS, type Client, checkEvents, explain } from '../../../../src/judge/conformance/index.js'
import type { StreamEvent } from '../../../../src/judge/conformance/stream-event.js'

const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hello.', annotations: [], logprobs: [] }],
}

const call = (given: string) => ({
  id: 'fc_1',
  type: 'function_call',
  call_id: 'call_1',
  name: 'late_tool',
  arguments: given,
  status: 'completed',
})

const response = (status: string, output: readonly object[], id = 'resp_1') => ({
  id,
  object: 'response',
  created_at: 1,
  model: 'gpt-oss-20b',
  status,
  error: null,
  incomplete_details: null,
  output,
  usage: null,
})

const begun = (id = 'resp_1'): StreamEvent[] => [
  { type: 'response.created', response: response('in_progress', [], id) },
]

const ended = (output: readonly object[], id = 'resp_1'): StreamEvent => ({
  type: 'response.completed',
  response: response('completed', output, id),
})

function message(item = MESSAGE, index = 0): StreamEvent[] {
  const of = { item_id: item.id, output_index: index, content_index: 0 }
  const part = item.content[0] as { text: string }
  return [
    { type: 'response.output_item.added', output_index: index, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...of, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...of, delta: part.text, logprobs: [] },
    { type: 'response.output_text.done', ...of, text: part.text, logprobs: [] },
    { type: 'response.content_part.done', ...of, part },
    { type: 'response.output_item.done', output_index: index, item },
  ]
}

function wholeCall(given: string, index: number): StreamEvent[] {
  const of = { item_id: 'fc_1', output_index: index }
  return [
    { type: 'response.output_item.added', output_index: index, item: { ...call(''), status: 'in_progress' } },
    { type: 'response.function_call_arguments.delta', ...of, delta: given },
    { type: 'response.function_call_arguments.done', ...of, name: 'late_tool', arguments: given },
    { type: 'response.output_item.done', output_index: index, item: call(given) },
  ]
}

const numbered = (events: readonly StreamEvent[]): StreamEvent[] =>
  events.map((event, sequence_number) => ({ ...event, sequence_number }))

const rulesFor = (client: Client, events: readonly StreamEvent[]): string[] =>
  checkEvents(numbered(events), { profile: `client:${client}` })
    .filter(({ severity }) => severity === 'error')
    .map(({ rule }) => rule)

const GOOD = [...begun(), ...message(), ended([MESSAGE])]

describe('what comes after the end of a response', () => {
  const late = [...GOOD, ...wholeCall('{"a":1}', 1)]

  test.each<[Client, boolean]>([
    ['openai', true],
    ['ai-sdk', true],
    ['langchain', true],
    ['openai-agents', false],
    ['codex', false],
  ])('%s is said to run a call that comes after the end: %s', (client, isRun) => {
    expect(rulesFor(client, GOOD)).toEqual([])
    expect(rulesFor(client, late).includes('client-calls')).toBe(isRun)
    const { text } = explain(numbered(late), client)
    expect(text.includes('will run late_tool')).toBe(isRun)
    expect(text.includes('ends well')).toBe(!isRun)
    if (isRun) expect(text).toContain('which came after the end of the response')
  })

  test('a terminal event that comes before the last item accuses no client that shows the same', () => {
    const [created, ...rest] = GOOD
    const early = [created as StreamEvent, rest.at(-1) as StreamEvent, ...rest.slice(0, -1)]
    for (const client of ['ai-sdk', 'langchain', 'openai-agents', 'codex'] as const) {
      // Codex stops at the end, and sees no item.
      expect(rulesFor(client, early).length > 0).toBe(client === 'codex')
    }
  })

  test('a call that is done after the end changes the finish reason of the AI SDK', () => {
    const [added, ...within] = wholeCall('{"a":1}', 0)
    const output = [call('{"a":1}')]
    expect(rulesFor('ai-sdk', [...begun(), added as StreamEvent, ...within, ended(output)])).toEqual([])
    expect(rulesFor('ai-sdk', [...begun(), added as StreamEvent, ended(output), ...within])).toContain('ai-sdk-finish')
  })
})

describe('events of another response', () => {
  const other = { ...MESSAGE, id: 'msg_2', content: [{ ...(MESSAGE.content[0] as object), text: 'Other.' }] }
  const theirs = [...begun('resp_2'), ...message(other as never), ended([other], 'resp_2')]

  test('clients that show them are accused, and the intended response stays unchanged', () => {
    const mixed = [...GOOD.slice(0, 4), ...theirs, ...GOOD.slice(4)]
    for (const client of ['ai-sdk', 'langchain', 'openai-agents', 'codex'] as const) {
      expect(rulesFor(client, mixed)).not.toEqual([])
    }
    const expected = explain(numbered(mixed), 'langchain').errors.map((error) => error.expected)
    expect(expected).toContain('the text "Hello."')
  })

  test('behind the end they count for nothing, and a client that stopped reading is not accused', () => {
    expect(rulesFor('codex', [...GOOD, ...theirs])).toEqual([])
    expect(rulesFor('langchain', [...GOOD, ...theirs])).toContain('client-text')
  })

  test('a terminal event with another id ends the response where no other does', () => {
    const renamed = [...GOOD.slice(0, -1), ended([MESSAGE], 'resp_other')]
    for (const client of CLIENTS.filter((one) => !one.startsWith('openai') || one === 'openai-agents'))
      expect(rulesFor(client, renamed)).toEqual([])
  })
})

describe('an item that comes again', () => {
  test('a client that shows it twice is accused', () => {
    const twice = [...GOOD.slice(0, -1), ...message(), ended([MESSAGE])]
    expect(rulesFor('langchain', twice)).toContain('client-text')
    expect(rulesFor('ai-sdk', twice)).toContain('client-text')
    expect(rulesFor('openai-agents', twice)).toContain('client-text')
  })
})

describe('values that no type forbids', () => {
  const encoded = JSON.stringify('{"a":1}')

  test.each(CLIENTS)('%s gets a text where the arguments of a call are encoded twice', (client) => {
    expect(rulesFor(client, [...begun(), ...wholeCall(encoded, 0), ended([call(encoded)])])).toContain(
      'client-arguments',
    )
    expect(rulesFor(client, [...begun(), ...wholeCall('{"a":1}', 0), ended([call('{"a":1}')])])).toEqual([])
  })

  test('a call that LangChain passes on as invalid is not said to run', () => {
    const { text } = explain(numbered([...begun(), ...wholeCall(encoded, 0), ended([call(encoded)])]), 'langchain')
    expect(text).toContain('will not run late_tool')
  })

  test('a failure without an error is an error of its own', () => {
    const failed = { ...response('failed', []), error: null }
    const events = [...begun(), { type: 'response.failed', response: failed }]
    for (const client of ['openai', 'ai-sdk', 'codex'] as const) expect(rulesFor(client, events)).not.toEqual([])
  })
})

test('a response that fails after reasoning does not accuse the openai SDK of losing it', () => {
  const reasoning = { id: 'rs_1', type: 'reasoning', summary: [], content: [] }
  const of = { item_id: 'rs_1', output_index: 0, content_index: 0 }
  const events: StreamEvent[] = [
    ...begun(),
    { type: 'response.output_item.added', output_index: 0, item: reasoning },
    { type: 'response.content_part.added', ...of, part: { type: 'reasoning_text', text: '' } },
    { type: 'response.reasoning_text.delta', ...of, delta: 'Let me see.' },
    { type: 'error', code: 'server_error', message: 'It broke.', param: null },
    {
      type: 'response.failed',
      response: { ...response('failed', []), error: { code: 'server_error', message: 'It broke.' } },
    },
  ]
  expect(rulesFor('openai', events)).toEqual([])
})

test('an item whose type changes when it is done is run with a text by the AI SDK and Codex, and they are accused', () => {
  const { arguments: given, ...rest } = call('{"a":1}')
  const created = { type: 'response.created', response: response('in_progress', []) }
  const events = [
    created,
    { type: 'response.output_item.added', output_index: 0, item: { ...rest, arguments: '' } },
    { type: 'response.function_call_arguments.delta', output_index: 0, item_id: 'fc_1', delta: given },
    { type: 'response.function_call_arguments.done', output_index: 0, item_id: 'fc_1', arguments: given },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { ...rest, type: 'custom_tool_call', input: given },
    },
    { type: 'response.completed', response: response('completed', [call('{"a":1}')]) },
  ].map((event, sequence_number) => ({ ...event, sequence_number })) as StreamEvent[]
  for (const client of ['ai-sdk', 'codex'] as const) {
    const errors = checkEvents(events, { profile: `client:${client}` }).filter(({ severity }) => severity === 'error')
    expect(errors.map(({ rule, got }) => [rule, got.includes('as a custom_tool_call')])).toContainEqual([
      'client-calls',
      true,
    ])
  }
})
