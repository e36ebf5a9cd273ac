import { describe, expect, test, vi } from 'vitest'
import { Translator as CoreTranslator } from '../src/core/translate/translator.js'
import { Translator, translate, translateBatches } from '../src/index.js'
import { collect } from './support/collect.js'

const HARMONY = '<|channel|>final<|message|>Hi<|return|>'

describe('without options', () => {
  test('a translator without options translates', () => {
    const translator = new Translator()
    const events = [...translator.push(HARMONY), ...translator.end()]
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: { output: [{ type: 'message', content: [{ text: 'Hi' }] }] },
    })
  })

  test('translate and translateBatches work without options', async () => {
    const events = await collect(translate(HARMONY))
    expect(events.at(-1)?.type).toBe('response.completed')
    const batches = []
    for await (const batch of translateBatches(HARMONY)) batches.push(batch.length)
    expect(batches).toEqual([2, 6, 1])
  })
})

describe('the default response id', () => {
  test('the default response id has the form of the API', () => {
    expect(new Translator().response.id).toMatch(/^resp_[0-9a-f]{50}$/)
  })

  test('the default response id is another one every time', () => {
    const ids = new Set(Array.from({ length: 1000 }, () => new Translator().response.id))
    expect(ids.size).toBe(1000)
  })

  test('the default response id is one for a whole stream', async () => {
    const events = await collect(translate(HARMONY))
    const ids = events.flatMap((event) => ('response' in event ? [event.response.id] : []))
    expect(ids).toHaveLength(3)
    expect(new Set(ids).size).toBe(1)
  })

  test("the default response id gives way to the caller's, from which all other ids follow", async () => {
    const [one, other] = await Promise.all([
      collect(translate(HARMONY, { responseId: 'resp_mine', clock: () => 0 })),
      collect(translate(HARMONY, { responseId: 'resp_mine', clock: () => 0 })),
    ])
    expect(one).toEqual(other)
    expect(one[0]).toMatchObject({ response: { id: 'resp_mine' } })
  })
})

describe('the default clock', () => {
  test("the default clock is the system's, in whole seconds", () => {
    vi.useFakeTimers({ now: 1_700_000_000_900 })
    try {
      const translator = new Translator()
      vi.setSystemTime(1_700_000_005_100)
      translator.push(HARMONY)
      translator.end()
      expect(translator.response).toMatchObject({ created_at: 1_700_000_000, completed_at: 1_700_000_005 })
    } finally {
      vi.useRealTimers()
    }
  })

  test("the default clock gives way to the caller's", () => {
    expect(new Translator({ clock: () => 7 }).response.created_at).toBe(7)
  })
})

describe('restore', () => {
  test('restore gives a translator of the public class, with the id and the time of the first one', () => {
    const first = new Translator({ clock: () => 7 })
    first.push('<|channel|>final<|message|>H')
    const restored = Translator.restore(first.snapshot())
    expect(restored).toBeInstanceOf(Translator)
    expect(restored).toBeInstanceOf(CoreTranslator)
    expect(restored.response).toEqual(first.response)
    expect(restored.push('i')).toEqual(first.push('i'))
  })

  test('restore checks the snapshot and the options', () => {
    const snapshot = new Translator().snapshot()
    expect(() => Translator.restore({} as never)).toThrow(expect.objectContaining({ code: 'bad_snapshot' }))
    expect(() => Translator.restore(snapshot, { policy: 'openia' as never })).toThrow(
      expect.objectContaining({ code: 'bad_option' }),
    )
  })
})

describe('options', () => {
  test.each([{ responseId: '' }, { responseId: 7 }, { clock: 7 }])('the options %o are refused', (options) => {
    expect(() => new Translator(options as never)).toThrow(expect.objectContaining({ code: 'bad_option' }))
    expect(() => translate([], options as never)).toThrow(expect.objectContaining({ code: 'bad_option' }))
  })

  test('null and text are refused as options', () => {
    for (const options of [null, 'x']) {
      expect(() => new Translator(options as never)).toThrow(expect.objectContaining({ code: 'bad_option' }))
      expect(() => translate([], options as never)).toThrow(expect.objectContaining({ code: 'bad_option' }))
    }
  })

  test('options are not changed', () => {
    const options = Object.freeze({ request: Object.freeze({ model: 'gpt-oss-20b' }) })
    expect(new Translator(options).response.model).toBe('gpt-oss-20b')
    expect(Object.keys(options)).toEqual(['request'])
  })
})
