import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import { createSeal } from '../../../src/endpoint/seal/index.js'
import type { ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { functionTools } from '../../../src/endpoint/tools/functions.js'
import { answer, call, type Script, think } from '../../../src/testing/index.js'
import { CONVERSATION, dice, MIXED, readBy } from './dice-and-weather.js'
import { endpoint } from './endpoint.js'

/* Tests what the model knows, in its next turn, about calls of the server that a client of Messages is not shown. */

type Block = Record<string, unknown> & { type: string }
interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly Block[]
}

const TOOLS = [{ name: 'get_weather', input_schema: { type: 'object', properties: {} } }]
/** The model calls the server's tool alone. */
const ALONE: Script = [[think('I roll.'), call('dice.roll', {})], [think('A four.'), answer('A 4.')], answer('Again.')]

const KEY = { id: 'k', key: new Uint8Array(32).fill(7) }
const offering = (script: Script, options: Partial<ResponsesAppOptions> = {}) =>
  endpoint(script, {
    ...{ tools: [dice], offered: { tools: [dice.declaration] }, seal: createSeal([KEY]) },
    ...options,
  })
type Served = ReturnType<typeof offering>

const SHOWN = { thinking: { type: 'adaptive' } }
const QUESTION: Message = { role: 'user', content: 'Roll, and the weather?' }

/** Sends a request, and returns the blocks of the answer. */
async function ask(served: Served, messages: readonly Message[], given: object = SHOWN, key = 'ann'): Promise<Block[]> {
  const body = { max_tokens: 1000, tools: TOOLS, messages, ...given }
  const { status, body: sent } = await served.ask('POST', '/messages', body, { 'x-api-key': key })
  expect(status, JSON.stringify(sent)).toBe(200)
  return sent.content as Block[]
}

/** Sends a request with a stream of the SDK. */
async function streamed({ fetch }: Served, question: Message): Promise<Block[]> {
  const send: typeof globalThis.fetch = async (url, init) => await fetch(new Request(url, init))
  const anthropic = new Anthropic({ baseURL: 'http://localhost', apiKey: 'ann', maxRetries: 0, fetch: send })
  const stream = anthropic.messages.stream({
    ...{ model: 'gpt-oss', max_tokens: 1000, tools: TOOLS as Anthropic.Tool[], thinking: { type: 'adaptive' } },
    messages: [question as Anthropic.MessageParam],
  })
  return (await stream.finalMessage()).content as unknown as Block[]
}

const resultsOf = (content: readonly Block[]): Message => ({
  role: 'user',
  content: content.flatMap(({ type, id }) =>
    type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'rain' }] : [],
  ),
})
const isThinking = ({ type }: Block): boolean => type.endsWith('thinking')
/** The ids that the model read in a call. */
const promptOf = ({ engine }: Served, at: number): number[] => Array.from(engine.calls.at(at)?.tokens ?? [])

