import { expect, test } from 'vitest'
import { aiSdk } from '../../../../src/judge/conformance/clients/ai-sdk.js'
import type { Seen } from '../../../../src/judge/conformance/clients/client.js'

const RESPONSE = { id: 'resp_1', created_at: 1, model: 'gpt-oss-20b' }
const CREATED = { type: 'response.created', response: RESPONSE }
const COMPLETED = { type: 'response.completed', response: { incomplete_details: null, usage: null } }

const added = (item: object, index = 0) => ({ type: 'response.output_item.added', output_index: index, item })
const done = (item: object, index = 0) => ({ type: 'response.output_item.done', output_index: index, item })
const delta = (text: unknown, id = 'msg_1') => ({ type: 'response.output_text.delta', item_id: id, delta: text })

const MESSAGE = { type: 'message', id: 'msg_1' }
const CALL = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'add', arguments: '{"a":1}' }
const SEARCH = { type: 'web_search_call', id: 'ws_1', status: 'completed' }

function read(...events: readonly { readonly type: string }[]): { seen: Seen; rules: string[]; words: string[] } {
  const rules: string[] = []
  const words: string[] = []
  const reader = aiSdk.begin((rule, expected, got, said) => {
    rules.push(rule)
    words.push(`${expected}: ${said ?? JSON.stringify(got)}`)
  })
  for (const event of events) reader.read(event)
  reader.end()
  return { seen: reader.seen, rules, words }
}

test('a good stream breaks nothing', () => {
  const { seen, rules } = read(CREATED, added(MESSAGE), delta('Hi'), done(MESSAGE), COMPLETED)
  expect(rules).toEqual([])
  expect([seen.ending, `${seen.streamed}`, `${seen.final}`]).toEqual(['completed', '"Hi"', '"Hi"'])
})

test('a field that the AI SDK does not want as it is fails the turn, and the fault names the field and its value', () => {
  const { seen, rules, words } = read(CREATED, added(MESSAGE), delta(null), done(MESSAGE), COMPLETED)
  expect(rules).toEqual(['ai-sdk-validates'])
  expect(words).toEqual(['`delta` a string in response.output_text.delta: null'])
  expect(seen.ending).toBe('threw')
})

test('events and items that the AI SDK does not know may hold anything', () => {
  const unknown = { type: 'response.output_text.done', text: null }
  expect(read(CREATED, unknown, added({ type: 'memory_call' }), COMPLETED).rules).toEqual([])
})

test('response.failed wants a sequence number', () => {
  const failed = { type: 'response.failed', response: { error: { code: 'server_error', message: 'boom' } } }
  expect(read(CREATED, failed).rules).toEqual(['ai-sdk-validates'])
  expect(read(CREATED, { ...failed, sequence_number: 1 } as never).seen).toMatchObject({
    ending: 'failed',
    error: 'boom',
  })
})

test('an error before the output discards the stream', () => {
  const error = { type: 'error', sequence_number: 1, code: null, message: 'quota', param: null }
  const { seen } = read(CREATED, error, added(MESSAGE), delta('Hi'))
  expect([seen.ending, seen.error, `${seen.streamed}`, seen.final]).toEqual(['failed', 'quota', '""', undefined])
})

test('text of a message that was not added is shown, and lost to the result', () => {
  const { seen, rules } = read(CREATED, delta('Hi'), delta(' there'), COMPLETED)
  expect(rules).toEqual(['ai-sdk-text-part'])
  expect([`${seen.streamed}`, `${seen.final}`]).toEqual(['"Hi there"', '""'])
})

test('the second part of a summary wants to be added', () => {
  const summary = { type: 'response.reasoning_summary_text.delta', item_id: 'rs_1', summary_index: 1, delta: 'So' }
  expect(read(CREATED, added({ type: 'reasoning', id: 'rs_1' }), summary).rules).toEqual(['ai-sdk-reasoning-part'])
})

test('the index reports the item if the server makes new ids', () => {
  const rotated = { ...delta('Hi', 'msg_2'), output_index: 0 }
  const end = done({ ...MESSAGE, id: 'msg_3' })
  expect(read(CREATED, added(MESSAGE), rotated, end, COMPLETED).rules).toEqual([])
})

test('a call is run as it is when it is done, and one without arguments with an empty object', () => {
  const { seen } = read(CREATED, done({ ...CALL, status: 'completed' }), COMPLETED)
  expect(seen.calls.map(({ name, arguments: given }) => `${name} ${given}`)).toEqual([
    `add ${JSON.stringify(CALL.arguments)}`,
  ])
  const values = ['', '{}'].map(
    (given) => read(CREATED, done({ ...CALL, status: 'completed', arguments: given })).seen.calls[0]?.value,
  )
  expect(values[0]).toBe(values[1])
})

test('arguments that are invalid JSON are the fault of the model', () => {
  expect(read(CREATED, done({ ...CALL, status: 'completed', arguments: '{"a"' })).rules).toEqual(['ai-sdk-tool-input'])
  expect(aiSdk.rules.find(({ id }) => id === 'ai-sdk-tool-input')).toMatchObject({
    fault: 'model',
    severity: 'warning',
  })
})

test('a custom tool call that was cut off fails the turn', () => {
  const call = {
    type: 'custom_tool_call',
    id: 'ctc_1',
    call_id: 'call_1',
    name: 'sql',
    input: 'se',
    status: 'incomplete',
  }
  expect(read(CREATED, done(call)).words).toEqual([
    '`item.status` "completed" in response.output_item.done: "incomplete"',
  ])
})

test('a search that is never done, or never began, is shown in part', () => {
  expect(read(CREATED, added(SEARCH), COMPLETED).rules).toEqual(['ai-sdk-hosted-call'])
  expect(read(CREATED, done(SEARCH), COMPLETED).rules).toEqual(['ai-sdk-hosted-call'])
  expect(read(CREATED, added(SEARCH), done(SEARCH), COMPLETED).rules).toEqual([])
})

test('a search that was cut off as its response was cancelled is no fault, though the SDK shows the response as complete', () => {
  const cut = { ...SEARCH, status: 'incomplete' }
  const cancelled = { status: 'cancelled', incomplete_details: null, usage: null, output: [cut] }
  const { seen, rules } = read(CREATED, added(SEARCH), { type: 'response.incomplete', response: cancelled } as never)
  expect([seen.ending, rules]).toEqual(['completed', []])
  const claimed = { ...cancelled, output: [SEARCH] }
  expect(read(CREATED, added(SEARCH), { type: 'response.incomplete', response: claimed } as never).rules).toEqual([
    'ai-sdk-hosted-call',
  ])
})

test('code that is done at the index of another call ends the stream', () => {
  const code = { type: 'response.code_interpreter_call_code.done', item_id: 'ci_1', output_index: 0, code: '1' }
  const { seen, rules } = read(CREATED, added(CALL), code, added(MESSAGE, 1), delta('Hi'))
  expect(rules).toEqual(['ai-sdk-code-call'])
  expect([seen.ending, `${seen.streamed}`]).toEqual(['threw', '""'])
})

test('a stream without a terminal event has no end', () => {
  expect(read(CREATED, added(MESSAGE), delta('Hi')).seen.ending).toBe('open')
})

test('a chunk of Chat Completions is named as one', () => {
  expect(read({ choices: [] } as never).words).toEqual(['an event of the Responses API: a chunk of Chat Completions'])
})
