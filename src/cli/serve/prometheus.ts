import type { Metric, ResponseService } from '../../endpoint/server/index.js'
import type { Family } from './metric-families.js'

/** The metrics of a server, for Prometheus. */
export interface PrometheusMetrics {
  take(metric: Metric): void
  /** Reads all metrics, whose {@link prometheusText} Prometheus reads. */
  read(): Family[]
}

/** Upper bounds of the histograms' buckets, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]

type Labels = Readonly<Record<string, string | number>>

/** No client's text becomes a label, so that the number of series is bounded by the server's own names. */
/**
 * @param memory - returns the bytes in use, by purpose; undefined before there is a server
 * @param grammarBackend - returns the engine's grammar backend; undefined if there is only one
 */
export function createPrometheusMetrics(
  memory: () => ResponseService['memory'] | undefined = () => undefined,
  grammarBackend: () => string | undefined = () => undefined,
): PrometheusMetrics {
  const families: Readable[] = []
  const add = <Made extends Readable>(family: Made): Made => {
    families.push(family)
    return family
  }
  const count = (name: string, help: string): Counter => add(createCounter(`harmony_${name}`, help))
  const time = (name: string, help: string): Histogram => add(createHistogram(`harmony_${name}_seconds`, help))
  const gauge = (name: string, help: string): Gauge => add(createGauge(`harmony_${name}`, help))

  const requests = count('requests_total', 'Answered HTTP requests, by the status of the answer.')
  const aborts = count('aborted_requests_total', 'HTTP requests whose clients left before the end of the answer.')
  const requestTime = time('request', 'Time from an HTTP request to the end of its answer.')
  const running = gauge('responses_running', 'Responses in progress.')
  const waiting = gauge('responses_waiting', 'Requests waiting for their turn.')
  const queueTime = time('queue', 'Time that requests waited for their turn.')
  const firstToken = time('first_token', "Time from a request to the model's first token.")
  const memoryHeld = gauge('memory_bytes', 'Bytes in use, by purpose.')
  const memoryLimit = gauge('memory_limit_bytes', 'Limit of the bytes in use.')
  const memoryRefusals = count('memory_refusals_total', 'Refusals for lack of memory.')
  const responses = count('responses_total', 'Finished responses, by outcome.')
  const responseTime = time('response', 'Time from a request to the end of its response.')
  const tokens = count('tokens_total', 'Tokens of responses. Cached ones are of the input, reasoning is of the output.')
  const modelCalls = count('model_calls_total', 'Calls of the engine.')
  const modelTime = time('model_call', 'Time that calls of the engine took.')
  const restarts = count(
    'engine_restarts_total',
    'Calls of an engine that failed in the middle of a response, and was asked again.',
  )
  const toolCalls = count('tool_calls_total', 'Hosted calls that ran.')
  const toolTime = time('tool_call', 'Time that hosted calls took.')
  const backendHelp = "The grammar backend of the engine's server, as a label."
  add(createInfo('harmony_grammar_backend_info', backendHelp, 'backend', grammarBackend))

  return {
    take(metric) {
      switch (metric.type) {
        case 'request_started':
          return
        case 'request_ended': {
          const { method, route, status, seconds, isAborted } = metric
          requests.add({ method, route, status })
          requestTime.observe({ route }, seconds)
          if (isAborted) aborts.add({ route })
          return
        }
        case 'load_changed':
          running.set(metric.running)
          waiting.set(metric.waiting)
          return
        case 'memory_refused':
          return memoryRefusals.add({ purpose: metric.purpose, status: metric.isPermanent ? 413 : 429 })
        case 'response_started':
          return queueTime.observe({}, metric.seconds)
        case 'first_token':
          return firstToken.observe({ model: metric.model }, metric.seconds)
        case 'model_called': {
          const { model, seconds, isFailed } = metric
          modelCalls.add({ model, outcome: outcomeOf(isFailed) })
          return modelTime.observe({ model }, seconds)
        }
        case 'engine_restarted':
          return restarts.add({ model: metric.model })
        case 'tool_called': {
          const { tool, seconds, isFailed } = metric
          toolCalls.add({ tool, outcome: outcomeOf(isFailed) })
          return toolTime.observe({ tool }, seconds)
        }
        case 'response_ended': {
          const { model, status, seconds, inputTokens, cachedTokens, outputTokens, reasoningTokens } = metric
          responses.add({ model, status })
          responseTime.observe({ model }, seconds)
          const counts = { input: inputTokens, cached: cachedTokens, output: outputTokens, reasoning: reasoningTokens }
          for (const [type, number] of Object.entries(counts)) if (number !== null) tokens.add({ model, type }, number)
        }
      }
    },
    read() {
      const use = memory()
      if (use !== undefined) memoryLimit.set(use.total)
      for (const [purpose, bytes] of Object.entries(use?.by ?? {})) memoryHeld.set(bytes, { purpose })
      return families.map((family) => family.read())
    },
  }
}

function outcomeOf(isFailed: boolean): string {
  return isFailed ? 'failed' : 'completed'
}

interface Readable {
  read(): Family
}

interface Counter extends Readable {
  add(labels: Labels, number?: number): void
}

interface Gauge extends Readable {
  set(number: number, labels?: Labels): void
}

interface Histogram extends Readable {
  observe(labels: Labels, seconds: number): void
}

function createCounter(name: string, help: string): Counter {
  const values = new Map<string, number>()
  return {
    add(labels, number = 1) {
      const key = name + labelText(labels)
      values.set(key, (values.get(key) ?? 0) + number)
    },
    read: () => ({ name, help, type: 'counter', samples: [...values] }),
  }
}

function createGauge(name: string, help: string): Gauge {
  const values = new Map<string, number>()
  return {
    set: (number, labels = {}) => void values.set(name + labelText(labels), number),
    read: () => ({ name, help, type: 'gauge', samples: values.size === 0 ? [[name, 0]] : [...values] }),
  }
}

/**
 * Formats a value as the label of a gauge that is 1: no series before there is a value, and only the latest one after
 * that.
 */
function createInfo(name: string, help: string, label: string, value: () => string | undefined): Readable {
  return {
    read() {
      const now = value()
      const samples = now === undefined ? [] : [[name + labelText({ [label]: now }), 1] as const]
      return { name, help, type: 'gauge', samples }
    },
  }
}

function createHistogram(name: string, help: string): Histogram {
  const series = new Map<string, { readonly labels: Labels; readonly counts: number[]; sum: number; count: number }>()
  return {
    observe(labels, seconds) {
      const key = labelText(labels)
      const one = series.get(key) ?? { labels, counts: BUCKETS.map(() => 0), sum: 0, count: 0 }
      series.set(key, one)
      for (const [index, limit] of BUCKETS.entries()) if (seconds <= limit) (one.counts[index] as number) += 1
      one.sum += seconds
      one.count += 1
    },
    read() {
      const samples = Array.from(series, ([key, { labels, counts, sum, count }]) => {
        const bucket = (le: string | number, value: number) =>
          [`${name}_bucket${labelText({ ...labels, le })}`, value] as const
        const buckets = BUCKETS.map((limit, index) => bucket(limit, counts[index] as number))
        return [...buckets, bucket('+Inf', count), [`${name}_sum${key}`, sum], [`${name}_count${key}`, count]] as const
      })
      return { name, help, type: 'histogram', samples: samples.flat() }
    },
  }
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
