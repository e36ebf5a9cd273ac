import fc from 'fast-check'
import { expect, test } from 'vitest'
import { prometheusText } from '../../../src/cli/serve/metric-families.js'
import { createPrometheusMetrics } from '../../../src/cli/serve/prometheus.js'
import type { Metric } from '../../../src/endpoint/server/index.js'
import { RUNS } from '../../support/runs.js'

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Parses the text format by its grammar; throws if it does not match. */
function samplesOf(text: string): Sample[] {
  const types = new Map<string, string>()
  const samples: Sample[] = []
  for (const line of text.replace(/\n$/, '').split('\n')) {
    const [, name, type] = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(line) ?? []
    if (name !== undefined) types.set(name, type as string)
    if (line.startsWith('# HELP ') || name !== undefined) continue
    const sample = /^([a-z_]+)(?:\{((?:\w+="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (-?[\d.e+-]+)$/.exec(line)
    if (sample === null) throw new Error(`no sample: ${JSON.stringify(line)}`)
    const pairs = [...(sample[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)]
    const unescaped = (value = ''): string => value.replace(/\\(.)/g, (_, each) => (each === 'n' ? '\n' : each))
    const labels = Object.fromEntries(pairs.map(([, key = '', value]) => [key, unescaped(value)]))
    const family = (sample[1] as string).replace(/_(bucket|sum|count)$/, '')
    expect(types.has(sample[1] as string) || types.get(family) === 'histogram').toBe(true)
    samples.push({ name: sample[1] as string, labels, value: Number(sample[3]) })
  }
  return samples
}

function sampled(...metrics: readonly Metric[]): Sample[] {
  const prometheus = createPrometheusMetrics()
  for (const metric of metrics) prometheus.take(metric)
  return samplesOf(prometheusText(prometheus.read()))
}

const OVER: Metric = {
  type: 'response_ended',
  responseId: 'resp_1',
  model: 'gpt-oss',
  requestedModel: 'mine',
  owner: 'ann',
  status: 'completed',
  code: null,
  seconds: 0.3,
  inputTokens: 73,
  cachedTokens: 64,
  outputTokens: 11,
  reasoningTokens: null,
  unhostedTools: [],
}

test('tokens are counted by model and kind, and unknown ones are not', () => {
  const tokens = sampled(OVER, OVER).filter(({ name }) => name === 'harmony_tokens_total')
  expect(tokens.map(({ labels, value }) => [labels['type'], value])).toEqual([
    ['input', 146],
    ['cached', 128],
    ['output', 22],
  ])
})

test('the buckets of a histogram rise to its count, and its sum is that of all', () => {
  const times = fc.array(fc.float({ min: 0, max: 2000, noNaN: true }), { minLength: 1 })
  fc.assert(
    fc.property(times, (seconds) => {
      const metrics = seconds.map((each): Metric => ({ ...OVER, seconds: each }))
      const samples = sampled(...metrics).filter(({ name }) => name.startsWith('harmony_response_seconds'))
      const buckets = samples.filter(({ name }) => name.endsWith('_bucket'))
      for (const { labels, value } of buckets) {
        const limit = labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels['le'])
        expect(value).toBe(seconds.filter((each) => each <= limit).length)
      }
      expect(samples.find(({ name }) => name.endsWith('_count'))?.value).toBe(seconds.length)
      expect(samples.find(({ name }) => name.endsWith('_sum'))?.value).toBeCloseTo(seconds.reduce((a, b) => a + b))
    }),
    { numRuns: RUNS },
  )
})

test('a name cannot break out of its label', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.oneof(fc.constantFrom('"', '\\', '\n', '{', '}', ','), fc.string()) }),
      (model) => {
        const [found] = sampled({ ...OVER, model }).filter(({ name }) => name === 'harmony_responses_total')
        expect(found?.labels).toEqual({ model, status: 'completed' })
      },
    ),
    { numRuns: RUNS },
  )
})

test('nothing that clients write makes a series: not the path, the model they ask for, or an id', () => {
  const metrics = [1, 2, 3].flatMap((n): Metric[] => [
    { ...OVER, requestedModel: `model ${n}`, responseId: `resp_${n}` },
    {
      type: 'request_ended',
      requestId: `req_${n}`,
      method: 'GET',
      route: '/v1/responses/:id',
      path: `/v1/responses/${n}`,
      status: 404,
      seconds: 1,
      isAborted: true,
      ...{ owner: `owner ${n}`, code: `code ${n}`, param: `param ${n}` },
      session: { id: `session ${n}`, agent: `agent ${n}`, parentAgent: null },
    },
  ])
  expect(sampled(...metrics)).toHaveLength(sampled(...metrics.slice(0, 2)).length)
})

test('load has its last value', () => {
  const load = (running: number, waiting: number): Metric => ({ type: 'load_changed', running, waiting })
  const samples = sampled(load(1, 0), load(2, 5), load(2, 4))
  const of = (wanted: string) => samples.find(({ name }) => name === wanted)?.value
  expect([of('harmony_responses_running'), of('harmony_responses_waiting')]).toEqual([2, 4])
})

test('the grammar backend is a label of the one that is in use now, and none where the engine has one way', () => {
  let backend: string | undefined
  const prometheus = createPrometheusMetrics(undefined, () => backend)
  const shown = () =>
    samplesOf(prometheusText(prometheus.read())).filter(({ name }) => name === 'harmony_grammar_backend_info')
  expect(shown()).toEqual([])
  for (const now of ['unknown', 'xgrammar', 'other']) {
    backend = now
    expect(shown()).toEqual([{ name: 'harmony_grammar_backend_info', labels: { backend: now }, value: 1 }])
  }
})

test('the memory in use is shown by its purpose, and refusals are counted', () => {
  const by = { body: 5, queue: 0, response: 7, socket: 0, reader: 0, store: 9 }
  const prometheus = createPrometheusMetrics(() => ({ total: 100, used: 21, by }))
  const refused = { type: 'memory_refused', purpose: 'body', bytes: 80, usedBytes: 21, totalBytes: 100 } as const
  prometheus.take({ ...refused, isPermanent: true })
  for (const isPermanent of [false, false]) prometheus.take({ ...refused, isPermanent: isPermanent })
  const samples = samplesOf(prometheusText(prometheus.read())).filter(({ name }) => name.startsWith('harmony_memory'))
  expect(samples).toEqual([
    ...Object.entries(by).map(([purpose, value]) => ({ name: 'harmony_memory_bytes', labels: { purpose }, value })),
    { name: 'harmony_memory_limit_bytes', labels: {}, value: 100 },
    { name: 'harmony_memory_refusals_total', labels: { purpose: 'body', status: '413' }, value: 1 },
    { name: 'harmony_memory_refusals_total', labels: { purpose: 'body', status: '429' }, value: 2 },
  ])
})
