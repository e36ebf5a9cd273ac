import { describe, expect, test } from 'vitest'
import { promptMessages } from '../../../src/endpoint/prompt/prompt-messages.js'

const user = { role: 'user', content: 'Weather?' }
const said = { role: 'assistant', content: 'Let me look.' }
const thought = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] }
const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
const output = { type: 'function_call_output', call_id: 'c1', output: '18 C' }
const search = { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'x' } }

function channelsOf(...input: object[]): (string | undefined)[] {
  const messages = promptMessages({ input }, { date: '2026-01-31' })
  return messages.filter(({ role }) => role === 'assistant' || role === 'user').map(({ channel }) => channel)
}

describe('a message of the assistant without a phase', () => {
  test.each<[string, object[]]>([
    ['a call', [user, said, call, output]],
    ['an output, because the client puts it behind its call', [user, call, said, output]],
    ['reasoning and a call', [user, said, thought, call, output]],
    ['a call of a hosted tool', [user, said, search]],
  ])('a message without a phase is a preamble before %s', (_what, input) => {
    expect(channelsOf(...input)).toContain('commentary')
    expect(channelsOf(...input)).not.toContain('final')
  })

  test.each<[string, object[]]>([
    ['nothing', [user, said]],
    ['the next message of the user, who is then answered with a call', [user, said, user, call, output]],
    ['the next instructions', [user, said, { role: 'developer', content: 'Go on.' }, call, output]],
    ['more of the answer', [user, said, said]],
  ])('a message without a phase is an answer before %s', (_what, input) => {
    expect(channelsOf(...input)).toContain('final')
  })

  test('a message without a phase keeps the reasoning of a tool loop, as a preamble does', () => {
    const withPhase = { ...said, phase: 'commentary' }
    const loop = (message: object): object[] => [user, thought, message, call, output]
    const read = (input: object[]) => promptMessages({ input }, { date: '2026-01-31' })
    expect(read(loop(said))).toEqual(read(loop(withPhase)))
    expect(channelsOf(...loop(said))).toContain('analysis')
  })

  test('a message with a phase is what the phase says', () => {
    expect(channelsOf(user, { ...said, phase: 'final_answer' }, call, output)).toContain('final')
  })
})
