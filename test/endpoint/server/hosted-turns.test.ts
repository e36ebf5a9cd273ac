import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { createHostedTurns } from '../../../src/endpoint/server/hosted-turns.js'
import type { ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { answer, call, type Script, think } from '../../../src/testing/index.js'
import { CONVERSATION, dice, MIXED, readBy } from './dice-and-weather.js'
import { endpoint } from './endpoint.js'

/* Chat Completions has no field for the calls that the host ran before a client's call. */

const TOOLS = [
  { type: 'function' as const, function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } },
]

const offering = (options: Partial<ResponsesAppOptions> = {}, script: Script = MIXED) =>
  endpoint(script, { tools: [dice], offered: { tools: [dice.declaration] }, ...options })

type Message = OpenAI.ChatCompletionMessageParam
interface Asking {
  readonly messages: readonly Message[]
  readonly key?: string
}

/** Sends a request with the client's tool. Returns the message of the model. */
async function ask(
  { ask: send }: ReturnType<typeof offering>,
  { messages, key = 'ann' }: Asking,
): Promise<{ status: number; error?: { message: string }; message: OpenAI.ChatCompletionMessage }> {
  const body = { model: 'gpt-oss', messages, tools: TOOLS }
  const { status, body: sent } = await send('POST', '/chat/completions', body, { authorization: `Bearer ${key}` })
  return { status, error: sent.error, message: sent.choices?.[0].message as OpenAI.ChatCompletionMessage }
}

const QUESTION: Message = { role: 'user', content: 'Roll, and the weather?' }
const resultOf = ({ tool_calls: [made] = [] }: OpenAI.ChatCompletionMessage): Message => ({
  role: 'tool',
  tool_call_id: made?.id ?? '',
  content: 'rain',
})

describe('Chat Completions with offered tools', () => {
  test('the model knows the calls that it made before a call of the client when the client sends its result', async () => {
    const served = offering()
    const { message } = await ask(served, { messages: [QUESTION] })
    await ask(served, { messages: [QUESTION, message, resultOf(message)] })
    expect(readBy(served)).toEqual(CONVERSATION)
  })

  test('the model knows them whatever the client keeps of a message but the ids of its calls', async () => {
    const served = offering({ offeredCalls: 'hidden', chat: { reasoning: 'hidden' } })
    const { message } = await ask(served, { messages: [QUESTION] })
    const bare: Message = { role: 'assistant', content: null, tool_calls: message.tool_calls ?? [] }
    await ask(served, { messages: [QUESTION, bare, resultOf(message)] })
    expect(readBy(served)).toEqual(CONVERSATION)
  })

  test('a stream is kept as a whole answer is', async () => {
    const served = offering()
    const runner = served
      .client('ann')
      .chat.completions.stream({ model: 'gpt-oss', messages: [QUESTION], tools: TOOLS })
    const { message } = (await runner.finalChatCompletion()).choices[0] as OpenAI.ChatCompletion.Choice
    await ask(served, { messages: [QUESTION, message, resultOf(message)] })
    expect(readBy(served)).toEqual(CONVERSATION)
  })

  test('a client that sends the id of a call of another owner learns nothing of it', async () => {
    const served = offering()
    const { message } = await ask(served, { messages: [QUESTION], key: 'ann' })
    await ask(served, { messages: [QUESTION, message, resultOf(message)], key: 'bob' })
    expect(readBy(served).filter((line) => line.startsWith('tool'))).toEqual(['tool: rain'])
  })

  test('a call that a client sends twice brings back what came before it once', async () => {
    const served = offering()
    const { message } = await ask(served, { messages: [QUESTION] })
    const turn = [QUESTION, message, resultOf(message)]
    const { status } = await ask(served, { messages: [...turn, ...turn] })
    expect([status, readBy(served).filter((line) => line === 'tool: 4').length]).toEqual([200, 1])
  })

  test('an error names the message of the client, though items were added before it', async () => {
    const served = offering()
    const { message } = await ask(served, { messages: [QUESTION] })
    const wrong = { role: 'user', content: [{ type: 'image_url', image_url: { url: 7 } }] } as never
    const { error } = await ask(served, { messages: [QUESTION, message, resultOf(message), wrong] })
    expect(error?.message).toContain('messages[3].content[0]')
  })

  test('an answer without calls of the host is nothing to keep', async () => {
    const served = offering({}, [[think('The weather.'), call('functions.get_weather', {})], answer('Rain.')])
    const { message } = await ask(served, { messages: [QUESTION] })
    expect(served.service.memory.by.store).toBe(0)
    await ask(served, { messages: [QUESTION, message, resultOf(message)] })
    expect(readBy(served)).toEqual([
      'user: Roll, and the weather?',
      'assistant: The weather.',
      'assistant: {}',
      'tool: rain',
    ])
  })
})

describe('the stored part of turns', () => {
  const output = (callId: string, size = 10) => [
    { type: 'mcp_call', id: `mcp_${callId}`, output: 'x'.repeat(size) },
    { type: 'function_call', call_id: callId },
  ]
  const added = (turns: ReturnType<typeof createHostedTurns>, callId: string, size?: number): void =>
    turns.note(output(callId, size) as never, 'ann')

  test('the turns that were asked for least recently go where the bytes are used up', () => {
    const turns = createHostedTurns({ clock: () => 0, max: 3000 })
    added(turns, 'one', 400)
    added(turns, 'two', 400)
    expect(turns.before('one', 'ann')).toBeDefined()
    added(turns, 'three', 400)
    expect(['one', 'two', 'three'].map((id) => turns.before(id, 'ann') !== undefined)).toEqual([true, false, true])
    expect(turns.memory.bytes).toBeLessThanOrEqual(3000)
  })

  test('a turn that is larger than all of the bytes is not kept', () => {
    const turns = createHostedTurns({ clock: () => 0, max: 1000 })
    added(turns, 'one', 4000)
    expect([turns.before('one', 'ann'), turns.memory.bytes]).toEqual([undefined, 0])
  })

  test('a turn is dropped when it was not requested for so long', () => {
    let now = 0
    const turns = createHostedTurns({ clock: () => now, seconds: 10 })
    added(turns, 'one')
    now = 9
    expect(turns.before('one', 'ann')).toBeDefined()
    now = 18
    expect(turns.before('one', 'ann')).toBeDefined()
    now = 28
    expect([turns.before('one', 'ann'), turns.memory.bytes]).toEqual([undefined, 0])
  })

  test('the process takes the bytes back where it needs them', () => {
    const turns = createHostedTurns({ clock: () => 0 })
    added(turns, 'one', 400)
    const { bytes } = turns.memory
    expect([turns.memory.reclaim(1), turns.memory.bytes, turns.before('one', 'ann')]).toEqual([bytes, 0, undefined])
  })
})
