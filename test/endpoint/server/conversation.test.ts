import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answer, call, fail, firstTokens, hang, think } from '../../../src/testing/index.js'
import { runs } from '../../support/runs.js'
import { byName, endpoint, readUntil } from './endpoint.js'

const bearer = (owner: string): Record<string, string> => ({ authorization: `Bearer ${owner}` })
const texts = (prompt: { readonly messages: readonly { readonly content: string }[] } | undefined): string[] =>
  prompt?.messages.slice(1).map(({ content }) => content) ?? []
const echo = (): ReturnType<typeof endpoint<() => ReturnType<typeof answer>>> => {
  let count = 0
  return endpoint(() => answer(`Answer ${++count}.`))
}

describe('previous_response_id', () => {
  test('previous_response_id continues with the whole conversation, and branches', async () => {
    const { create, engine } = echo()
    const first = await create({ input: 'One' })
    const second = await create({ input: 'Two', previous_response_id: first.body.id })
    await create({ input: 'Three', previous_response_id: second.body.id })
    await create({ input: 'Other', previous_response_id: first.body.id })
    expect(texts(engine.calls[2])).toEqual(['One', 'Answer 1.', 'Two', 'Answer 2.', 'Three'])
    expect(texts(engine.calls[3])).toEqual(['One', 'Answer 1.', 'Other'])
  })

  test('previous_response_id continues though an earlier response of the chain is deleted', async () => {
    const { create, ask, engine } = echo()
    const first = await create({ input: 'One' })
    const second = await create({ input: 'Two', previous_response_id: first.body.id })
    await ask('DELETE', `/responses/${first.body.id}`)
    expect((await create({ input: 'Three', previous_response_id: second.body.id })).status).toBe(200)
    expect(texts(engine.calls[2])).toEqual(['One', 'Answer 1.', 'Two', 'Answer 2.', 'Three'])
    expect((await create({ input: 'Four', previous_response_id: first.body.id })).status).toBe(400)
  })

  test('a previous_response_id of another owner is answered as one that is made up', async () => {
    const { create } = echo()
    const { body } = await create({ input: 'One' }, bearer('ann'))
    const others = await create({ input: 'Two', previous_response_id: body.id }, bearer('bob'))
    const none = await create({ input: 'Two', previous_response_id: 'resp_none' }, bearer('bob'))
    for (const { status, body } of [others, none]) {
      expect([status, body.error.param, body.error.code]).toEqual([
        400,
        'previous_response_id',
        'previous_response_not_found',
      ])
    }
    expect(others.body.error.message.replace(body.id, 'ID')).toBe(none.body.error.message.replace('resp_none', 'ID'))
  })

  test('previous_response_id cannot be a response that is still running', async () => {
    const { create, ask } = endpoint([[firstTokens(5, answer('Long.')), hang()]])
    const { body } = await create({ input: 'One', background: true })
    const next = await create({ input: 'Two', previous_response_id: body.id })
    expect([next.status, next.body.error.message]).toEqual([400, expect.stringMatching(/still in progress/)])
    await ask('POST', `/responses/${body.id}/cancel`)
  })

  test('previous_response_id continues after a response that failed, with its output so far', async () => {
    const { create, ask, engine } = endpoint([
      [think('Hm.'), firstTokens(6, answer('Half of what there is to say.')), fail()],
      answer('Ok.'),
    ])
    const events = await create({ input: 'One', background: true })
    const id: string = events.body.id
    await untilOver(ask, id)
    expect((await ask('GET', `/responses/${id}`)).body.status).toBe('failed')
    expect((await create({ input: 'Two', previous_response_id: id })).body.status).toBe('completed')
    expect(texts(engine.calls[1])).toEqual(['One', 'Half of what', 'Two'])
  })

  test('previous_response_id leaves out the call that a cancelled response was cut off in', async () => {
    const tools = [{ type: 'function', name: 'pay', parameters: {}, strict: false }]
    const { create, ask, engine, send } = endpoint([
      [firstTokens(12, call('functions.pay', { amount: 1_000_000, to: 'somebody else' })), hang()],
      answer('Ok.'),
    ])
    const { body } = await create({ input: 'Pay', tools, background: true })
    const stream = await send(`/v1/responses/${body.id}?stream=true`)
    await readUntil((stream.body as ReadableStream<Uint8Array>).getReader(), 'response.function_call_arguments.delta')
    await ask('POST', `/responses/${body.id}/cancel`)
    const kept = (await ask('GET', `/responses/${body.id}`)).body
    expect(kept.status).toBe('cancelled')
    expect(kept.output.map(({ type, status }: { type: string; status: string }) => [type, status])).toEqual([
      ['function_call', 'incomplete'],
    ])
    const next = await create({ input: 'Go on', tools, previous_response_id: body.id })
    expect(next.body.status).toBe('completed')
    expect(texts(engine.calls[1]).slice(-2)).toEqual(['Pay', 'Go on'])
  })
})

