import type { AdminInterval, AdminSeries } from '../../endpoint/server/admin/types.js'
import { bytesWords, durationWords, numberWords, shareWords } from './words.js'

/** How many codes of errors have a line of their own. */
const MAX_CODES = 4

/** A line of a chart: a value for each interval, null where there is none. */
export interface Line {
  /** What it shows, if the chart has several. Words of the server may be in it. */
  readonly label: string
  readonly values: readonly (number | null)[]
}

export interface ChartFigures {
  readonly title: string
  readonly lines: readonly Line[]
  /** Says a value. */
  readonly words: (value: number | null) => string
  /** Whether its values are counts, of which there are no halves. */
  readonly counts?: true
  /** Whether lines are added while it is shown. */
  readonly takesMore?: true
}

/** The charts of an hour, and the times of their values: the beginnings of its intervals, in Unix seconds. */
export interface Hour {
  readonly times: readonly number[]
  readonly charts: readonly ChartFigures[]
}

/** Arranges a series as charts. The interval that is not over yet is left out: its counts have only begun. */
export function hourOf(series: AdminSeries | undefined): Hour {
  const data = series?.data.slice(0, -1) ?? []
  const line = (label: string, of: (interval: AdminInterval) => number | null): Line => ({
    label,
    values: data.map(of),
  })
  return {
    times: data.map(({ at }) => at),
    charts: [
      { title: 'Tokens a second', words: numberWords, lines: [line('', (each) => each.tokens_per_second)] },
      {
        title: 'Time to the first token',
        words: durationWords,
        lines: [line('p50', (each) => each.first_token_p50), line('p99', (each) => each.first_token_p99)],
      },
      {
        title: 'Running and waiting',
        words: numberWords,
        counts: true,
        lines: [line('running', ({ running }) => running), line('waiting', ({ waiting }) => waiting)],
      },
      {
        ...{ title: 'Errors in ten seconds', words: numberWords, counts: true, takesMore: true },
        lines: errorLines(data, line),
      },
      { title: 'Cached share of the input', words: shareWords, lines: [line('', (each) => each.cached_share)] },
      { title: 'Memory', words: bytesWords, lines: [line('', (each) => each.memory_bytes)] },
    ],
  }
}

/** The codes that came most often, a line each, and one for all others. */
function errorLines(
  data: readonly AdminInterval[],
  line: (label: string, of: (interval: AdminInterval) => number) => Line,
): readonly Line[] {
  const totals = new Map<string, number>()
  for (const { errors } of data) {
    for (const [code, count] of Object.entries(errors)) totals.set(code, (totals.get(code) ?? 0) + count)
  }
  const codes = [...totals].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([code]) => code)
  const own = codes.slice(0, MAX_CODES)
  const countOf = ({ errors }: AdminInterval, code: string): number =>
    Object.hasOwn(errors, code) ? (errors[code] as number) : 0
  const lines = own.map((code) => line(code, (interval) => countOf(interval, code)))
  if (codes.length === 0) return [line('none', () => 0)]
  if (codes.length === own.length) return lines
  const sum = (interval: AdminInterval): number =>
    codes.slice(MAX_CODES).reduce((all, code) => all + countOf(interval, code), 0)
  return [...lines, line('all others', sum)]
}
