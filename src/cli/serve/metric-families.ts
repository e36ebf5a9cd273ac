/** A metric with its samples, of one process or of several. Plain JSON. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  /** By their names and labels: `harmony_requests_total{route="/healthz"}`. */
  readonly samples: readonly (readonly [sample: string, value: number])[]
}

export const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** Formats metrics for Prometheus, as {@link PROMETHEUS_TYPE}. */
export function prometheusText(families: readonly Family[]): string {
  return families
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(([sample, value]) => `${sample} ${value}\n`)
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
    })
    .join('')
}

/** Adds up the metrics of several processes, sample by sample. A gauge that is only a label (`_info`) stays 1. */
export function sumFamilies(processes: readonly (readonly Family[])[]): Family[] {
  const sums = new Map<string, { readonly family: Family; readonly values: Map<string, number> }>()
  for (const family of processes.flat()) {
    const { values } = sums.get(family.name) ?? { values: new Map<string, number>() }
    sums.set(family.name, { family, values })
    const isLabel = family.name.endsWith('_info')
    for (const [sample, value] of family.samples)
      values.set(sample, isLabel ? value : (values.get(sample) ?? 0) + value)
  }
  return Array.from(sums.values(), ({ family, values }) => ({ ...family, samples: [...values] }))
}

/** What stays of the metrics of a process that has ended: what it counted, and not what it held. */
export function withoutGauges(families: readonly Family[]): Family[] {
  return families.filter(({ type }) => type !== 'gauge')
}
