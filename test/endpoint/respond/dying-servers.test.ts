import { expect, test } from 'vitest'
import type { ResponseRequest } from '../../../src/core/responses/request.js'
import type { TokenEngine } from '../../../src/engines/contract/engine.js'
import type { HttpOptions } from '../../../src/engines/sources/http/http-client.js'
import { createLlamaServerEngine } from '../../../src/engines/sources/llama-server.js'
import { createSglangEngine } from '../../../src/engines/sources/sglang.js'
import { createVllmEngine } from '../../../src/engines/sources/vllm.js'
import { loadTokenTable } from '../../../src/index.js'
import { fakeLlamaServer } from '../../support/fake-llama-server.js'
import { type Answer, scriptedServer, stream } from '../../support/scripted-server.js'
import { describeSlow } from '../../support/slow-suites.js'
import { encodeHarmony, m } from '../../support/tokens.js'
import { SURVIVING } from './same-after-death.js'
import { run } from './scripted.js'

/*
 * Servers whose connection breaks in the middle of a stream, once, after each of its events: the answer is that of a
 * server that lives.
 */

const TURN = encodeHarmony(
  '<|channel|>analysis<|message|>Hm, \u00fcber \u{1f30b}.<|end|><|start|>assistant<|channel|>final<|message|>{"city":"Rome \u{1f600}"}<|return|>',
)
const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const REQUESTS: Readonly<Record<string, object>> = {
  'an answer': {},
  'an answer with stop strings': { stop: ['Rome, Italy', '"}!'] },
  'a strict answer': { text: { format: { type: 'json_schema', name: 'place', schema: SCHEMA, strict: true } } },
}

interface Body {
  readonly prompt?: readonly number[]
  readonly input_ids?: readonly number[]
  readonly stop_token_ids?: readonly number[]
  readonly sampling_params?: { readonly stop_token_ids?: readonly number[] }
}

interface Served {
  readonly create: (options: HttpOptions) => TokenEngine
  /** The events of one call. */
  readonly frames: (prompt: readonly number[], rest: readonly number[], body: Body) => Promise<readonly unknown[]>
}

const ENDS = [m.return, m.call]
const tokenTable = await loadTokenTable()

const SERVERS: Readonly<Record<string, Served>> = {
  vLLM: {
    create: (options) => createVllmEngine({ ...options, checkModel: false, structuredOutputs: 'guidance' }),
    async frames(prompt, rest) {
      const counts = { prompt_tokens: prompt.length, completion_tokens: rest.length, total_tokens: 0 }
      const chunks = rest.map((id, at) => {
        const isLast = at === rest.length - 1
        return {
          index: 0,
          text: '',
          token_ids: [id],
          finish_reason: isLast ? 'stop' : null,
          stop_reason: isLast ? id : null,
        }
      })
      return [...chunks.map((choice) => ({ choices: [choice] })), { choices: [], usage: counts }, '[DONE]']
    },
  },
  SGLang: {
    create: (options) => createSglangEngine({ ...options, checkModel: false, structuredOutputs: 'guidance' }),
    async frames(prompt, rest) {
      const events = rest.map((id, at) => {
        const isLast = at === rest.length - 1
        const counts = { prompt_tokens: prompt.length, completion_tokens: at + 1, cached_tokens: 0 }
        return {
          output_ids: rest.slice(0, at + 1),
          meta_info: { ...counts, finish_reason: isLast ? { type: 'stop', matched: id } : null },
        }
      })
      return [...events, '[DONE]']
    },
  },
  'llama-server': {
    create: (options) => createLlamaServerEngine({ ...options, checkModel: false }),
    async frames(prompt, rest, body) {
      const server = fakeLlamaServer((all) => rest[all.length - prompt.length] ?? m.return, tokenTable)
      const init = { body: JSON.stringify(body) }
      const text = await (await server('http://llama.invalid/completion', init)).text()
      return text.split('\n\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line.slice('data: '.length))]))
    },
  },
}

const server = scriptedServer({
  '/v1/models': { object: 'list', data: [{ id: 'mine', max_model_len: 8192 }] },
  '/server_info': { grammar_backend: 'llguidance', max_req_input_len: 8186 },
  '/props': { default_generation_settings: { n_ctx: 8192 } },
})

/** Answers calls of the model. After so many events in all, the connection breaks, once. */
function playing(
  { frames }: Served,
  breaksAfter: number,
): { readonly answer: Answer; readonly counts: { events: number } } {
  const counts = { events: 0 }
  let isBroken = false
  let first: number | undefined
  const answer: Answer = async (response, asked) => {
    const body = asked.body as Body
    const prompt = body.prompt ?? body.input_ids ?? []
    first ??= prompt.length
    const stops = [...ENDS, ...(body.stop_token_ids ?? body.sampling_params?.stop_token_ids ?? [])]
    const left = TURN.slice(prompt.length - first)
    const end = left.findIndex((id) => stops.includes(id))
    const events = await frames(prompt, left.slice(0, end + 1), body)
    const room = breaksAfter - counts.events
    counts.events += Math.min(events.length, isBroken ? events.length : room)
    const breaks = !isBroken && room < events.length
    isBroken ||= breaks
    await stream(breaks ? events.slice(0, room) : events, breaks ? 'breaks' : 'ends')(response, asked)
  }
  return { answer, counts }
}

const cases = Object.keys(SERVERS).flatMap((name) => Object.keys(REQUESTS).map((what) => [name, what] as const))

describeSlow('a server whose connection breaks', () => {
  test.each(cases)('%s: %s is the same wherever the connection breaks', async (name, what) => {
    const served = SERVERS[name] as Served
    const request = { input: 'Go.', ...REQUESTS[what] } as ResponseRequest
    const answered = async (breaksAfter: number) => {
      const { answer, counts } = playing(served, breaksAfter)
      const { url, asked } = server.script(answer)
      const engine = served.create({ url, delay: async () => {} })
      const { events: shown, response, transcript } = await run(request, { ...SURVIVING, engine })
      return { shown, response, transcript, asked: asked.length, events: counts.events }
    }
    const whole = await answered(Number.POSITIVE_INFINITY)
    expect(whole.response.status).toBe('completed')
    // An error after the last token loses nothing, and one before the first is met by the engine itself.
    for (let place = 1; place < whole.events; place++) {
      const survived = await answered(place)
      expect(survived.asked).toBeGreaterThanOrEqual(whole.asked)
      expect(survived.shown).toEqual(whole.shown)
      expect(survived.transcript).toEqual(whole.transcript)
    }
  })
})
