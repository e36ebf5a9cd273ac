import { CLIENTS, type Client, createChecker, type Profile, type Violation } from '../conformance/index.js'
import type { StreamEvent } from '../conformance/stream-event.js'
import { type Cause, causesOf } from './causes.js'
import { type Finding, shortened } from './finding.js'

/** What the judge says of a stream. */
export interface Judgement {
  /** Errors before warnings, each in the order of the stream. */
  readonly findings: readonly Finding[]
  /** What the model wrote and no server can mend, in words. */
  readonly notes: readonly string[]
}

/** One cause, and whom it concerns. */
interface Concern {
  readonly cause: Cause
  readonly breaks: Client[]
}

/**
 * Holds a stream against the profile that was asked for, and against what each client needs.
 *
 * @param isWhole - false where the stream was cut off: then nothing is said of what is missing at its end
 */
export function judgeEvents(
  request: string,
  events: readonly StreamEvent[],
  profile: Profile,
  isWhole: boolean,
): Judgement {
  const concerns = new Map<string, Concern>()
  const notes = new Set<string>()
  const concern = (violations: readonly Violation[], client: Client | undefined): void => {
    for (const { rule, fault, expected, got } of violations) {
      if (fault === 'model') notes.add(`the model's doing, in ${request}: ${rule}: expected ${expected}, got ${got}`)
    }
    for (const cause of causesOf(violations)) {
      const { rule, position, severity } = cause.violation
      const key = `${severity} ${position} ${rule}`
      const known = concerns.get(key)
      const breaks = known?.breaks ?? []
      if (client !== undefined && severity === 'error') breaks.push(client)
      concerns.set(key, { cause: known?.cause ?? cause, breaks })
    }
  }

  concern(violationsOf(events, profile, isWhole), undefined)
  for (const client of CLIENTS) concern(violationsOf(events, `client:${client}`, isWhole), client)

  const findings = [...concerns.values()].map(({ cause, breaks }) => findingOf(request, cause, breaks))
  const at = ({ severity, position = 0 }: Finding): number => (severity === 'error' ? 0 : events.length + 1) + position
  return { findings: findings.sort((a, b) => at(a) - at(b)), notes: [...notes] }
}

/** That clients like no ending but one: a server that ends at the limit it was given does what it should. */
const NO_FAULT = 'response-completes'

function violationsOf(events: readonly StreamEvent[], profile: Profile, isWhole: boolean): Violation[] {
  const checker = createChecker({ profile })
  const violations = events.flatMap((event) => checker.push(event))
  if (isWhole) violations.push(...checker.end())
  return violations.filter(({ rule }) => rule !== NO_FAULT)
}

function findingOf(request: string, { violation, more, moreRules }: Cause, breaks: readonly Client[]): Finding {
  const { rule, severity, position, type, expected, got } = violation
  return {
    rule,
    severity,
    breaks,
    request,
    position,
    ...(type === undefined ? {} : { type: shortened(type) }),
    expected,
    got,
    more,
    moreRules,
  }
}
