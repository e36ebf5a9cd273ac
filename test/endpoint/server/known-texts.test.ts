import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { createResponsesApp } from '../../../src/endpoint/server/index.js'
import { KnownTexts } from '../../../src/endpoint/server/service/conversation/known-texts.js'
import { loadTokenTable } from '../../../src/index.js'
import { answer, scriptedEngine } from '../../../src/testing/index.js'
import { runs } from '../../support/runs.js'

const tokenTable = await loadTokenTable()
const LONG = 'Read this, and then answer. '.repeat(20)
const IDS = Uint32Array.of(1, 2, 3)

test('the texts of a response are found by those that continue it, and by no others', () => {
  const texts = new KnownTexts({ clock: () => 0 })
  texts.of('resp_a').add(LONG, () => IDS)
  expect(texts.after('resp_a').find(LONG)).toEqual(IDS)
  expect(texts.after('resp_b').find(LONG)).toBeUndefined()
})

test('only the response that begins a conversation adds texts, and only those that take longer to encode than to find', () => {
  const texts = new KnownTexts({ clock: () => 0 })
  texts.after('resp_a').add(LONG, () => IDS)
  texts.of('resp_a').add('Hi!', () => expect.unreachable())
  expect([texts.after('resp_a').find(LONG), texts.memory.bytes]).toEqual([undefined, 0])
})

test('texts are forgotten with their response, after an hour, and beyond the limit, of which one response has a quarter', () => {
  let now = 0
  const size = 2 * LONG.length + IDS.byteLength
  const texts = new KnownTexts({ clock: () => now, max: 4 * size })
  const isKnown = (id: string): boolean => texts.after(id).find(LONG) !== undefined
  const add = (id: string): void => texts.of(id).add(LONG, () => IDS)
  add('resp_a')
  texts.forget('resp_a')
  expect(isKnown('resp_a')).toBe(false)
  add('resp_a')
  now = 3600
  expect([isKnown('resp_a'), texts.memory.bytes]).toEqual([false, 0])
  for (const id of ['resp_b', 'resp_c', 'resp_d', 'resp_e', 'resp_f']) add(id)
  expect([isKnown('resp_b'), isKnown('resp_c')]).toEqual([false, true])
  texts.of('resp_f').add(`${LONG}!`, () => IDS)
  expect(texts.after('resp_f').find(`${LONG}!`)).toBeUndefined()
})

/** An app, and the prompts that its engine has received. */
function served(knownTextBytes?: number) {
  const prompts: number[][] = []
  const scripted = scriptedEngine(() => answer('Yes.'))
  const engine: typeof scripted = {
    ...scripted,
    generate(prompt, options) {
      prompts.push([...prompt])
      return scripted.generate(prompt, options)
    },
  }
  const app = createResponsesApp({ engine, tokenTable, limits: knownTextBytes === undefined ? {} : { knownTextBytes } })
  const ask = async (body: object) => {
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const response = await app.fetch(new Request('http://localhost/v1/responses', request))
    return (await response.json()) as { readonly id: string }
  }
  return { ask, prompts }
}

test('the second prompt of a conversation has the same ids, whether the texts of the first one are known or not', async () => {
  const text = fc
    .tuple(fc.string({ unit: 'binary', maxLength: 12 }), fc.nat(60))
    .map(([one, count]) => one.repeat(count))
  const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'developer'), content: text })
  const said = fc.array(message, { minLength: 1, maxLength: 4 })
  const apps = [served(), served(0)]
  await fc.assert(
    fc.asyncProperty(said, said, async (first, second) => {
      const all = await Promise.all(
        apps.map(async ({ ask, prompts }) => {
          const { id } = await ask({ input: first })
          await ask({ input: second, previous_response_id: id })
          return prompts.splice(0)
        }),
      )
      expect(all[0]).toHaveLength(2)
      expect(all[0]).toEqual(all[1])
    }),
    { numRuns: runs(60) },
  )
})

test('the second prompt of a conversation takes the texts of the first one as they were encoded, and the third forgets them', async () => {
  const { after } = KnownTexts.prototype
  const found: string[] = []
  const watched = vi.spyOn(KnownTexts.prototype, 'after').mockImplementation(function (this: KnownTexts, id) {
    const texts = after.call(this, id)
    const find = (text: string): Uint32Array | undefined => {
      const ids = texts.find(text)
      if (ids !== undefined) found.push(text)
      return ids
    }
    return { ...texts, find }
  })
  try {
    const { ask } = served()
    const { id } = await ask({ input: LONG })
    expect(found).toEqual([])
    const second = await ask({ input: 'And then?', previous_response_id: id })
    expect(found).toEqual([LONG])
    const third = await ask({ input: 'And then?', previous_response_id: second.id })
    await ask({ input: 'Once more.', previous_response_id: third.id })
    await ask({ input: 'Or so?', previous_response_id: id })
    expect(found).toEqual([LONG])
    const all = [LONG, 'Yes.', 'And then?'].map((content, at) => ({ role: at === 1 ? 'assistant' : 'user', content }))
    const whole = await ask({ input: all })
    await ask({ input: 'And then?', previous_response_id: whole.id })
    await ask({ input: LONG, store: false })
    await ask({ input: LONG })
    expect(found).toEqual([LONG])
  } finally {
    watched.mockRestore()
  }
})