describe('Messages with offered tools', () => {
  test('the calls that a client is not shown come back with its own call, to the very ids', async () => {
    const served = offering(MIXED)
    const content = await ask(served, [QUESTION])
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'thinking', 'tool_use'])
    await ask(served, [QUESTION, { role: 'assistant', content }, resultsOf(content)])
    expect(readBy(served)).toEqual(CONVERSATION)
    const before = promptOf(served, 1)
    expect(promptOf(served, 2).slice(0, before.length)).toEqual(before)
  })

  test.each([
    ['another process with the same key', SHOWN],
    ['another process, though its client asks for no thinking', {}],
    ['another process, though its client is shown none of it', { thinking: { type: 'adaptive', display: 'omitted' } }],
  ])('they are known to %s', async (_, given) => {
    const content = await ask(offering(MIXED, { offeredCalls: 'hidden' }), [QUESTION], given)
    const other = offering([answer('A 4 and rain.')])
    await ask(other, [QUESTION, { role: 'assistant', content }, resultsOf(content)], given)
    expect(readBy(other)).toEqual(CONVERSATION)
  })

  test('they are known to the process that ran them where a client drops its thinking blocks', async () => {
    const served = offering(MIXED)
    const content = (await ask(served, [QUESTION])).filter((block) => !isThinking(block))
    await ask(served, [QUESTION, { role: 'assistant', content }, resultsOf(content)])
    expect(readBy(served)).toEqual(CONVERSATION)
  })

  test('a client learns nothing of another owner by the id of a call', async () => {
    const served = offering(MIXED)
    const content = (await ask(served, [QUESTION])).filter((block) => !isThinking(block))
    await ask(served, [QUESTION, { role: 'assistant', content }, resultsOf(content)], SHOWN, 'bob')
    expect(readBy(served).filter((line) => line.startsWith('tool'))).toEqual(['tool: rain'])
  })

  test.each([
    ['shown', SHOWN],
    ['not asked for', {}],
  ])('those in front of an answer are known in the next question, with thinking %s', async (_, given) => {
    const served = offering(ALONE)
    const content = await ask(served, [QUESTION], given)
    const text = content.filter(({ type }) => type === 'text')
    expect([text.length, given === SHOWN || content[0]?.type === 'text']).toEqual([1, true])
    await ask(served, [QUESTION, { role: 'assistant', content }, { role: 'user', content: 'Again?' }], given)
    expect(readBy(served).filter((line) => line.startsWith('tool'))).toEqual(['tool: 4'])
  })

  test('a turn that a client sends twice brings its calls back once', async () => {
    const served = offering(ALONE)
    const content = await ask(served, [QUESTION])
    const turn: Message[] = [QUESTION, { role: 'assistant', content }, { role: 'user', content: 'Again?' }]
    await ask(served, [...turn, ...turn])
    expect(readBy(served).filter((line) => line.startsWith('tool'))).toEqual(['tool: 4'])
  })

  test('content that was sealed with a removed key is left out, and the rest is read', async () => {
    const content = await ask(offering(ALONE), [QUESTION])
    const other = offering([answer('Again.')], { seal: createSeal([{ id: 'new', key: new Uint8Array(32).fill(9) }]) })
    await ask(other, [QUESTION, { role: 'assistant', content }, { role: 'user', content: 'Again?' }])
    expect(readBy(other).filter((line) => !line.startsWith('assistant: A four'))).not.toContain('tool: 4')
    expect(readBy(other)).toContain('assistant: A 4.')
  })

  test('a seal of a call that was changed is refused by its place in the body', async () => {
    const served = offering(ALONE)
    const content = await ask(served, [QUESTION], {})
    const damaged = content.map((block) =>
      block.type === 'redacted_thinking' ? { ...block, data: changed(block['data'] as string) } : block,
    )
    const messages = [QUESTION, { role: 'assistant', content: damaged }, { role: 'user', content: 'Again?' }]
    const { status, body } = await served.ask('POST', '/messages', { max_tokens: 9, messages }, { 'x-api-key': 'ann' })
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('messages[1].content[1].data')])
  })

  test('a seal of a call that belongs to another owner is refused by its place in the body', async () => {
    const served = offering(ALONE)
    const content = await ask(served, [QUESTION], {})
    const messages = [QUESTION, { role: 'assistant', content }, { role: 'user', content: 'Again?' }]
    const { status, body } = await served.ask('POST', '/messages', { max_tokens: 9, messages }, { 'x-api-key': 'bob' })
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('messages[1].content[1].data')])
    expect(served.engine.calls).toHaveLength(2)
  })

  test('a call beside one of the client comes back in front of it', async () => {
    const both: Script = [
      [think('Both.'), call('dice.roll', {}), call('functions.get_weather', {})],
      answer('A 4 and rain.'),
    ]
    const served = offering(both)
    const content = await streamed(served, QUESTION)
    await ask(served, [QUESTION, { role: 'assistant', content }, resultsOf(content)])
    expect(readBy(served)).toEqual([
      'user: Roll, and the weather?',
      'assistant: Both.',
      ...['assistant: {}', 'assistant: {}', 'tool: 4', 'tool: rain'],
    ])
  })

  test('a call that is too large for a signature is known to the process that ran it', async () => {
    const book = functionTools('dice', {
      roll: {
        description: 'Reads.',
        parameters: { type: 'object', properties: {} },
        run: () => ' international'.repeat(20_000),
      },
    })
    const served = offering(MIXED, { tools: [book], offered: { tools: [book.declaration] } })
    const content = await ask(served, [QUESTION])
    expect(JSON.stringify(content).length).toBeLessThan(10_000)
    await ask(served, [QUESTION, { role: 'assistant', content }, resultsOf(content)])
    expect(readBy(served).map((line) => line.slice(0, 20))).toContain('tool:  international')
  })

  test('the count of tokens has them', async () => {
    const served = offering(ALONE)
    const content = await ask(served, [QUESTION])
    const messages = [QUESTION, { role: 'assistant', content }, { role: 'user', content: 'Again?' }]
    const count = await served.ask('POST', '/messages/count_tokens', { messages, tools: TOOLS }, { 'x-api-key': 'ann' })
    await ask(served, messages as Message[])
    expect(count.body.input_tokens).toBe(promptOf(served, -1).length)
  })
})

/** Another letter in the last seal of a signature. */
function changed(data: string): string {
  const at = data.indexOf('hr1.call.') + 60
  return data.slice(0, at) + (data[at] === 'A' ? 'B' : 'A') + data.slice(at + 1)
}
