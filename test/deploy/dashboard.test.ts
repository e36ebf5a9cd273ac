import { readFileSync } from 'node:fs'
import { parser } from '@prometheus-io/lezer-promql'
import { beforeAll, describe, expect, test } from 'vitest'
import { serve } from '../cli/served.js'
import { root } from '../docs/pages.js'
import { refuse, scriptedServer, stream } from '../support/scripted-server.js'
import { encodeHarmony } from '../support/tokens.js'
import { deployFile } from './files.js'

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number }
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

interface Variable {
  readonly name: string
  readonly query: string | { readonly query: string }
}

const dashboard: { readonly panels: readonly Panel[]; readonly templating: { readonly list: readonly Variable[] } } =
  JSON.parse(deployFile('grafana/dashboards/harmony-responses.json'))
const targets = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })))

/** The label that Prometheus adds to what it scrapes, and what Grafana puts in for its own variable. */
const JOB = 'job'
const RATE_INTERVAL = '5m'

/** Returns the names of an expression. @throws if it is no PromQL */
function namesOf(expression: string): { readonly metrics: string[]; readonly labels: string[] } {
  const text = expression.replaceAll('$__rate_interval', RATE_INTERVAL)
  const names: { readonly metrics: string[]; readonly labels: string[] } = { metrics: [], labels: [] }
  parser.parse(text).iterate({
    enter({ type, from, to, node }) {
      const name = text.slice(from, to)
      if (type.isError) throw new Error(`no PromQL at ${from}: ${text}`)
      if (type.name === 'Identifier' && node.parent?.name === 'VectorSelector') names.metrics.push(name)
      if (type.name === 'LabelName') names.labels.push(name)
    },
  })
  return names
}

/** The labels of each series of a scrape, by the series' name. */
function seriesOf(scrape: string): ReadonlyMap<string, ReadonlySet<string>> {
  const series = new Map<string, Set<string>>()
  for (const [, name = '', labels = ''] of scrape.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    const known = series.get(name) ?? new Set<string>()
    for (const [, label = ''] of labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/g)) known.add(label)
    series.set(name, known)
  }
  return series
}

const engines = scriptedServer()

/** A vLLM that dies in the middle of its first answer. */
function dyingVllm(): string {
  const said = (token_ids: readonly number[], finish_reason: string | null) => ({
    choices: [{ index: 0, text: '', token_ids, finish_reason, stop_reason: null }],
  })
  const half = stream([said(encodeHarmony('<|channel|>final<|message|>It'), null)], 'breaks')
  const answers = [half, stream([said(encodeHarmony(' rains.<|return|>'), 'stop'), '[DONE]'])]
  return engines.script((response, asked) => {
    if (asked.path !== '/v1/completions') return refuse(404, {})(response, asked)
    return answers.shift()?.(response, asked)
  }).url
}

/** Metrics of servers that have seen everything that makes a series: an answer, a call of a tool, a refusal. */
async function scrape(): Promise<string> {
  const replay = await serve(['--replay', '--delay', '20'])
  const ask = (url: string, body: object, signal?: AbortSignal): Promise<Response> =>
    fetch(`${url}/v1/responses`, { method: 'POST', body: JSON.stringify(body), ...(signal && { signal }) })
  const metricsOf = async ({ url }: { readonly url: string }): Promise<string> => (await fetch(`${url}/metrics`)).text()
  const { request } = JSON.parse(readFileSync(`${root}fixtures/web-search.json`, 'utf8'))
  await (await ask(replay.url, request)).text()
  const leaving = new AbortController()
  await ask(replay.url, { input: 'What is the capital of France?', stream: true }, leaving.signal)
  leaving.abort()
  // The server sees later than the client that it has left.
  let ofReplay = ''
  while (!ofReplay.includes('harmony_aborted_requests_total{')) ofReplay = await metricsOf(replay)

  const small = await serve(['--replay', '--limit', 'memoryBytes=100000'])
  expect((await ask(small.url, { input: 'word '.repeat(100_000) })).status).toBe(413)
  const server = await serve(['--vllm', dyingVllm(), '--skip-model-check', '--context-size', '4000'])
  expect((await ask(server.url, { input: 'Does it rain?' })).status).toBe(200)
  return [ofReplay, await metricsOf(small), await metricsOf(server)].join('')
}

describe('the dashboard in examples/deploy/grafana/', () => {
  let scraped = ''
  let series: ReadonlyMap<string, ReadonlySet<string>> = new Map()
  beforeAll(async () => {
    scraped = await scrape()
    series = seriesOf(scraped)
  })

  test.each(targets)('$title: $expr asks for series and labels that serve has', ({ expr, legendFormat }) => {
    const { metrics, labels } = namesOf(expr)
    expect(metrics.length).toBeGreaterThan(0)
    const legends = Array.from(legendFormat.matchAll(/\{\{(\w+)\}\}/g), ([, label = '']) => label)
    for (const metric of metrics) {
      const known = series.get(metric)
      expect(known, metric).toBeDefined()
      for (const label of [...labels, ...legends])
        expect([JOB, ...(known ?? [])], `${metric}.${label}`).toContain(label)
    }
  })

  test('has an expression for each family of metrics that serve has', () => {
    const families = Array.from(scraped.matchAll(/^# TYPE (\w+) /gm), ([, name = '']) => name)
    const drawn = targets.flatMap(({ expr }) => namesOf(expr).metrics)
    for (const family of families) {
      expect(
        drawn.some((name) => name === family || name === `${family}_bucket`),
        family,
      ).toBe(true)
    }
  })

  test('has a variable for each name that its expressions and queries take, and its queries name series of serve', () => {
    const variables = dashboard.templating.list
    const queries = variables.map(({ query }) => (typeof query === 'string' ? query : query.query))
    const known = ['__rate_interval', ...variables.map(({ name }) => name)]
    for (const text of [...targets.map(({ expr }) => expr), ...queries]) {
      for (const [, name] of text.matchAll(/\$(\w+)/g)) expect(known).toContain(name)
    }
    for (const query of queries.filter((each) => each.startsWith('label_values('))) {
      const [, metric = '', label] = /^label_values\((\w+)(?:\{.*\})?, (\w+)\)$/.exec(query) ?? []
      expect([JOB, ...(series.get(metric) ?? [])], query).toContain(label)
    }
  })

  test('has panels that do not overlap, with ids of their own', () => {
    const { panels } = dashboard
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    for (const [index, { gridPos: one }] of panels.entries()) {
      expect(one.x + one.w).toBeLessThanOrEqual(24)
      for (const { gridPos: other } of panels.slice(index + 1)) {
        const apart =
          one.x + one.w <= other.x ||
          other.x + other.w <= one.x ||
          one.y + one.h <= other.y ||
          other.y + other.h <= one.y
        expect(apart, JSON.stringify([one, other])).toBe(true)
      }
    }
  })
})
