import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HarmonyMessage } from '../../../../src/core/harmony/events.js'
import { shorten } from '../../../../src/engines/sources/chat/shorten.js'
import { type ChatEngineOptions, createChatEngine } from '../../../../src/engines/sources/chat.js'
import { errorOf } from '../../../support/error-of.js'
import { readTokens } from '../../../support/read-tokens.js'
import { frame } from '../../../support/scripted-server.js'
import { encodeHarmony } from '../../../support/tokens.js'
import { ends, say } from './chunks.js'

const TURNS = 12
/** A conversation of some 100 tokens a turn. */
const PROMPT = encodeHarmony(
  '<|start|>developer<|message|># Instructions\n\nBe brief.<|end|>' +
    Array.from({ length: TURNS }, (_, nth) => {
      const text = `${nth} ${'word '.repeat(45)}`
      return `<|start|>user<|message|>${text}<|end|><|start|>assistant<|channel|>final<|message|>${text}<|end|>`
    }).join('') +
    '<|start|>user<|message|>And now?<|end|><|start|>assistant',
)

interface Server {
  /** What a GET of each path answers. */
  readonly lists?: Readonly<Record<string, unknown>>
  /** The most characters that it takes. */
  readonly most?: number
}

/** An engine of a server that refuses what is too long for it, and what it was asked. */
function open({ lists = {}, most = Number.POSITIVE_INFINITY }: Server, options: Partial<ChatEngineOptions> = {}) {
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads of a body is what it tests
  const bodies: any[] = []
  const paths: string[] = []
  const fetch = async (url: unknown, { method, body }: RequestInit = {}): Promise<Response> => {
    const { pathname } = new URL(String(url))
    if (method === 'GET') {
      paths.push(pathname)
      return Object.hasOwn(lists, pathname) ? Response.json(lists[pathname]) : new Response('', { status: 404 })
    }
    bodies.push(JSON.parse(String(body)))
    const message = "This model's maximum context length is exceeded."
    if (String(body).length > most) return Response.json({ error: { message } }, { status: 400 })
    return new Response([say('Hi'), ends('stop'), '[DONE]'].map(frame).join(''))
  }
  const engine = createChatEngine({ url: 'http://chat.invalid', model: 'm', fetch, ...options })
  const ask = (given: object = { promptFields: { truncates: true } }) => readTokens(engine.generate(PROMPT, given))
  return { ask, bodies, paths }
}

const usersIn = ({ messages }: { messages: { role: string; content: string }[] }): number =>
  messages.filter(({ role }) => role === 'user').length

