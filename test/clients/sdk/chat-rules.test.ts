import { describe, expect, test } from 'vitest'
import { accumulated } from '../../dialects/chat/sdk.js'
import { BASES, type BaseName, type Damage, type Draft, reported } from '../../judge/conformance/chat/streams.js'

/** The result of the openai SDK's `chat.completions.stream()` for a stream. */
async function received(base: BaseName, damage?: Damage): Promise<Draft> {
  const draft = structuredClone(BASES[base]) as Draft[]
  const chunks = (damage?.(draft) as Draft[] | undefined) ?? draft
  const frames = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`)
  return accumulated(new Response(frames.join(''), { headers: { 'content-type': 'text/event-stream' } }))
}

const call = (chunk: Draft): Draft => chunk.choices[0].delta.tool_calls[0]

/** Takes a field out of something in a stream. */
const without =
  (of: (chunks: Draft[]) => Draft, field: string): Damage =>
  (chunks) => {
    delete of(chunks)[field]
  }

describe('the rules say what the openai SDK does:', () => {
  test('it takes the good streams as they are meant', async () => {
    expect((await received('text')).choices[0].message.content).toBe('Hi!')
    expect((await received('text')).usage.total_tokens).toBe(7)
    const { message } = (await received('calls')).choices[0]
    expect(message.tool_calls.map(({ id }: Draft) => id)).toEqual(['call_1', 'call_2'])
    expect((await received('custom')).choices[0].message.tool_calls[0].custom.input).toBe('not {JSON')
    expect((await received('old')).choices[0].message.function_call).toEqual({ name: 'f', arguments: '{}' })
  })

  test.each<[string, BaseName, Damage, RegExp]>([
    ['chat-role-first', 'text', without((chunks) => chunks[0].choices[0].delta, 'role'), /missing role for choice 0/],
    ['chat-finish-once', 'text', (chunks) => chunks.toSpliced(3, 1), /missing finish_reason for choice 0/],
    ['chat-choice-index', 'text', without((chunks) => chunks[1].choices[0], 'index'), /invalid choice index/],
    ['chat-call-index', 'call', without((chunks) => call(chunks[2]), 'index'), /invalid tool call index/],
    ['chat-call-begins', 'call', without((chunks) => call(chunks[1]), 'type'), /missing `type`/],
    ['chat-error-last', 'failed', (chunks) => [...chunks, chunks[1]], /no/],
  ])('%s: it throws', async (rule, base, damage, message) => {
    await expect(received(base, damage)).rejects.toThrow(message)
    expect(reported(base, damage).join()).toContain(rule)
  })

  test('chat-id-named: it skips the usage of a chunk without an id', async () => {
    const nameless: Damage = (chunks) => {
      chunks[4].id = ''
    }
    expect((await received('text', nameless)).usage).toBe(null)
  })

  test('chat-call-goes-on: it replaces the first name or id by a second one', async () => {
    const again: Damage = (chunks) => {
      Object.assign(call(chunks[2]), { id: 'call_2' })
      call(chunks[2]).function.name = 'g'
    }
    const [taken] = (await received('call', again)).choices[0].message.tool_calls
    expect(taken).toMatchObject({ id: 'call_2', function: { name: 'g' } })
    expect(reported('call', again)).toEqual(['2 chat-call-goes-on', '2 chat-call-goes-on'])
  })

  test('chat-calls-one-form: it drops tool_calls beside a function_call', async () => {
    const both: Damage = (chunks) => {
      chunks[3].choices[0].delta.function_call = { name: 'f', arguments: '{}' }
    }
    expect((await received('call', both)).choices[0].message.tool_calls).toBeUndefined()
  })

  test('chat-nothing-after-finish: it continues, with content that others have not shown', async () => {
    const late: Damage = (chunks) => {
      chunks.splice(2, 0, ...chunks.splice(3, 1))
    }
    expect((await received('text', late)).choices[0].message.content).toBe('Hi!')
  })
})
