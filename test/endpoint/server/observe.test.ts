import * as api from '@opentelemetry/api'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { createResponsesApp, type Metric, openTelemetry } from '../../../src/endpoint/server/index.js'
import type { Span } from '../../../src/endpoint/server/observe/tracing.js'
import type { ResponsesAppOptions } from '../../../src/endpoint/server/options.js'
import type { Tool } from '../../../src/endpoint/tools/tool.js'
import type { GenerateOptions, TokenEngine } from '../../../src/engines/contract/index.js'
import { loadTokenTable } from '../../../src/index.js'
import { answer, call, fail, hang, scriptedEngine, think } from '../../../src/testing/index.js'
import { rejectionsOf } from '../../support/rejections.js'

const tokenTable = await loadTokenTable()
const python: Tool = { answers: () => true, run: async () => ({ output: '42' }) }
const CODE = { type: 'code_interpreter', container: { type: 'auto' } } as const

/** An app whose clock advances by a second with each call, its metrics, and a client of it. */
function watched(options: Partial<ResponsesAppOptions> = {}) {
  const metrics: Metric[] = []
  let time = 0
  const { fetch, drain } = createResponsesApp({
    engine: scriptedEngine(() => [think('Hm.'), answer('Hello.')]),
    tokenTable,
    onMetric: (metric) => metrics.push(metric),
    now() {
      time += 1000
      return time
    },
    onError() {},
    ...options,
  })
  const client = new OpenAI({
    baseURL: 'http://localhost/v1',
    apiKey: 'none',
    maxRetries: 0,
    fetch: async (url, init) => fetch(new Request(url as string, init)),
  })
  const of = <Type extends Metric['type']>(type: Type) =>
    metrics.filter((metric): metric is Extract<Metric, { type: Type }> => metric.type === type)
  return { metrics, of, client, fetch, drain }
}

