import { describe, expect, test } from 'vitest'
import { promptMessages } from '../../../src/endpoint/prompt/prompt-messages.js'
import { createMemoryStore } from '../../../src/endpoint/stores/index.js'
import { RequestError } from '../../../src/shared/request-error.js'
import { answer, call, scriptedEngine } from '../../../src/testing/index.js'
import { endpoint } from '../server/endpoint.js'

const user = { role: 'user', content: 'Weather?' }
const called = { type: 'function_call', call_id: 'c1', name: 'look', arguments: '{"city": "Rome", "days": 2}' }
const again = { ...called, id: 'fc_other', status: null, arguments: '{"days":2,"city":"Rome"}' }
const output = { type: 'function_call_output', call_id: 'c1', output: 'Sunny' }
const tools = [{ type: 'function', name: 'look', parameters: { type: 'object', properties: {} } }]

const read = (input: readonly object[]): string[] =>
  promptMessages({ input, tools }, { date: '2026-01-31' })
    .slice(2)
    .map(({ role, content }) => `${role}: ${content}`)

function refusalOf(input: readonly object[]): unknown {
  try {
    return read(input)
  } catch (error) {
    if (!(error instanceof RequestError)) throw error
    return [error.code, error.param]
  }
}

const ONCE = ['user: Weather?', `assistant: ${called.arguments}`, 'tool: Sunny']

describe('an item that is sent again', () => {
  test.each([
    ['a call with the same arguments, as JSON', [user, called, output, again]],
    ['a call that is still to be answered', [user, called, again, output]],
    ['an output', [user, called, output, { ...output, id: 'fco_1', status: 'completed' }]],
    ['an output before its call', [user, output, output, called]],
    ['both', [user, called, output, again, output]],
    ['a message with its id', [{ ...user, id: 'msg_1' }, { ...user, id: 'msg_1', type: 'message' }, called, output]],
  ])('is the known one, if it is equal: %s', (_, input) => {
    expect(read(input)).toEqual(ONCE)
  })

  test.each([
    ['a call of another function', { ...called, name: 'go' }, 'call_id'],
    ['a call with other arguments', { ...called, arguments: '{"city":"Oslo"}' }, 'call_id'],
    ['a call whose arguments are no JSON', { ...called, arguments: '{"city": "Rome", "days": 2' }, 'call_id'],
    ['another output', { ...output, output: 'Rain' }, 'call_id'],
    ['another message with the id', { id: 'msg_1', role: 'user', content: 'Bye' }, 'id'],
    ['a message with the id that has no text', { id: 'msg_1', role: 'user', content: [] }, 'id'],
  ])('is refused, if it differs: %s', (_, item, field) => {
    const input = [{ ...user, id: 'msg_1' }, called, output, item]
    expect(refusalOf(input)).toEqual(['duplicate_item', `input[3].${field}`])
  })

  test('is refused, if it says that a patch failed which was applied', () => {
    const operation = { type: 'delete_file', path: 'a.txt' }
    const patch = { type: 'apply_patch_call', call_id: 'p1', operation, status: 'completed' }
    const done = { type: 'apply_patch_call_output', call_id: 'p1', status: 'completed' }
    const sent = (status: string) =>
      promptMessages({ input: [user, patch, done, { ...done, status }] }, { date: '2026-01-31' })
    expect(sent('completed').length).toBe(4)
    expect(() => sent('failed')).toThrow(expect.objectContaining({ code: 'duplicate_item' }))
  })

  test('a call_id may come again after the next message of the user, as the id of another call', () => {
    const other = [
      { ...called, arguments: '{"city":"Oslo"}' },
      { ...output, output: 'Rain' },
    ]
    const turns = [user, called, output, { role: 'user', content: 'And Oslo?' }, ...other]
    expect(read(turns)).toEqual([...ONCE, 'user: And Oslo?', 'assistant: {"city":"Oslo"}', 'tool: Rain'])
    // The same question, answered anew.
    const same = [user, called, output, { role: 'user', content: 'And now?' }, called, { ...output, output: 'Rain' }]
    expect(read(same)).toEqual([...ONCE, 'user: And now?', `assistant: ${called.arguments}`, 'tool: Rain'])
  })

  test('a call_id does not come again for another call while the first one has no output', () => {
    const input = [user, called, { role: 'user', content: 'Well?' }, { ...called, arguments: '{}' }, output]
    expect(refusalOf(input)).toEqual(['duplicate_item', 'input[3].call_id'])
  })
})

describe('a tool loop whose client sends the call again beside previous_response_id', () => {
  const model = () =>
    scriptedEngine(({ messages }) => {
      const { role, content } = messages.at(-1) ?? {}
      if (role === 'tool') return answer('Sunny.')
      return content === 'Bye' ? answer('Bye.') : [call('functions.look', { city: 'Rome' })]
    })

  test.each([
    ['by one process, which knows the conversation', 1],
    ['each time by another process, which reads it', 5],
  ])('goes on, and so does the conversation after it: %s', async (_, processes) => {
    const store = createMemoryStore()
    const engines = Array.from({ length: processes }, model)
    const endpoints = engines.map((engine) => endpoint(engine, { store }))
    let requests = 0
    const create = (request: object) => (endpoints[requests++ % processes] as (typeof endpoints)[0]).create(request)
    const first = await create({ input: 'Weather?', tools })
    const asked = first.body.output.find(({ type }: { type: string }) => type === 'function_call')
    const { id: __, status: ___, ...copy } = asked
    const input = [copy, { type: 'function_call_output', call_id: asked.call_id, output: 'Sunny' }]
    const second = await create({ input, tools, previous_response_id: first.body.id })
    expect([second.status, second.body.output_text ?? second.body.output.at(-1).content[0].text]).toEqual([
      200,
      'Sunny.',
    ])
    // Everything again, with the next message.
    const next = [...input, { role: 'user', content: 'Bye' }]
    const third = await create({ input: next, tools, previous_response_id: second.body.id })
    expect(third.status).toBe(200)
    const texts = engines[(requests - 1) % processes]?.calls
      .at(-1)
      ?.messages.map(({ role, content }) => `${role}: ${content}`)
    expect(texts?.filter((text) => /Rome|tool: Sunny/.test(text))).toEqual([
      'assistant: {"city":"Rome"}',
      'tool: Sunny',
    ])
    const changed = { ...copy, arguments: '{"city":"Oslo"}' }
    const refused = await create({ input: [changed], tools, previous_response_id: first.body.id })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'duplicate_item'])
  })

  test('the output of a local shell call may name it by call_id, without an id of its own', async () => {
    const items = [
      {
        type: 'local_shell_call',
        id: 'lsh_1',
        call_id: 'c1',
        action: { type: 'exec', command: ['ls'], env: {} },
        status: 'completed',
      },
      { type: 'local_shell_call_output', call_id: 'c1', output: 'a.txt' },
    ]
    const { create, engine } = endpoint(() => answer('One file.'))
    const { status } = await create({ input: [user, ...items], tools: [{ type: 'local_shell' }] })
    expect(status).toBe(200)
    expect(engine.calls[0]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'a.txt' })
    const nameless = { ...items[1], call_id: undefined }
    const refused = await create({ input: [user, items[0], nameless], tools: [{ type: 'local_shell' }] })
    expect([refused.status, refused.body.error.param]).toEqual([400, 'input[1].call_id'])
  })
})
