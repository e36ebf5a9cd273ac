import { factsOf, sentenceOf } from '../judge/conformance/report/rule-facts.js'
import { fieldPathsOf } from '../judge/conformance/report/violation-kind.js'
import { type Finding, RULES, type ScenarioResult, type Verdict } from '../judge/probe/index.js'

/* A report that is passed on to others: of the server it has only a plain model name, and it has no keys of the user. */

/** What was probed, and by what. */
export interface Probed {
  /** Of this package. */
  readonly version: string
  readonly date: string
  readonly model: string
  readonly profile: string
}

/** What a server did wrong, at all its places. */
export interface ReportedFault {
  readonly severity: Finding['severity']
  readonly rule: string
  /** What the rule demands. */
  readonly sentence: string
  /** The fields of an event or a response that it is about. */
  readonly fields: readonly string[]
  readonly breaks: readonly string[]
  readonly scenarios: readonly string[]
  /** The shortest request that shows it. */
  readonly request: string
}

export interface ProbeReport {
  /** What was probed and by what, as rows. */
  readonly about: readonly (readonly [name: string, value: string])[]
  readonly counts: readonly (readonly [Verdict, number])[]
  readonly scenarios: readonly Pick<ScenarioResult, 'scenario' | 'asks' | 'verdict' | 'why'>[]
  /** Those that break most clients first, warnings last. */
  readonly faults: readonly ReportedFault[]
}

export function reportOf(probed: Probed, results: readonly ScenarioResult[]): ProbeReport {
  const verdicts: readonly Verdict[] = ['pass', 'fail', 'inconclusive', 'unsupported']
  return {
    about: [
      ['model', nameOf(probed.model)],
      ['probed with', `harmony-responses ${probed.version}`],
      ['checked against', `${probed.profile}, and the clients that this version models`],
      ['date', probed.date],
      ['output tokens a second', speedOf(results)],
      ['requests', String(results.reduce((sum, { requests }) => sum + requests, 0))],
    ],
    counts: verdicts.map((verdict) => [verdict, results.filter((result) => result.verdict === verdict).length]),
    scenarios: results.map(({ scenario, asks, verdict, why }) => ({
      ...{ scenario, asks, verdict },
      ...(why === undefined ? {} : { why: ownWords(why) }),
    })),
    faults: faultsOf(results),
  }
}

/** A name that a server chose may be any text: only one like those of models is shown. */
const nameOf = (model: string): string => (/^[\w./:@+-]{1,100}$/.test(model) ? model : 'one whose name is not shown')

function speedOf(results: readonly ScenarioResult[]): string {
  const tokens = results.reduce((sum, { output }) => sum + output.tokens, 0)
  const seconds = results.reduce((sum, { output }) => sum + output.milliseconds, 0) / 1000
  if (seconds === 0) return 'not measured: no streamed answer was long enough'
  return `${(tokens / seconds).toFixed(1)}, of ${tokens} in streams, by the server's count, one request at a time`
}

/** The probe's words of a reason: what the server said comes behind a colon. A status alone is that of a refusal. */
function ownWords(why: string): string {
  const [own = ''] = why.split(':')
  return /^\d+$/.test(own) ? `refused with ${own}` : own
}

const PROBE_RULES: Readonly<Record<string, string>> = RULES

function faultsOf(results: readonly ScenarioResult[]): ReportedFault[] {
  const faults = new Map<string, ReportedFault>()
  for (const { scenario, findings } of results) {
    for (const finding of findings) {
      const { severity, rule, breaks, ask } = finding
      const key = `${severity} ${rule}`
      const known = faults.get(key)
      faults.set(key, {
        ...{ severity, rule, sentence: sentenceOf(rule) ?? PROBE_RULES[rule] ?? '' },
        fields: union(known?.fields, fieldsOf(finding)),
        breaks: union(known?.breaks, breaks),
        scenarios: union(known?.scenarios, [scenario]),
        request: shorter(known?.request, ask),
      })
    }
  }
  const rank = ({ severity }: ReportedFault): number => (severity === 'error' ? 0 : 1)
  return [...faults.values()].sort((a, b) => rank(a) - rank(b) || b.breaks.length - a.breaks.length)
}

const union = (some: readonly string[] = [], others: readonly string[]): string[] => [...new Set([...some, ...others])]

const shorter = (known: string | undefined, other = ''): string =>
  known === undefined || known === '' || (other !== '' && other.length < known.length) ? other : known

/** Fields whose members users and servers name. */
const FREE = /\.(?:metadata|parameters|schema|arguments|attributes|properties)\b.*$/

/** The fields of a schema that a finding is about. One that no schema has may have any name. */
function fieldsOf({ rule, expected }: Finding): string[] {
  if (!factsOf(rule).namesField || expected.startsWith('no field')) return []
  return fieldPathsOf({ rule, expected })
    .map((path) => path.replace(FREE, ''))
    .filter((path) => /^[a-z_]+(?:\.[a-z_]+)*$/.test(path))
}
