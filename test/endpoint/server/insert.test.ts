import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createLiveTimelines } from '../../../src/cli/serve/live-timelines.js'
import type { CompleteItem } from '../../../src/core/items/host/host-item.js'
import { openResponses, vllm } from '../../../src/dialects/index.js'
import type { Entry } from '../../../src/endpoint/journal/entry.js'
import { createNonce, createSeal } from '../../../src/endpoint/seal/index.js'
import type { OwnedResponse, ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import { HarmonyResponsesError } from '../../../src/shared/errors.js'
import { answer, call } from '../../../src/testing/index.js'
import { itemSpecimens } from '../../judge/conformance/schemas/specimens.js'
import { runs } from '../../support/runs.js'
import { keyOf } from '../seal/seals.js'
import { type Endpoint, type Event, endpoint, tokenTable } from './endpoint.js'
import { connect, create as createOnSocket, faultsIn, responseOf, serve } from './web-socket/sockets.js'

const CODE = { type: 'code_interpreter', container: { type: 'auto' } } as const
const IMAGE = { type: 'image_generation_call', status: 'completed', result: 'iVBORw0KGgo=' }
const SEARCH = { type: 'file_search_call', status: 'completed', queries: ['otters'], results: null }
const SAID = {
  type: 'message',
  role: 'assistant',
  status: 'completed',
  phase: 'commentary',
  content: [{ type: 'output_text', text: 'Look.', annotations: [], logprobs: [] }],
}

const SCREEN = { columns: 120, hasColors: false }

/** A model that draws, and then answers. */
const drawing: Tool = {
  answers: () => true,
  async run(_call, { insert }) {
    insert(IMAGE)
    return { output: 'The user sees the image.' }
  },
}

const typesIn = (output: readonly { readonly type: string }[]): string[] => output.map(({ type }) => type)
const inserting =
  (...items: CompleteItem[]) =>
  ({ insert }: OwnedResponse): void =>
    void items.map((item) => insert(item))

/** An endpoint whose tool draws at its first call. */
const drawingEndpoint = (options: Partial<ResponsesAppOptions> = {}): ReturnType<typeof endpoint<never[]>> =>
  endpoint([call('python', 'draw()'), answer('Here.'), answer('Bluer.')] as never[], { tools: [drawing], ...options })

/** An endpoint whose host inserts items into each first response. */
const insertingEndpoint = (
  ...items: CompleteItem[]
): Endpoint & { readonly engine: { readonly calls: readonly Prompt[] } } =>
  endpoint(() => answer('Hi.'), { response: { onOpen: inserting(...items) } })

interface Prompt {
  readonly messages: readonly { readonly content: string }[]
}

const said = (prompt: Prompt | undefined): string[] => prompt?.messages.slice(1).map(({ content }) => content) ?? []

describe('an image that a tool inserts', () => {
  test('an image that a tool inserts is streamed before the result of the call', async () => {
    const { stream } = drawingEndpoint()
    const events = await stream('/responses', { input: 'Draw.', tools: [CODE] })
    const types = events.map(({ type }) => type)
    const at = (type: string): number => types.indexOf(`response.${type}`)
    expect(at('image_generation_call.completed')).toBeGreaterThan(at('code_interpreter_call_code.done'))
    expect(at('code_interpreter_call.completed')).toBeGreaterThan(at('image_generation_call.completed'))
  })

  test('an image that a tool inserts is kept in the response, its events, and the input of the next response', async () => {
    const { create, ask, stream } = drawingEndpoint()
    const { body } = await create({ input: 'Draw.', tools: [CODE] })
    const [, image] = body.output
    expect(image).toEqual({ ...IMAGE, id: expect.stringMatching(/^ig_/) })
    expect((await ask('GET', `/responses/${body.id}`)).body.output[1]).toEqual(image)
    const events = await stream(`/responses/${body.id}?stream=true`)
    expect(events.filter(({ type }) => type.includes('image_generation_call'))).toHaveLength(3)
    const next = await create({ input: 'Bluer!', tools: [CODE], previous_response_id: body.id })
    const { data } = (await ask('GET', `/responses/${next.body.id}/input_items?order=asc`)).body
    expect(data[2]).toEqual(image)
  })

  test('the model does not read an image that a tool inserts, only the result of the call', async () => {
    const { create, engine } = drawingEndpoint()
    const { body } = await create({ input: 'Draw.', tools: [CODE] })
    await create({ input: 'Bluer!', tools: [CODE], previous_response_id: body.id })
    const prompts = (engine as unknown as { calls: readonly Prompt[] }).calls
    expect(said(prompts[2])).toEqual(['Draw.', 'draw()', 'The user sees the image.', 'Here.', 'Bluer!'])
  })

  test('an image that a tool inserts can be sent back by a client that keeps the conversation itself', async () => {
    const { create } = drawingEndpoint()
    const first = await create({ input: 'Draw.', tools: [CODE], store: false })
    const input = [{ role: 'user', content: 'Draw.' }, ...first.body.output, { role: 'user', content: 'Bluer!' }]
    const next = await create({ input, tools: [CODE], store: false })
    expect(next.body.output[0].content[0].text).toBe('Bluer.')
  })
})

describe('an item that the host inserts by onOpen', () => {
  test('an item that onOpen inserts belongs to the response that onOpen was told of, and to its owner', async () => {
    const told: [owner: string, id: string, input: unknown][] = []
    const { create } = endpoint(() => answer('Hi.'), {
      response: {
        onOpen({ owner, id, request, insert }) {
          told.push([owner, id, request.input])
          insert({ type: 'of', name: owner })
        },
      },
    })
    const bodies = await Promise.all(
      ['ann', 'bob'].map(async (owner) => (await create({ input: owner }, { authorization: `Bearer ${owner}` })).body),
    )
    expect(bodies.map(({ output }) => output[0])).toEqual([
      { type: 'of', name: 'ann', id: expect.any(String) },
      { type: 'of', name: 'bob', id: expect.any(String) },
    ])
    // Which of two requests at once is opened first is not promised.
    told.sort(([one], [other]) => one.localeCompare(other))
    expect(told.map(([owner, id]) => [owner, id])).toEqual([
      ['ann', bodies[0].id],
      ['bob', bodies[1].id],
    ])
    expect(told.map(([, , input]) => (input as { content: { text: string }[] }[])[0]?.content[0]?.text)).toEqual([
      'ann',
      'bob',
    ])
  })

  test('a file search that onOpen inserts is left out of the next prompt', async () => {
    const { create, engine } = insertingEndpoint(SEARCH)
    const { body } = await create({ input: 'One' })
    expect(typesIn(body.output)).toEqual(['file_search_call', 'message'])
    await create({ input: 'Two', previous_response_id: body.id })
    expect(said(engine.calls[1])).toEqual(['One', 'Hi.', 'Two'])
  })

  test('a message that onOpen inserts is a message of the assistant in the next prompt', async () => {
    const { create, engine } = insertingEndpoint(SAID)
    const { body } = await create({ input: 'One' })
    await create({ input: 'Two', previous_response_id: body.id })
    expect(said(engine.calls[1])).toEqual(['One', 'Look.', 'Hi.', 'Two'])
  })

  test('a compaction that onOpen inserts is read by the model if the seal of the endpoint opens it', async () => {
    const seal = createSeal([{ id: 'k1', key: keyOf(7) }])
    const { create, engine } = endpoint(() => answer('Hi.'), {
      seal,
      response: {
        onOpen({ owner, insert, request }) {
          if (request.previous_response_id !== undefined) return
          const { sealCompaction } = seal.forResponse({ caller: owner, nonce: createNonce() })
          insert({ type: 'compaction', id: 'cmp_1', encrypted_content: sealCompaction('They said hi.', 'cmp_1') })
        },
      },
    })
    const { body } = await create({ input: 'One' })
    expect(typesIn(body.output)).toEqual(['compaction', 'message'])
    await create({ input: 'Two', previous_response_id: body.id })
    const summary = 'A summary of the conversation so far:\n\nThey said hi.'
    expect(said((engine as unknown as { calls: readonly Prompt[] }).calls[1])).toEqual(['One', summary, 'Hi.', 'Two'])
  })

  test.each<[what: string, item: CompleteItem, code: string]>([
    ['a compaction that nobody sealed', { type: 'compaction', encrypted_content: 'gAAA' }, 'invalid_encrypted_content'],
    ['an item of a type that no prompt has', { type: 'chart', points: [1, 2] }, 'invalid_value'],
  ])('a conversation cannot be continued if onOpen inserts %s', async (_what, item, code) => {
    const { create } = insertingEndpoint(item)
    const { body } = await create({ input: 'One' })
    expect(body.status).toBe('completed')
    const next = await create({ input: 'Two', previous_response_id: body.id })
    expect([next.status, next.body.error.param, next.body.error.code]).toEqual([400, 'previous_response_id', code])
  })

  test('an item that onOpen inserts is worded by the dialect', async () => {
    const { send } = endpoint(() => answer('Hi.'), { dialect: openResponses, response: { onOpen: inserting(IMAGE) } })
    const init = { method: 'POST', body: JSON.stringify({ model: 'x', input: 'Hi', stream: true }) }
    const text = await (await send('/v1/responses', init)).text()
    expect(text).toContain('event: openai:response.image_generation_call.completed\n')
  })

  test('an item that onOpen inserts is an event on a socket', async () => {
    const { engine } = endpoint(() => answer('Hi.'))
    const client = await connect(await serve({ engine, response: { onOpen: inserting(IMAGE) } }))
    client.send(createOnSocket('Hi'))
    const frames = await client.answer()
    expect(faultsIn(frames)).toEqual([])
    expect(typesIn(responseOf(frames).output)).toEqual(['image_generation_call', 'message'])
  })

  test('Chat Completions has nothing but the text of the items that onOpen inserts', async () => {
    // As little as `hostItem` takes.
    const bare = { ...SAID, content: [{ type: 'output_text', text: 'Look.' }] }
    const { ask, send } = insertingEndpoint(IMAGE, SEARCH, { type: 'chart', points: [] }, bare, { type: 'reasoning' })
    const body = { model: 'gpt-oss', messages: [{ role: 'user', content: 'Hi' }] }
    const whole = await ask('POST', '/chat/completions', body)
    expect(whole.body.choices[0].message).toEqual({ role: 'assistant', content: 'Look.\n\nHi.', refusal: null })
    const init = { method: 'POST', body: JSON.stringify({ ...body, stream: true }) }
    const chunks = [...(await (await send('/v1/chat/completions', init)).text()).matchAll(/"content":"([^"]*)"/g)]
    expect(chunks.map(([, text]) => text).join('')).toBe('Look.\\n\\nHi.')
  })

  test('an item that onOpen inserts stands in the timeline', async () => {
    const entries: [string, Entry][] = []
    const { create } = endpoint(() => answer('Hi.'), {
      response: { onOpen: inserting(IMAGE) },
      onEntry: (id, entry) => void entries.push([id, entry]),
    })
    await create({ input: 'Hi' })
    let lines = ''
    const timelines = createLiveTimelines({ tokenTable }, SCREEN, (text) => {
      lines += text
    })
    for (const [id, entry] of entries) timelines.take(id, entry)
    expect(lines).toMatch(/^.*item.*image_generation_call.*$/m)
  })
})

/** Items of every type, with fields that may be anything. */
function anyItem(): fc.Arbitrary<CompleteItem> {
  const any = fc.constantFrom<unknown>('', 'text', null, 7, true, [], {}, [null], [{}], { type: 'search' })
  const part = fc.record(
    {
      type: fc.constantFrom('output_text', 'refusal', 'reasoning_text', 'summary_text', 'odd'),
      ...{ text: any, refusal: any, annotations: any, logprobs: any },
    },
    { requiredKeys: ['type'] },
  )
  const list = fc.oneof(fc.array(part, { maxLength: 2 }), any)
  const types = Object.values(itemSpecimens).map(({ type }) => type)
  return fc.record(
    {
      type: fc.constantFrom('odd', ...types),
      role: fc.constant('assistant'),
      ...{ content: list, summary: list, outputs: list, results: list, action: any, error: any, arguments: any },
      ...{ status: any, phase: any, code: any, queries: any, result: any, name: any, output: any, environment: any },
    },
    { requiredKeys: ['type', 'role'] },
  )
}

test.each(['openai', 'open-responses', 'vllm'])(
  'no item that is taken breaks an answer, worded as %s',
  async (wording) => {
    const dialects = { 'open-responses': openResponses, vllm }
    const dialect = dialects[wording as keyof typeof dialects]
    await fc.assert(
      fc.asyncProperty(anyItem(), async (item) => {
        const errors: unknown[] = []
        const entries: [string, Entry][] = []
        const { ask, send, create } = endpoint(() => answer('Hi.'), {
          ...(dialect && { dialect }),
          response: { onOpen: ({ insert }) => void insert(item) },
          onError: (error) => void errors.push(error),
          onEntry: (id, entry) => void entries.push([id, entry]),
        })
        const { status, body } = await create({ input: 'Hi' })
        expect([status, body.status]).toEqual([200, 'completed'])
        const chat = { model: 'x', messages: [{ role: 'user', content: 'Hi' }] }
        expect((await ask('POST', '/chat/completions', chat)).status).toBe(200)
        for (const [path, given] of [
          ['responses', { model: 'x', input: 'Hi' }],
          ['chat/completions', chat],
        ] as const) {
          const answered = await send(`/v1/${path}`, {
            method: 'POST',
            body: JSON.stringify({ ...given, stream: true }),
          })
          expect(await answered.text()).toMatch(/response\.completed|"finish_reason":"stop"/)
        }
        expect((await ask('GET', `/responses/${body.id}`)).body.output).toEqual(body.output)
        const timelines = createLiveTimelines({ tokenTable }, SCREEN, () => {})
        for (const [id, entry] of entries) timelines.take(id, entry)
        // The host is told only that an item was refused.
        for (const error of errors) expect(error).toBeInstanceOf(HarmonyResponsesError)
      }),
      { numRuns: runs(150) },
    )
  },
)

test('the events of an item agree with the stored response', async () => {
  const { stream, ask } = insertingEndpoint(IMAGE, SEARCH, SAID)
  const events: Event[] = await stream('/responses', { input: 'Hi' })
  const { response } = events.at(-1) as Event
  expect((await ask('GET', `/responses/${response.id}`)).body.output).toEqual(response.output)
})