describe('metrics', () => {
  test('a streamed response reports its start, its first token, and its duration', async () => {
    const { metrics, of, client } = watched()
    const stream = client.responses.stream({ model: 'gpt-oss', input: 'Hi' })
    const { id, usage } = await stream.finalResponse()
    expect(metrics.map(({ type }) => type)).toEqual([
      'request_started',
      'load_changed',
      'response_started',
      'first_token',
      'model_called',
      'load_changed',
      'response_ended',
      'request_ended',
    ])
    expect(of('response_ended')[0]).toMatchObject({
      responseId: id,
      model: 'gpt-oss',
      status: 'completed',
      inputTokens: usage?.input_tokens,
      outputTokens: usage?.output_tokens,
      reasoningTokens: usage?.output_tokens_details.reasoning_tokens,
    })
    expect(of('request_ended')[0]).toMatchObject({
      method: 'POST',
      route: '/v1/responses',
      status: 200,
      isAborted: false,
    })
    const times = [of('first_token'), of('response_ended'), of('request_ended')].map(([metric]) => metric?.seconds ?? 0)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
  })

  test('each call of a tool is told with its kind, its time, and whether it failed', async () => {
    const results = [{ output: '42' }, { error: { message: 'no' } }]
    const tool: Tool = { ...python, run: async () => results.shift() ?? {} }
    const script = [call('python', '1'), call('python', '2'), call('python', '3'), answer('Done.')]
    const { of, client } = watched({ engine: scriptedEngine(script), tools: [tool] })
    await client.responses.create({ model: 'gpt-oss', input: 'Hi', tools: [CODE] })
    expect(of('tool_called').map(({ tool, isFailed }) => [tool, isFailed])).toEqual([
      ['code_interpreter_call', false],
      ['code_interpreter_call', true],
      ['code_interpreter_call', false],
    ])
    expect(of('model_called')).toHaveLength(4)
  })

  test('a refused request tells its status, and of no response', async () => {
    const { metrics, of, client } = watched()
    await expect(
      client.responses.create({ model: 'gpt-oss', input: [{ role: 'nonsense' }] as never }),
    ).rejects.toThrow()
    expect(metrics.map(({ type }) => type)).toEqual(['request_started', 'request_ended'])
    expect(of('request_ended')[0]?.status).toBe(400)
  })

  test('a request that is refused before its model is called gives its place back', async () => {
    const { of, client } = watched()
    const input = [{ type: 'message', role: 'user', content: [{ type: 'input_image', image_url: 'data:,' }] }]
    await expect(client.responses.create({ model: 'gpt-oss', input: input as never })).rejects.toThrow()
    expect(of('load_changed').at(-1)).toMatchObject({ running: 0, waiting: 0 })
    expect([of('response_started'), of('response_ended')]).toEqual([[], []])
  })

  test('an engine that fails is told as a call that failed, and a response that did', async () => {
    const { of, client } = watched({ engine: scriptedEngine([[think('Hm'), fail()]]) })
    await expect(client.responses.create({ model: 'gpt-oss', input: 'Hi' })).rejects.toThrow()
    expect(of('model_called')[0]?.isFailed).toBe(true)
    expect(of('response_ended')[0]?.status).toBe('failed')
    expect(of('request_ended')[0]?.status).toBe(500)
  })

  test('a client that leaves is told as aborted, and its response as cancelled', async () => {
    const { of, client, drain } = watched({ engine: scriptedEngine([[think('Hm'), hang()]]) })
    const stream = await client.responses.create({ model: 'gpt-oss', input: 'Hi', stream: true })
    for await (const event of stream) if (event.type === 'response.output_item.added') break
    await drain()
    expect(of('request_ended')[0]).toMatchObject({ status: 200, isAborted: true })
    expect(of('response_ended')[0]?.status).toBe('cancelled')
  })

  test('requests that wait for a place are part of the load', async () => {
    const { of, client, drain } = watched({ limits: { concurrency: 1 } })
    await Promise.all([1, 2, 3].map((n) => client.responses.create({ model: 'gpt-oss', input: `${n}` })))
    expect(Math.max(...of('load_changed').map(({ waiting }) => waiting))).toBe(2)
    expect(of('load_changed').at(-1)).toMatchObject({ running: 0, waiting: 0 })
    await drain()
  })

  test('a model that the server does not list is other, and its name is told apart', async () => {
    const { of, client } = watched()
    await client.responses.create({ model: 'gpt-5.4"} 1\n', input: 'Hi' })
    expect(of('response_started')[0]).toMatchObject({ model: 'other', requestedModel: 'gpt-5.4"} 1\n' })
    expect(of('first_token')[0]?.model).toBe('other')
  })

  test.each([
    ['GET', '/v1/responses/resp_x/input_items', '/v1/responses/:id/input_items'],
    ['GET', '/v1/models', '/v1/models'],
    ['GET', '/v1/no/such/path', '/v1/*'],
    ['BREW', '/coffee', '/*'],
  ])('%s %s is counted as %s', async (method, path, route) => {
    const { of, fetch } = watched()
    await fetch(new Request(`http://localhost${path}?key=secret`, { method }))
    expect(of('request_ended')[0]).toMatchObject({ method: method === 'GET' ? 'GET' : 'other', route, path })
  })

  test('a listener that throws ends nothing, and is reported', async () => {
    const errors: unknown[] = []
    const onMetric = (): never => {
      throw new Error('full')
    }
    const { client } = watched({ onMetric, onError: (error) => errors.push(error) })
    expect((await client.responses.create({ model: 'gpt-oss', input: 'Hi' })).output_text).toBe('Hello.')
    expect(errors.length).toBeGreaterThan(0)
  })

  test('a listener whose promise rejects ends nothing', async () => {
    const onMetric = async (): Promise<never> => await Promise.reject(new Error('full'))
    const { client } = watched({ onMetric })
    const rejections = await rejectionsOf(() => client.responses.create({ model: 'gpt-oss', input: 'Hi' }))
    expect(rejections).toEqual([])
  })

  test('an onError whose promise rejects ends nothing', async () => {
    const onError = async (): Promise<never> => await Promise.reject(new Error('unreachable'))
    const { fetch } = watched({ onError, engine: scriptedEngine([fail(new Error('broken'))]) })
    const body = JSON.stringify({ model: 'gpt-oss', input: 'Hi' })
    const request = new Request('http://localhost/v1/responses', { method: 'POST', body })
    let status = 0
    const rejections = await rejectionsOf(async () => {
      status = (await fetch(request)).status
    })
    expect([status, rejections]).toEqual([500, []])
  })

  test('a listener of progress that throws, or whose promise rejects, fails no call', async () => {
    const errors: unknown[] = []
    const listeners = [
      () => {
        throw new Error('full')
      },
      async () => await Promise.reject(new Error('full')),
    ]
    const tool: Tool = {
      answers: () => true,
      async run(_, { report }) {
        report({ progress: 1 })
        return { output: '42' }
      },
    }
    for (const onProgress of listeners) {
      const engine = scriptedEngine([call('python', '6 * 7'), answer('42')])
      const options = {
        engine,
        tools: [tool],
        response: { onProgress },
        onError: (error: unknown) => errors.push(error),
      }
      const { of, client } = watched(options)
      const create = () => client.responses.create({ model: 'gpt-oss', input: 'Hi', tools: [CODE] })
      expect(await rejectionsOf(create)).toEqual([])
      expect(of('tool_called').map(({ isFailed }) => isFailed)).toEqual([false])
    }
    expect(errors).toEqual([new Error('full')])
  })

  test('a compaction is told as a response with its tokens', async () => {
    const { of, client } = watched({ engine: scriptedEngine([answer('The user said hi.')]) })
    const { usage } = await client.responses.compact({ model: 'gpt-oss', input: 'Hi' } as never)
    expect(of('response_ended')[0]).toMatchObject({ status: 'completed', inputTokens: usage.input_tokens })
  })
})

