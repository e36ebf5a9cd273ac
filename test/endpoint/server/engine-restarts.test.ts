import { describe, expect, test } from 'vitest'
import type { Metric, ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { createMemoryStore } from '../../../src/endpoint/stores/index.js'
import { type TokenEngine, tokenStream } from '../../../src/engines/contract/index.js'
import { DEATH, dyingEngine } from '../../support/dying-engine.js'
import { encodeHarmony } from '../../support/tokens.js'
import { modelOf } from '../respond/scripted.js'
import { endpoint, JSON_TYPE, until } from './endpoint.js'
import { connect, serve } from './web-socket/sockets.js'

const SAID = 'It is Rome, in Italy.'
const TURN = `<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>${SAID}<|return|>`
const mortal = (...dies: number[]): TokenEngine => dyingEngine(modelOf([TURN]), dies)
const response = { delay: async () => {}, onDiagnostic: () => {} }

/** An endpoint whose engine dies, and what it reports. */
function served(engine: TokenEngine, options: Partial<ResponsesAppOptions> = {}) {
  const metrics: Metric[] = []
  const onMetric = (metric: Metric): void => void metrics.push(metric)
  return Object.assign(endpoint(engine, { onMetric, response, ...options }), { metrics })
}

/** The text of a streamed answer in each API, by the events that have it. */
const APIS: Readonly<Record<string, { readonly path: string; readonly body: object; text(event: never): string }>> = {
  'the Responses API': {
    path: '/v1/responses',
    body: { input: 'Where?' },
    text: ({ type, delta }: { type: string; delta: string }) => (type === 'response.output_text.delta' ? delta : ''),
  },
  'Chat Completions': {
    path: '/v1/chat/completions',
    body: { messages: [{ role: 'user', content: 'Where?' }] },
    text: ({ choices }: { choices: { delta: { content?: string } }[] }) => choices[0]?.delta.content ?? '',
  },
  Messages: {
    path: '/v1/messages',
    body: { max_tokens: 100, messages: [{ role: 'user', content: 'Where?' }] },
    text: ({ delta }: { delta?: { text?: string } }) => delta?.text ?? '',
  },
}

describe('an engine that dies in mid-answer', () => {
  test.each(Object.entries(APIS))(
    '%s: the stream has the answer once, and no error',
    async (_, { path, body, text }) => {
      const places = encodeHarmony(TURN).map((_, at) => at + 1)
      for (const place of places) {
        const { send } = served(mortal(place))
        const init = {
          method: 'POST',
          headers: JSON_TYPE,
          body: JSON.stringify({ model: 'gpt-oss', stream: true, ...body }),
        }
        const lines = (await (await send(path, init)).text()).split('\n')
        const data = lines.filter((line) => line.startsWith('data: {')).map((line) => JSON.parse(line.slice(6)))
        expect(data.map((event) => text(event as never)).join('')).toBe(SAID)
        expect(JSON.stringify(data)).not.toMatch(/failed|"error":\{/)
      }
    },
  )

  test('over a WebSocket the answer comes whole', async () => {
    const client = await connect(await serve({ engine: mortal(6), response }))
    client.send({ type: 'response.create', input: 'Where?' })
    const frames = await client.answer()
    expect(frames.at(-1)).toMatchObject({ type: 'response.completed' })
    expect(frames.map(({ sequence_number: number }) => number)).toEqual(frames.map((_, at) => at))
  })

  test('each restart is a metric of its response, and the error goes to the host', async () => {
    const { create, metrics, errors } = served(mortal(4, 9))
    const { body } = await create({ input: 'Where?' })
    const about = { type: 'engine_restarted', responseId: body.id, model: 'gpt-oss' }
    expect(metrics.filter(({ type }) => type === 'engine_restarted')).toEqual([
      { ...about, detail: 'after 4 tokens' },
      { ...about, detail: 'after 9 tokens' },
    ])
    expect(metrics.flatMap((metric) => (metric.type === 'model_called' ? [metric.isFailed] : []))).toEqual([
      ...[true, true, false],
    ])
    expect(errors).toEqual([DEATH, DEATH])
  })

  test('one that is silent for too long is asked again', async () => {
    const model = modelOf([TURN])
    let calls = 0
    const hung: TokenEngine = {
      ...model,
      generate(prompt, options) {
        calls += 1
        const tokens = model.generate(prompt, options)
        if (calls > 1) return tokens
        return tokenStream(async function* () {
          for (let at = 0; at < 5; at++) yield ((await tokens.next()).value as number) ?? 0
          return await new Promise<never>(() => {})
        }, options?.signal)
      },
    }
    const { create } = served(hung, { limits: { tokenSeconds: 1 } })
    const { body } = await create({ input: 'Where?' })
    expect([body.status, body.output.at(-1).content[0].text, calls]).toEqual(['completed', SAID, 2])
  })

  test('one that is away before the first token is answered with 503, and a client tries again', async () => {
    const { create } = served(mortal(0))
    expect((await create({ input: 'Where?' })).body).toMatchObject({ error: { code: 'server_error' } })
  })
})

describe('while an engine is away', () => {
  const away = (_: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
  const isRestarting = ({ type }: Metric): boolean => type === 'engine_restarted'

  test('a response can be cancelled', async () => {
    const { create, ask, metrics } = served(mortal(6), { response: { ...response, delay: away } })
    const { body } = await create({ input: 'Where?', background: true })
    await until(() => metrics.some(isRestarting))
    expect((await ask('POST', `/responses/${body.id}/cancel`, {})).body.status).toBe('cancelled')
  })

  test('a process that stops hands the response over, and another one continues it', async () => {
    const store = { ...createMemoryStore(), durability: 'process' as const }
    const first = served(mortal(6), { store, response: { ...response, delay: away } })
    const { body } = await first.create({ input: 'Where?', background: true })
    await until(() => first.metrics.some(isRestarting))
    await first.drain()
    const second = served(mortal(), { store })
    await until(() => second.metrics.some(({ type }) => type === 'response_ended'))
    const { body: ended } = await second.ask('GET', `/responses/${body.id}`)
    expect([ended.status, ended.output.at(-1).content[0].text]).toEqual(['completed', SAID])
    await second.drain()
  })
})
