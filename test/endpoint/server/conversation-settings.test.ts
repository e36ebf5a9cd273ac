import { describe, expect, test } from 'vitest'
import { answer, type Script } from '../../../src/testing/index.js'
import { endpoint } from './endpoint.js'

const user = (content = 'Hi') => ({ role: 'user' as const, content })

describe('settings of a conversation', () => {
  const system = ({ engine }: ReturnType<typeof endpoint<Script>>, at: number): string =>
    engine.calls[at]?.messages[0]?.content ?? ''
  const effort = (effort: string) => ({ type: 'configuration_update' as const, reasoning: { effort } })

  test('the latest effort stays in effect in later turns, whatever the request says', async () => {
    const served = endpoint([answer('Hi.'), answer('Ho.')])
    const { body } = await served.create({
      input: [user(), effort('low'), effort('high')],
      reasoning: { effort: 'medium' },
    })
    expect([body.reasoning.effort, system(served, 0)]).toEqual(['high', expect.stringContaining('Reasoning: high')])
    await served.create({ input: 'Go on.', previous_response_id: body.id })
    expect(system(served, 1)).toContain('Reasoning: high')
  })

  test('a format holds the answer until a later update asks for text', async () => {
    const format = {
      type: 'json_schema',
      name: 'a',
      schema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] },
    }
    const update = (format: object) => ({ type: 'configuration_update' as const, text: { format } })
    const served = endpoint([answer('Hi.'), answer('Ho.')])
    const { body } = await served.create({ input: [user(), update(format)] })
    expect([body.text.format.type, Object.keys(JSON.parse(body.output[0].content[0].text))]).toEqual([
      'json_schema',
      ['a'],
    ])
    const next = await served.create({ input: [user(), update({ type: 'text' })], previous_response_id: body.id })
    expect(next.body.output[0].content[0].text).toBe('Ho.')
  })

  test('a summary of the conversation is not asked for in its format', async () => {
    const format = { type: 'json_schema', name: 'a', schema: { type: 'object', properties: {} } }
    const served = endpoint([answer('A summary.')])
    const input = [
      user(),
      { type: 'configuration_update' as const, text: { format } },
      { type: 'compaction_trigger' as const },
    ]
    expect((await served.create({ input })).status).toBe(200)
    expect(JSON.stringify(served.engine.calls[0]?.messages)).not.toContain('Response Formats')
  })

  test('a schema that cannot be enforced is named where the item has it', async () => {
    const schema = { type: 'object', properties: { a: { $ref: '#/nowhere' } } }
    const format = { type: 'json_schema', name: 'a', strict: true, schema }
    const served = endpoint([answer('Hi.')])
    const input = [user(), { type: 'configuration_update' as const, text: { format } }]
    const { status, body } = await served.create({ input })
    expect([status, body.error.param]).toEqual([400, expect.stringMatching(/^input\[1\]\.text\.format\.schema/)])
  })
})