describe('spans', () => {
  /** A span as this test's SDK keeps it. */
  interface Kept {
    readonly name: string
    readonly kind: number
    readonly parent: string | undefined
    readonly id: string
    readonly traceId: string
    readonly attributes: Record<string, unknown>
    readonly status: number
    readonly ends: number
  }

  /** The part of an OpenTelemetry SDK that the API needs. */
  function keepSpans(): Kept[] {
    const kept: Kept[] = []
    const startSpan = (name: string, options: api.SpanOptions = {}, context: api.Context = api.ROOT_CONTEXT) => {
      const parent = api.trace.getSpanContext(context)
      const traceId = parent?.traceId ?? 'a'.repeat(32)
      const id = `${kept.length + 1}`.padStart(16, '0')
      const span: Kept = {
        name,
        kind: options.kind ?? 0,
        parent: parent?.spanId,
        id,
        traceId,
        attributes: {},
        status: 0,
        ends: 0,
      }
      Object.assign(span.attributes, options.attributes)
      kept.push(span)
      return {
        spanContext: () => ({
          traceId,
          spanId: id,
          traceFlags: 1,
          ...(parent?.traceState && { traceState: parent.traceState }),
        }),
        setAttributes: (more: object) => void Object.assign(span.attributes, more),
        updateName: (other: string) => void Object.assign(span, { name: other }),
        setStatus: ({ code }: { code: number }) => void Object.assign(span, { status: code }),
        end: () => void Object.assign(span, { ends: span.ends + 1 }),
      } as unknown as api.Span
    }
    api.trace.disable()
    api.trace.setGlobalTracerProvider({ getTracer: () => ({ startSpan }) as unknown as api.Tracer })
    return kept
  }

  const TRACEPARENT = `00-${'b'.repeat(32)}-${'c'.repeat(16)}-01`

  test('a request has a span below its traceparent, and below it one for each call of the model and of a tool', async () => {
    const kept = keepSpans()
    const engine = scriptedEngine([call('python', '6 * 7'), answer('42')])
    const { client } = watched({ engine, tools: [python], tracing: openTelemetry(api) })
    const headers = { traceparent: TRACEPARENT, tracestate: 'vendor=1' }
    const { id } = await client.responses.create({ model: 'gpt-oss', input: 'Hi', tools: [CODE] }, { headers })
    const [request, first, tool, second] = kept
    expect(kept.map(({ name, kind, parent }) => [name, kind, parent])).toEqual([
      ['POST /v1/responses', api.SpanKind.SERVER, 'c'.repeat(16)],
      ['chat gpt-oss', api.SpanKind.CLIENT, request?.id],
      ['execute_tool code_interpreter_call', api.SpanKind.INTERNAL, request?.id],
      ['chat gpt-oss', api.SpanKind.CLIENT, request?.id],
    ])
    expect(kept.map(({ ends }) => ends)).toEqual([1, 1, 1, 1])
    expect(new Set(kept.map(({ traceId }) => traceId))).toEqual(new Set(['b'.repeat(32)]))
    expect(request?.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/v1/responses',
      'http.response.status_code': 200,
      'gen_ai.request.model': 'gpt-oss',
      'gen_ai.response.id': id,
      'gen_ai.response.finish_reasons': ['completed'],
    })
    expect(tool?.attributes['gen_ai.operation.name']).toBe('execute_tool')
    expect(engine.calls.map(({ options }) => options.trace)).toEqual(
      [first, second].map((span) => ({ traceparent: `00-${'b'.repeat(32)}-${span?.id}-01`, tracestate: 'vendor=1' })),
    )
  })

  test('a span of a request that failed says so, with a word and no message', async () => {
    const kept = keepSpans()
    const engine = scriptedEngine([[think('Hm'), fail(new Error('secret'))]])
    const { client } = watched({ engine, tracing: openTelemetry(api) })
    await expect(client.responses.create({ model: 'gpt-oss', input: 'Hi' })).rejects.toThrow()
    expect(kept.map(({ status }) => status)).toEqual([api.SpanStatusCode.ERROR, api.SpanStatusCode.ERROR])
    expect(JSON.stringify(kept)).not.toContain('secret')
  })

  test('the span of a response in the background ends with the response', async () => {
    const kept = keepSpans()
    let go = (): void => {}
    const gate = new Promise<void>((resolve) => {
      go = resolve
    })
    const engine = scriptedEngine(async () => {
      await gate
      return answer('Done.')
    })
    const { client, drain } = watched({ engine, tracing: openTelemetry(api) })
    await client.responses.create({ model: 'gpt-oss', input: 'Hi', background: true })
    expect(kept[0]?.ends).toBe(0)
    go()
    await drain()
    expect(kept.map(({ ends }) => ends)).toEqual([1, 1])
  })

  test.each(['start', 'set', 'rename', 'fail', 'end'] as const)(
    'tracing whose %s throws ends no response, and is reported',
    async (method) => {
      const errors: unknown[] = []
      const broken = (): never => {
        throw new Error('the exporter is full')
      }
      const span: Span = { trace: undefined, set() {}, rename() {}, fail() {}, end() {}, run: (work) => work() }
      const tracing = { start: () => ({ ...span, [method]: broken }), ...(method === 'start' && { start: broken }) }
      const engine = scriptedEngine(() => [think('Hm.'), answer('Hello.')])
      const { client } = watched({ engine, tracing, onError: (error) => errors.push(error) })
      const texts: string[] = []
      const rejections = await rejectionsOf(async () => {
        texts.push((await client.responses.create({ model: 'gpt-oss', input: 'Hi' })).output_text)
        const stream = client.responses.stream({ model: 'gpt-oss', input: 'Hi' })
        texts.push((await stream.finalResponse()).output_text)
      })
      expect([texts, rejections]).toEqual([['Hello.', 'Hello.'], []])
      if (method !== 'fail') expect(errors).toContainEqual(new Error('the exporter is full'))
    },
  )

  test('tracing that throws leaves a failed response its error', async () => {
    const broken = (): never => {
      throw new Error('the exporter is full')
    }
    const span: Span = { trace: undefined, set() {}, rename() {}, fail: broken, end() {}, run: (work) => work() }
    const { client } = watched({ engine: scriptedEngine([fail(new Error('broken'))]), tracing: { start: () => span } })
    await expect(client.responses.create({ model: 'gpt-oss', input: 'Hi' })).rejects.toMatchObject({ status: 500 })
  })

  test('without an SDK nothing is recorded, and engines get the trace context of the request', async () => {
    api.trace.disable()
    const seen: GenerateOptions['trace'][] = []
    const engine = scriptedEngine(({ options }) => {
      seen.push(options.trace)
      return answer('Hi.')
    })
    const { client } = watched({ engine, tracing: openTelemetry(api) })
    await client.responses.create({ model: 'gpt-oss', input: 'Hi' }, { headers: { traceparent: TRACEPARENT } })
    await client.responses.create({ model: 'gpt-oss', input: 'Hi' })
    expect(seen).toEqual([{ traceparent: TRACEPARENT }, undefined])
  })
})

test('draining gives up a response whose engine does not report its abilities', async () => {
  const engine: TokenEngine = {
    ...scriptedEngine([answer('Hi.')]),
    capabilities: ({ signal } = {}) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  }
  const { client, drain, of } = watched({ engine })
  const answered = client.responses.create({ model: 'gpt-oss', input: 'Hi' }).catch((error) => error)
  await expect.poll(() => of('load_changed').length).toBe(1)
  await drain(AbortSignal.abort())
  expect(await answered).toBeInstanceOf(Error)
  expect(of('load_changed').at(-1)).toMatchObject({ running: 0 })
})