describe('a conversation that may be truncated', () => {
  test.each<[string, object, string, object]>([
    ['vLLM', {}, '/v1/models', { data: [{ id: 'm', max_model_len: 1000 }] }],
    ['llama-server', {}, '/v1/models', { models: [], data: [{ id: 'm', meta: { n_ctx: 1000, n_ctx_train: 9_999 } }] }],
    [
      'OpenRouter',
      {},
      '/v1/models',
      {
        data: [
          { id: 'x', context_length: 1 },
          { id: 'm', context_length: 1000 },
        ],
      },
    ],
    ['Together', {}, '/v1/models', [{ id: 'm', context_length: 1000 }]],
    ['Groq', {}, '/v1/models', { data: [{ id: 'm', context_window: 1000 }] }],
    ['Mistral', {}, '/v1/models', { data: [{ id: 'm', max_context_length: 1000 }] }],
    [
      'LM Studio',
      { preset: 'lm-studio' },
      '/api/v0/models',
      { data: [{ id: 'm', loaded_context_length: 1000, max_context_length: 9_999 }] },
    ],
    ['Ollama', { preset: 'ollama' }, '/api/ps', { models: [{ name: 'm', model: 'm', context_length: 1000 }] }],
  ])('is cut to the context length that %s reports', async (_, options, path, list) => {
    const { ask, bodies, paths } = open({ lists: { [path]: list } }, options)
    await ask()
    await ask()
    expect(paths).toEqual([path])
    expect(bodies).toHaveLength(2)
    const [{ messages }] = bodies
    expect(messages[0]).toEqual({ role: 'system', content: 'Be brief.' })
    expect(messages.at(-1)).toEqual({ role: 'user', content: 'And now?' })
    // A quarter is left for the answer.
    expect(usersIn(bodies[0])).toBeGreaterThan(5)
    expect(usersIn(bodies[0])).toBeLessThan(9)
  })

  test('leaves room for the answer that was asked for', async () => {
    const lists = { '/v1/models': { data: [{ id: 'm', max_model_len: 1000 }] } }
    const { ask, bodies } = open({ lists })
    await ask({ promptFields: { truncates: true }, maxTokens: 10 })
    await ask({ promptFields: { truncates: true }, maxTokens: 200 })
    expect(usersIn(bodies[0])).toBeGreaterThan(usersIn(bodies[1]))
    expect(bodies.map(({ max_tokens }) => max_tokens)).toEqual([10, 200])
  })

  test('leaves the answer a quarter of the context, if more was asked for', async () => {
    const lists = { '/v1/models': { data: [{ id: 'm', max_model_len: 1000 }] } }
    const { ask, bodies } = open({ lists })
    await ask({ promptFields: { truncates: true }, maxTokens: 5000 })
    expect(bodies[0].max_tokens).toBe(250)
  })

  test('is whole where the client does not allow it to be cut', async () => {
    const { ask, bodies, paths } = open({ lists: { '/v1/models': { data: [{ id: 'm', max_model_len: 1000 }] } } })
    await ask({})
    expect([usersIn(bodies[0]), paths]).toEqual([TURNS + 1, []])
  })

  test('is cut again and again where the server refuses it, until it fits', async () => {
    const { ask, bodies } = open({ most: 1500 })
    expect((await ask()).end?.reason).toBe('stop')
    expect(bodies.length).toBeGreaterThan(2)
    const counts = bodies.map(usersIn)
    expect(counts).toEqual(counts.toSorted((a, b) => b - a))
    expect(new Set(counts).size).toBe(counts.length)
    expect(counts.at(-1)).toBeGreaterThan(1)
  })

  test('fails as too long where the last exchange alone does not fit, or none may be left out', async () => {
    const tooLong = { code: 'context_length_exceeded' }
    const small = open({ most: 10 })
    expect(await errorOf(small.ask())).toMatchObject(tooLong)
    expect(usersIn(small.bodies.at(-1))).toBe(1)
    const whole = open({ most: 1500 })
    expect(await errorOf(whole.ask({}))).toMatchObject(tooLong)
    expect(whole.bodies).toHaveLength(1)
  })

  test('is not made again for another refusal', async () => {
    let asked = 0
    const fetch = async () => {
      asked += 1
      return Response.json({ error: { message: 'no such tool' } }, { status: 400 })
    }
    const engine = createChatEngine({ url: 'http://chat.invalid', model: 'm', fetch, contextSize: 100_000 })
    await errorOf(readTokens(engine.generate(PROMPT, { promptFields: { truncates: true } })))
    expect(asked).toBe(1)
  })

  test('a server whose list does not have a model that is not loaded is asked again', async () => {
    const lists: Record<string, unknown> = { '/api/ps': { models: [] } }
    const { ask, bodies, paths } = open({ lists }, { preset: 'ollama' })
    await ask()
    lists['/api/ps'] = { models: [{ name: 'm', context_length: 1000 }] }
    await ask()
    await ask()
    expect(paths).toHaveLength(2)
    expect(bodies.map(usersIn).map((count) => count < 10)).toEqual([false, true, true])
  })

  test('a server that says nothing is asked once', async () => {
    for (const lists of [{ '/v1/models': { data: [{ id: 'm', max_model_len: 'long' }] } }, {}]) {
      const { ask, paths } = open({ lists })
      await ask()
      await ask()
      expect(paths).toEqual(['/v1/models'])
    }
  })
})

test('what is left out are the oldest exchanges, and nothing more than has to be', () => {
  const role = fc.constantFrom('user', 'assistant', 'tool', 'system', 'developer')
  const messages = fc.array(fc.record({ role, content: fc.string({ maxLength: 5 }) }) as fc.Arbitrary<HarmonyMessage>, {
    maxLength: 12,
  })
  fc.assert(
    fc.property(messages, fc.nat(40), fc.nat(4), (all, most, least) => {
      const { messages: left, dropped, characters, canDrop } = shorten(all, most, least)
      expect(characters).toBe(left.map(({ content }) => content).join('').length)
      const isInstruction = (message: HarmonyMessage): boolean => ['system', 'developer'].includes(message.role)
      expect(left.filter(isInstruction)).toEqual(all.filter(isInstruction))
      const dialogue = all.filter((message) => !isInstruction(message))
      const kept = left.filter((message) => !isInstruction(message))
      expect(kept).toEqual(kept.length === 0 ? [] : dialogue.slice(-kept.length))
      if (dialogue.length > 0) expect(kept).not.toEqual([])
      if (dropped > 0 && kept[0] !== undefined) expect(kept[0].role).toBe('user')
      if (canDrop) expect([characters <= most, dropped >= least]).toEqual([true, true])
      if (dropped > least) expect(shorten(all, most, least).dropped).toBe(shorten(all, most, 0).dropped)
    }),
  )
})
