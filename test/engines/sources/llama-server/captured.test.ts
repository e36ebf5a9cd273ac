import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { markerText } from '../../../../src/core/harmony/vocabulary.js'
import { loadTokenTable } from '../../../../src/core/tokens/load-token-table.js'
import type { ScoredToken } from '../../../../src/core/tokens/token-source.js'
import { createLlamaServerEngine as createCheckedLlamaServerEngine } from '../../../../src/engines/sources/llama-server.js'
import { readTokens } from '../../../support/read-tokens.js'
import { describeWithShared, llamaServerCaptures, sharedFolder } from '../../../support/shared-data.js'
import { encodeText } from '../../../support/tokens.js'

/** The check of the model has separate tests: here each request is one of the test. */
const createLlamaServerEngine: typeof createCheckedLlamaServerEngine = (options) =>
  createCheckedLlamaServerEngine(Object.assign({ checkModel: false }, options))

const table = await loadTokenTable()

/** The text of ids, with markers spelled out. */
function spellOut(tokens: readonly unknown[]): string {
  const parts: Uint8Array[] = []
  for (const token of tokens) {
    const id = idOf(token)
    parts.push(id < table.size ? table.bytes(id) : new TextEncoder().encode(markerText(id)))
  }
  return new TextDecoder().decode(Uint8Array.from(parts.flatMap((part) => [...part])))
}

const idOf = (token: unknown): number => (typeof token === 'number' ? token : (token as ScoredToken).id)

function read(prompt: readonly number[], body: string, status = 200, logprobs?: number) {
  const fetch = async (url: unknown) =>
    String(url).endsWith('/v1/models') ? new Response(MODELS) : new Response(body, { status })
  const engine = createLlamaServerEngine({ url: 'http://server.invalid', fetch })
  return readTokens(engine.generate(prompt, logprobs === undefined ? {} : { logprobs }))
}

/** Whether every token is the sampled one, except those without text of their own. */
function isSampled(tokens: readonly unknown[], emitted: readonly number[]): boolean {
  const ids = tokens.map(idOf)
  const isWhole = (id: number): boolean => id >= table.size || table.text(id) !== undefined
  return emitted.every((id, at) => ids[at] === id || !isWhole(id))
}

/** No text is lost or invented, and all tokens are counted. */
async function expectWhole(prompt: readonly number[], body: string, emitted: readonly number[]): Promise<void> {
  const { tokens, end } = await read(prompt, body)
  expect(spellOut(tokens)).toBe(spellOut(emitted))
  expect(tokens).toHaveLength(emitted.length)
  expect(end?.usage).not.toHaveProperty('outputTokens')
  expect(emitted).toSatisfy((all: readonly number[]) => isSampled(tokens, all))
  if (end?.reason === 'stop') expect(tokens.at(-1)).toBe(emitted.at(-1))
}

const folder = new URL('./captured/', import.meta.url)
const file = (name: string): string => readFileSync(new URL(name, folder), 'utf8')
const MODELS = file('v1-models.json')
const scripts: Record<string, { prompt: number[]; emitted: number[] }> = JSON.parse(file('scripts.json'))
/** The server does not say that a blank came in front of half a character. */
const LOSES_A_BLANK = 'limit-in-emoji'

describe('the stream of a real llama-server', () => {
  test.each(Object.keys(scripts).filter((name) => name !== LOSES_A_BLANK))(
    "the stream of a real llama-server has its model's output: %s",
    async (name) => {
      const { prompt, emitted } = scripts[name] ?? expect.unreachable()
      await expectWhole(prompt, file(`${name}.sse`), emitted)
    },
  )

  test('the stream of a real llama-server has U+FFFD for a token that the limit left in the middle of a character', async () => {
    const { prompt, emitted } = scripts[LOSES_A_BLANK] ?? expect.unreachable()
    const { tokens, end } = await read(prompt, file(`${LOSES_A_BLANK}.sse`))
    const [broken] = encodeText('\ufffd')
    expect(tokens).toEqual([...emitted.slice(0, -1), broken])
    expect(end).toMatchObject({ reason: 'max_output_tokens' })
  })

  test('the stream of a real llama-server has log-probabilities of all tokens except those that were held back', async () => {
    const { prompt, emitted } = scripts['logprobs-emoji'] ?? expect.unreachable()
    const { tokens } = await read(prompt, file('logprobs-emoji.sse'), 200, 1)
    expect(tokens.map(idOf)).toEqual(emitted)
    expect(tokens.filter((token) => typeof token === 'number')).toHaveLength(1)
  })
})

/** One of two streams that share a context, when it is full: the server ends both. */
const EXCEEDED = file('context-exceeded.sse')

test('llama-server whose calls exceed the context together fails each after its tokens, and none as too long', async () => {
  const fetch = async () => new Response(EXCEEDED)
  const call = createLlamaServerEngine({ url: 'http://server.invalid', fetch }).generate([1])
  const given: unknown[] = []
  const read = async (): Promise<void> => {
    for await (const tokens of call) given.push(...[tokens].flat())
  }
  await expect(read()).rejects.toMatchObject({
    ...{ name: 'EngineError', code: 'server_error', status: 500 },
    message: 'Context size has been exceeded.',
  })
  expect(spellOut(given)).toBe('<|channel|>final<|message|>Here I go: one two three four five six seven')
})

test('llama-server whose calls exceed the context together is asked again if nothing was sampled yet', async () => {
  const [error = ''] = /data: \{"error".*\n\n/.exec(EXCEEDED) ?? []
  const answers = [error, file('halves.sse')]
  const waits: number[] = []
  const engine = createLlamaServerEngine({
    url: 'http://server.invalid',
    fetch: async () => new Response(answers.shift()),
    delay: async (ms) => void waits.push(ms),
  })
  const { tokens } = await readTokens(engine.generate(scripts['halves']?.prompt ?? []))
  expect([tokens.length, waits.length]).toEqual([scripts['halves']?.emitted.length, 1])
})

describeWithShared('all that a real llama-server sent', () => {
  const captures = sharedFolder() === undefined ? [] : llamaServerCaptures()
  const streams = captures.filter(({ name, status }) => status === 200 && !name.endsWith(LOSES_A_BLANK))
  const refusals = captures.filter(({ status }) => status !== 200)

  test.each(streams.filter(({ emitted }) => emitted !== undefined))(
    'all that a real llama-server sent says what its model said: $name',
    async (one) => {
      await expectWhole(one.request.prompt, one.body, one.emitted ?? [])
    },
  )

  test.each(streams)('all that a real llama-server sent is read to its end: $name', async ({ request, body }) => {
    const { end } = await read(request.prompt, body, 200, request.n_probs)
    expect(end?.reason).toMatch(/^(stop|max_output_tokens)$/)
  })

  test.each(refusals)(
    'all that a real llama-server sent is refused in its own words: $name',
    async ({ body, status }) => {
      const { message } = JSON.parse(body).error
      const code = /context size/.test(message) ? 'context_length_exceeded' : 'invalid_prompt'
      await expect(read([1], body, status)).rejects.toMatchObject({ code, message, status })
    },
  )

  test('the context length of a call is read from the stream of a real llama-server', async () => {
    const answer = readFileSync(join(sharedFolder() ?? '', 'data/captured/llama-server/get-props.txt'), 'utf8')
    const fetch = async () => new Response(answer.slice(answer.search(/^\{/m)))
    const engine = createLlamaServerEngine({ url: 'http://server.invalid', fetch })
    expect(await engine.capabilities?.()).toMatchObject({ contextLength: 2048 })
  })
})
