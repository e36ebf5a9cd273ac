import type { Finding, ScenarioResult } from '../judge/probe/index.js'

/** One root cause with all its occurrences. */
export interface Row {
  /** The first occurrence. */
  readonly finding: Finding
  /** The clients that break at any occurrence. */
  readonly breaks: ReadonlySet<string>
  /** The scenarios in which it was found, with the number of their answers. */
  readonly scenarios: ReadonlyMap<string, number>
  readonly more: number
  readonly moreRules: ReadonlySet<string>
}

/** Returns the key of a row: the same cause at the same kind of event, and the same behaviour of the server. */
function keyOf({ severity, rule, type = '', expected, got, cause }: Finding): string {
  // Numbers and ids of one run do not distinguish causes; a status does.
  const [, status = '', words = ''] = /^(?:(\d{3})\b:? ?)?([\s\S]*)$/.exec(got) ?? []
  const kind = status === '' ? plainWords(words) : ''
  return JSON.stringify([severity, rule, type, expected.replace(/"[^"]*"|\d+/g, '#'), status, kind, cause])
}

/** Strips the parts that differ between answers: values, numbers, and the server's own words. */
const plainWords = (words: string): string => words.replace(/"[^"]*"|[{[].*|\d+/gs, '#').split(/[:(]/, 1)[0] as string

/** Returns the findings of all scenarios, one row for each cause: most broken clients first, errors before warnings. */
export function rowsOf(results: readonly ScenarioResult[]): Row[] {
  const rows = new Map<string, { -readonly [Field in keyof Row]: Row[Field] }>()
  for (const { scenario, findings } of results) {
    for (const finding of findings) {
      const key = keyOf(finding)
      const known = rows.get(key)
      const count = (known?.scenarios.get(scenario) ?? 0) + 1
      rows.set(key, {
        finding: known?.finding ?? finding,
        breaks: new Set([...(known?.breaks ?? []), ...finding.breaks]),
        scenarios: new Map([...(known?.scenarios ?? []), [scenario, count]]),
        more: (known?.more ?? 0) + finding.more,
        moreRules: new Set([...(known?.moreRules ?? []), ...finding.moreRules]),
      })
    }
  }
  const isWarning = ({ finding }: Row): number => (finding.severity === 'warning' ? 1 : 0)
  // Sorting is stable: among equally bad rows, a cause stays before its consequences.
  return [...rows.values()].sort((a, b) => b.breaks.size - a.breaks.size || isWarning(a) - isWarning(b))
}
