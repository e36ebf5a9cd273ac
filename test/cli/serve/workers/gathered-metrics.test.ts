import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Family, prometheusText, sumFamilies, withoutGauges } from '../../../../src/cli/serve/metric-families.js'
import { createPrometheusMetrics } from '../../../../src/cli/serve/prometheus.js'
import { createGatheredMetrics } from '../../../../src/cli/serve/workers/gathered-metrics.js'
import type { Metric } from '../../../../src/endpoint/server/index.js'
import { RUNS } from '../../../support/runs.js'

const metric: fc.Arbitrary<Metric> = fc.oneof(
  fc.record({
    type: fc.constant('model_called' as const),
    model: fc.constantFrom('gpt-oss', 'a"b\\c'),
    // Sums of whole numbers do not depend on their order.
    seconds: fc.nat(1000),
    isFailed: fc.boolean(),
    tokens: fc.constant(1),
    responseId: fc.constant('resp_1'),
  }),
  fc.record({
    type: fc.constant('engine_restarted' as const),
    model: fc.constant('gpt-oss'),
    responseId: fc.constant('resp_1'),
    detail: fc.constant(''),
  }),
)

function measured(metrics: readonly Metric[]): Family[] {
  const prometheus = createPrometheusMetrics()
  for (const each of metrics) prometheus.take(each)
  return prometheus.read()
}

/** The lines of what was counted, in any order. */
const linesOf = (families: readonly Family[]): string[] =>
  prometheusText(withoutGauges(families)).split('\n').toSorted()

test('what several processes have counted adds up to what one would have counted of all', () => {
  fc.assert(
    fc.property(fc.array(fc.array(metric, { maxLength: 20 }), { minLength: 1, maxLength: 4 }), (processes) => {
      expect(linesOf(sumFamilies(processes.map(measured)))).toEqual(linesOf(measured(processes.flat())))
    }),
    { numRuns: RUNS },
  )
})

const gauge = (name: string, value: number): Family => ({
  name,
  help: 'Help.',
  type: 'gauge',
  samples: [[name, value]],
})

test('gauges add up, and those that are only a label stay 1', () => {
  const one = [gauge('running', 2), gauge('backend_info', 1)]
  expect(sumFamilies([one, one])).toEqual([gauge('running', 4), gauge('backend_info', 1)])
})

const sampleOf = (families: readonly Family[], name: string): number | undefined =>
  families.find((family) => family.name === name)?.samples[0]?.[1]

/** A worker that answers at once, with what it has. */
function worker(gathered: ReturnType<typeof createGatheredMetrics>, families: () => readonly Family[]) {
  const self = { ask: (id: number) => gathered.take(self, id, families()) }
  gathered.add(self)
  return self
}

test('what a worker counted stays when it has ended, and what it held does not', async () => {
  const gathered = createGatheredMetrics()
  const counter: Family = { name: 'made', help: 'Help.', type: 'counter', samples: [['made', 3]] }
  const first = worker(gathered, () => [counter, gauge('running', 2)])
  worker(gathered, () => [counter, gauge('running', 1)])
  const before = await gathered.gather()
  expect([sampleOf(before, 'made'), sampleOf(before, 'running'), sampleOf(before, 'harmony_workers')]).toEqual([
    6, 3, 2,
  ])
  gathered.remove(first)
  const after = await gathered.gather()
  expect([sampleOf(after, 'made'), sampleOf(after, 'running'), sampleOf(after, 'harmony_workers')]).toEqual([6, 1, 1])
  expect(sampleOf(after, 'harmony_workers_ended_total')).toBe(1)
})

test('those who ask at the same time share one question to the workers, and a late answer counts next time', async () => {
  const gathered = createGatheredMetrics()
  let asked = 0
  let id = 0
  const late = {
    ask(question: number) {
      asked += 1
      id = question
    },
  }
  gathered.add(late)
  const [one, other] = [gathered.gather(), gathered.gather()]
  expect(asked).toBe(1)
  gathered.take(late, id - 1, [gauge('running', 5)])
  gathered.take(late, id, [gauge('running', 7)])
  expect(await one).toBe(await other)
  expect(sampleOf(await one, 'running')).toBe(7)
})
