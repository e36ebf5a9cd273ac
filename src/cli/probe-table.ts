import { CLIENTS, MESSAGES_CLIENTS } from '../judge/conformance/index.js'
import type { Probe, ScenarioResult, Verdict } from '../judge/probe/index.js'
import { counted } from './counted.js'
import { type Row, rowsOf } from './probe-rows.js'
import { createPaint, type Paint, plain, type Style, wrap } from './terminal-text.js'
import type { Screen } from './timeline-layout.js'

const STYLES: Readonly<Record<Verdict, Style>> = {
  pass: 'green',
  fail: 'red',
  inconclusive: 'yellow',
  unsupported: 'blue',
}

/** The output of a probe: a line for each scenario as it ends, then a table of the findings. */
export interface ProbeTable {
  head(probe: Pick<Probe, 'url' | 'model' | 'profile'>): string
  line(result: ScenarioResult): string
  foot(results: readonly ScenarioResult[]): string
}

/**
 * Creates the table. Text from a server is escaped, so that none of it moves the cursor, changes a colour, or forges a
 * line.
 */
export function createProbeTable({ columns, hasColors }: Screen): ProbeTable {
  const paint = createPaint(hasColors)
  /** The scenarios of each note, which is printed at the first of them. */
  const noted = new Map<string, string[]>()
  const block = (text: string, indent: number): string => {
    const blanks = ' '.repeat(indent)
    return wrap(plain(text), Math.max(columns - indent, 40), 2)
      .map((line) => `${blanks}${line}\n`)
      .join('')
  }
  return {
    head: ({ url, model, profile }) =>
      `${plain(`${url}, model ${model}, checked against ${profile} and the clients`)}\n\n`,
    line(result) {
      const news = result.notes.filter((note) => !noted.has(note))
      for (const note of result.notes) noted.set(note, [...(noted.get(note) ?? []), result.scenario])
      return lineOf({ ...result, notes: news }, paint, block)
    },
    foot: (results) => againOf(noted, block) + footOf(results, paint, block),
  }
}

/** Lists repeated notes. */
function againOf(noted: ReadonlyMap<string, readonly string[]>, block: Block): string {
  const again = [...noted].filter(([, scenarios]) => scenarios.length > 1)
  if (again.length === 0) return ''
  return `\n${again.map(([note, [, ...others]]) => block(`note: ${note}: also in ${others.join(', ')}`, 0)).join('')}`
}

type Block = (text: string, indent: number) => string

function lineOf({ scenario, verdict, why, findings, notes }: ScenarioResult, paint: Paint, block: Block): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  const counts = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ]
  const words = [...counts, ...(why === undefined ? [] : [why])].join('; ')
  const head = `${paint(verdict.padEnd(12), STYLES[verdict])} ${scenario.padEnd(17)}`
  // The first line stands beside the head, the rest below it.
  const beside = words === '' ? '\n' : ` ${block(words, BESIDE).trimStart()}`
  const below = notes.map((note) => block(`note: ${note}`, BESIDE)).join('')
  return `${words === '' ? head.trimEnd() : head}${beside}${below}`
}

/** The column of the words beside a verdict and a name. */
const BESIDE = 31

function footOf(results: readonly ScenarioResult[], paint: Paint, block: Block): string {
  const rows = rowsOf(results)
  const verdicts = (Object.keys(STYLES) as Verdict[])
    .map((verdict) => [verdict, results.filter((result) => result.verdict === verdict).length] as const)
    .filter(([, number]) => number > 0)
    .map(([verdict, number]) => `${number} ${verdict}`)
    .join(', ')
  if (rows.length === 0) return `\n${verdicts}; no problems\n`
  const labels = rows.map(labelOf)
  const width = labels.reduce((max, { length }) => Math.max(max, length), 0)
  // Clients of the Messages API alone have a column where one of them breaks.
  const others = MESSAGES_CLIENTS.filter((client) => !isAmong(CLIENTS, client))
  const clients = [...CLIENTS, ...others.filter((client) => rows.some(({ breaks }) => breaks.has(client)))]
  const head = paint(`${' '.repeat(width)}  ${clients.join('  ')}`, 'bold')
  const body = rows.map((row, index) => rowOf(row, (labels[index] ?? '').padEnd(width), clients, paint, block)).join('')
  return `\n${LEGEND}\n\n${head}\n${body}\n${verdicts}; ${counted(rows.length, 'cause')}\n`
}

const isAmong = (list: readonly string[], one: string): boolean => list.includes(one)

const LEGEND =
  "Problems, worst first. x: this client breaks. No x: none of these breaks, but OpenAI's server never does this."

function labelOf({ finding: { severity, rule } }: Row, index: number): string {
  return `${String(index + 1).padStart(2)} ${severity.padEnd(7)} ${rule}`
}

function rowOf(
  { finding, breaks, scenarios, more, moreRules }: Row,
  label: string,
  clients: readonly string[],
  paint: Paint,
  block: Block,
): string {
  const { severity, request, position, type, expected, got, frame, curl, cause = 'server' } = finding
  const marks = clients.map((client) => (breaks.has(client) ? 'x' : '.').padEnd(client.length)).join('  ')
  const at = position === undefined ? '' : `, ${type === undefined ? 'at the end' : `event ${position} ${type}`}`
  const where = [...scenarios].map(([name, answers]) => (answers === 1 ? name : `${name} (${answers})`)).join(', ')
  const rules = [...moreRules]
  const others = rules.length === 0 ? '' : `: ${rules.slice(0, SOME).join(', ')}${rules.length > SOME ? ', ...' : ''}`
  return [
    `${paint(label, severity === 'error' ? 'red' : 'yellow')}  ${marks}`.trimEnd(),
    '\n',
    block(`${request}${at}: expected ${expected}, got ${got}`, INDENT),
    block(`in ${where}`, INDENT),
    block(
      `cause: the ${cause}${cause === 'fixture' ? ', as the server gives different requests the same answer' : ''}`,
      INDENT,
    ),
    frame === undefined ? '' : block(`event: ${frame}`, INDENT),
    // Not wrapped, so that it can be copied.
    curl === undefined ? '' : `${' '.repeat(INDENT)}${plain(curl)}\n`,
    more === 0 ? '' : block(`and ${more} more because of it${others}`, INDENT),
  ].join('')
}

/** The maximum number of broken rules that are named for a cause. */
const SOME = 6
/** The indent of the words below a row. */
const INDENT = 3
