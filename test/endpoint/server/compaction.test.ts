import { describe, expect, test } from 'vitest'
import { createLiveTimelines } from '../../../src/cli/serve/live-timelines.js'
import type { Entry } from '../../../src/endpoint/journal/entry.js'
import { answer, type ScriptedPrompt, type ScriptedTurn, scriptedEngine } from '../../../src/testing/index.js'
import { type Endpoint, type Event, endpoint, tokenTable } from './endpoint.js'
import { connect, create as createOverSocket, faultsIn, responseOf, serve } from './web-socket/sockets.js'

const SUMMARY = 'The cat is called Miez.'
const LONG = 'All about my cat. '.repeat(300)
const CONTEXT = { context_management: [{ type: 'compaction', compact_threshold: 1000 }] }

const isAskedForSummary = ({ messages }: ScriptedPrompt): boolean =>
  messages.at(-1)?.content.startsWith('Summarize') ?? false
const model = (prompt: ScriptedPrompt): ScriptedTurn =>
  answer(isAskedForSummary(prompt) ? SUMMARY : `${prompt.messages.at(-1)?.content.slice(0, 20)}!`)
const textsOf = (prompt: ScriptedPrompt | undefined): string[] =>
  (prompt?.messages ?? []).slice(1).map(({ content }) => content)
const typesOf = ({ output }: { readonly output: readonly { readonly type: string }[] }): string[] =>
  output.map(({ type }) => type)
const user = (content: string): object => ({ role: 'user', content })
const EARLIER = [user(LONG), { role: 'assistant', content: 'Noted.' }, user('Its name?')]

/** The final response of a stream without findings of the judge. */
async function streamed({ stream }: Endpoint, body: object): Promise<Event['response']> {
  const events = await stream('/responses', { model: 'gpt-oss', ...CONTEXT, ...body })
  return events.at(-1)?.response
}

/** Whether the prompt continues the whole previous one, with its `<|start|>assistant`. */
function goesOn(prompt: ScriptedPrompt | undefined, before: ScriptedPrompt | undefined): boolean {
  return before?.tokens.every((id, at) => prompt?.tokens[at] === id) ?? false
}