test('the prompt of a continued conversation begins with the very tokens of the one before', async () => {
  const said = fc.oneof(fc.string(), fc.constantFrom('', ' ', '<|end|>', 'é\u0301', '\ud83d', '  a\n\n'))
  const turn = fc.record({ input: fc.string({ minLength: 1 }), thought: said, answered: said })
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 2, maxLength: 4 }), async (turns) => {
      const script = turns.map(({ thought, answered }) => [think(thought), answer(answered)])
      const { create, engine } = endpoint(script)
      let previous: string | undefined
      for (const { input } of turns) {
        const { body } = await create({ input, ...(previous && { previous_response_id: previous }) })
        previous = body.id
      }
      for (let at = 1; at < turns.length; at++) {
        const [before, after] = [engine.calls[at - 1], engine.calls[at]] as const
        // Up to the model's own turn: its reasoning is left out once it has answered.
        const shared = before?.tokens.subarray(0, -2) ?? []
        expect(Array.from(after?.tokens.subarray(0, shared.length) ?? [])).toEqual(Array.from(shared))
      }
    }),
    { numRuns: runs(60) },
  )
})

describe('item_reference', () => {
  const reference = (id: string): object => ({ type: 'item_reference', id })

  test('an item_reference stands for an item of an earlier response, in any position', async () => {
    const { create, engine } = echo()
    const first = await create({ input: 'One' })
    const id: string = first.body.output[0].id
    await create({ input: [reference(id), { role: 'user', content: 'Two' }] })
    await create({ input: [{ role: 'user', content: 'Two' }, reference(id), { role: 'user', content: 'Three' }] })
    expect(texts(engine.calls[1])).toEqual(['Answer 1.', 'Two'])
    expect(texts(engine.calls[2])).toEqual(['Two', 'Answer 1.', 'Three'])
  })

  test("an item_reference stands for a client's own item, too, by the id that input_items lists", async () => {
    const { create, ask, engine } = echo()
    const first = await create({ input: 'One' })
    const { body } = await ask('GET', `/responses/${first.body.id}/input_items`)
    await create({ input: [reference(body.data[0].id), reference(first.body.output[0].id)] })
    expect(texts(engine.calls[1])).toEqual(['One', 'Answer 1.'])
  })

  test("an item_reference is 404 with its own place if its item is unknown, deleted or another's", async () => {
    const { create, ask } = echo()
    const { body } = await create({ input: 'One' }, bearer('ann'))
    const id: string = body.output[0].id
    const input = [{ role: 'user', content: 'Two' }, reference(id)]
    const before = await create({ input: 'Zero' }, bearer('bob'))
    const others = await create({ input, previous_response_id: before.body.id }, bearer('bob'))
    expect([others.status, others.body.error.param]).toEqual([404, 'input[1].id'])
    await ask('DELETE', `/responses/${body.id}`, undefined, bearer('ann'))
    const deleted = await create({ input }, bearer('ann'))
    expect([deleted.status, deleted.body.error.param]).toEqual([404, 'input[1].id'])
    const unknown = await create({ input: [reference('msg_none')] }, bearer('ann'))
    expect([unknown.status, unknown.body.error.param]).toEqual([404, 'input[0].id'])
  })

  test('an item_reference to reasoning gives the model that very reasoning', async () => {
    const tools = [{ type: 'function', name: 'weather', parameters: {}, strict: false }]
    const { create, engine } = endpoint([[think('I have to look.'), call('functions.weather', {})], answer('Sunny.')])
    const first = await create({ input: 'Weather?', tools })
    const called = first.body.output[1]
    const input = [
      { role: 'user', content: 'Weather?' },
      ...first.body.output.map(({ id }: { id: string }) => reference(id)),
      { type: 'function_call_output', call_id: called.call_id, output: 'Sun' },
    ]
    expect((await create({ input, tools })).status).toBe(200)
    expect(texts(engine.calls[1])).toContain('I have to look.')
  })
})

describe('an error about the conversation', () => {
  test("an error about the conversation names the request's own items, counted without those that came before", async () => {
    const { create } = echo()
    const first = await create({ input: [1, 2, 3].map((n) => ({ role: 'user', content: String(n) })) })
    const broken = [
      { role: 'user', content: 'Hi' },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'hr1.reasoning.damaged' },
    ]
    const alone = await create({ input: broken })
    const later = await create({ input: broken, previous_response_id: first.body.id })
    expect(alone.status).toBe(later.status)
    expect(later.body.error?.param).toBe(alone.body.error?.param)
  })

  test("an error about sealed content counts the request's own items alone", async () => {
    const { createSeal, createNonce } = await import('../../../src/endpoint/seal/index.js')
    const seal = createSeal([{ id: 'k1', key: new Uint8Array(32) }])
    const sealed = seal.forResponse({ caller: 'somebody else', nonce: createNonce() }).seal('secret', 'rs_1')
    const { create } = endpoint(() => answer('Hi'), { seal, authorize: byName })
    const first = await create({ input: [1, 2, 3].map((n) => ({ role: 'user', content: String(n) })) })
    const input = [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: sealed }]
    const { status, body } = await create({ input, previous_response_id: first.body.id })
    expect([status, body.error.code]).toEqual([400, 'invalid_encrypted_content'])
    expect(body.error.param).toBe('input[0].encrypted_content')
    expect(body.error.message).not.toContain('input[4]')
  })
})

/** Waits until a background response has ended, by reading its stream. */
async function untilOver(ask: ReturnType<typeof echo>['ask'], id: string): Promise<void> {
  for (;;) {
    const { body } = await ask('GET', `/responses/${id}`)
    if (body.status !== 'in_progress' && body.status !== 'queued') return
  }
}