describe('context_management', () => {
  test('context_management compacts a conversation that its client sends whole every time, and keeps it compacted', async () => {
    const app = endpoint(model)
    const one = await streamed(app, { input: EARLIER, store: false })
    expect(typesOf(one)).toEqual(['compaction', 'message'])
    const second = [...EARLIER, ...one.output, user('Really?')]
    const two = await streamed(app, { input: second, store: false })
    expect(typesOf(two)).toEqual(['message'])
    const [, before, after] = app.engine.calls
    expect(textsOf(after)).toEqual([expect.stringContaining(SUMMARY), 'Its name?', 'Its name?!', 'Really?'])
    expect(goesOn(after, before)).toBe(true)

    // A client may drop what stands in front of the latest compaction.
    const pruned = await streamed(app, { input: second.slice(EARLIER.length), store: false })
    expect(typesOf(pruned)).toEqual(['message'])
    expect(app.engine.calls[3]?.tokens).toEqual(after?.tokens)
  })

  test('context_management compacts a conversation that continues by previous_response_id as soon as it is too long', async () => {
    const app = endpoint(model)
    // One message has nothing to compact.
    const one = await streamed(app, { input: LONG })
    expect(typesOf(one)).toEqual(['message'])
    const two = await streamed(app, { input: 'Its name?', previous_response_id: one.id })
    expect(typesOf(two)).toEqual(['compaction', 'message'])
    const three = await streamed(app, { input: 'Really?', previous_response_id: two.id })
    expect(typesOf(three)).toEqual(['message'])
    const turns = app.engine.calls.filter((prompt) => !isAskedForSummary(prompt))
    expect(textsOf(turns[2])).toEqual([expect.stringContaining(SUMMARY), 'Its name?', 'Its name?!', 'Really?'])
    expect(goesOn(turns[2], turns[1])).toBe(true)
  })

  test('a compacted response is found again as it was streamed, with the tokens that its summary took', async () => {
    const app = endpoint(model)
    const one = await streamed(app, { input: EARLIER })
    const { body } = await app.ask('GET', `/responses/${one.id}`)
    expect(body).toEqual(one)
    const asked = app.engine.calls.map(({ tokens }) => tokens.length)
    expect(body.usage.input_tokens).toBe((asked[0] ?? 0) + (asked[1] ?? 0))
    expect(body.usage.input_tokens_details.cached_tokens).toBeGreaterThan(0)
    const { body: items } = await app.ask('GET', `/responses/${one.id}/input_items`)
    expect(items.data).toHaveLength(3)
  })

  test('a response in the background is compacted, and its events are read again', async () => {
    const app = endpoint(model)
    const { body } = await app.create({ ...CONTEXT, input: EARLIER, background: true })
    const events = await app.stream(`/responses/${body.id}?stream=true`)
    expect(typesOf(events.at(-1)?.response)).toEqual(['compaction', 'message'])
  })

  test('the SDK accumulates a stream with a compaction in it', async () => {
    const { client } = endpoint(model)
    const stream = client().responses.stream({ model: 'gpt-oss', input: EARLIER as never, ...(CONTEXT as object) })
    const response = await stream.finalResponse()
    expect(typesOf(response)).toEqual(['compaction', 'message'])
    expect(response.output_text).toBe('Its name?!')
  })

  test('a compaction of another caller is refused, and its conversation is not shown', async () => {
    const { create } = endpoint(model)
    const { body } = await create({ ...CONTEXT, input: EARLIER, store: false }, { authorization: 'Bearer ann' })
    const stolen = await create({ input: [body.output[0], user('What do you know?')] }, { authorization: 'Bearer bob' })
    expect([stolen.status, stolen.body.error.code]).toEqual([400, 'invalid_encrypted_content'])
  })

  test.each<[string, unknown, string, string]>([
    [
      'is too low',
      [{ type: 'compaction', compact_threshold: 999 }],
      '[0].compact_threshold',
      'integer_below_min_value',
    ],
    ['is no number', [{ type: 'compaction', compact_threshold: '9' }], '[0].compact_threshold', 'invalid_type'],
    ['is of another type', [{ type: 'truncation', compact_threshold: 2000 }], '[0].type', 'invalid_value'],
    ['is missing its type', [{ compact_threshold: 2000 }], '[0].type', 'missing_required_parameter'],
    [
      'comes twice',
      [{ type: 'compaction' }, { type: 'compaction', compact_threshold: 2000 }],
      '',
      'array_above_max_length',
    ],
  ])('a context_management that %s is refused', async (_how, context_management, at, code) => {
    const { create, engine } = endpoint(model)
    const { status, body } = await create({ input: 'Hi', context_management })
    expect([status, body.error.param, body.error.code]).toEqual([400, `context_management${at}`, code])
    expect(engine.calls).toHaveLength(0)
  })

  test('input_tokens counts the conversation as it is before it is compacted', async () => {
    const { ask, create } = endpoint(model)
    const body = { model: 'gpt-oss', input: LONG }
    const counted = await ask('POST', '/responses/input_tokens', { ...body, ...CONTEXT })
    expect(counted.body.input_tokens).toBe((await create(body)).body.usage.input_tokens)
  })

  test('the timeline of a compacted response has the compaction, and the counts of the response', async () => {
    const entries: [string, Entry][] = []
    const { create } = endpoint(model, { onEntry: (id, entry) => void entries.push([id, entry]) })
    const { body } = await create({ ...CONTEXT, input: EARLIER })
    let lines = ''
    const screen = { columns: 120, hasColors: false }
    const timelines = createLiveTimelines({ tokenTable }, screen, (text) => {
      lines += text
    })
    for (const [id, entry] of entries) timelines.take(id, entry)
    expect(lines).toMatch(/^ *compaction .*$/m)
    expect(lines).toContain(String(body.usage.output_tokens))
  })

  test('a WebSocket continues from a compacted response that is not stored', async () => {
    const engine = scriptedEngine(model, { tokenTable })
    const client = await connect(await serve({ engine }))
    client.send(createOverSocket(EARLIER, { store: false, ...CONTEXT }))
    const first = await client.answer()
    expect(faultsIn(first)).toEqual([])
    expect(typesOf(responseOf(first) as never)).toEqual(['compaction', 'message'])
    client.send(createOverSocket('Really?', { store: false, previous_response_id: responseOf(first).id }))
    await client.answer()
    expect(textsOf(engine.calls[2])).toEqual([expect.stringContaining(SUMMARY), 'Its name?', 'Its name?!', 'Really?'])
    expect(goesOn(engine.calls[2], engine.calls[1])).toBe(true)
  })

  test('a WebSocket prepares a long conversation without compacting it', async () => {
    const engine = scriptedEngine(model, { tokenTable })
    const client = await connect(await serve({ engine }))
    client.send(createOverSocket(EARLIER, { generate: false, ...CONTEXT }))
    expect(typesOf(responseOf(await client.answer()) as never)).toEqual([])
    expect(engine.calls).toHaveLength(0)
  })
})
