import {
  type Cause,
  CHAT_CLIENTS,
  CLIENTS,
  createChecker,
  createReport,
  MESSAGES_CLIENTS,
  type Profile,
} from '../conformance/index.js'
import type { AnyProfile } from '../conformance/profiles.js'
import type { StreamEvent } from '../conformance/stream-event.js'
import { type AnyClient, type Finding, preview } from './finding.js'

/** The judge's findings for a stream. */
export interface Judgement {
  /** Errors before warnings, each in the order of the stream. */
  readonly findings: readonly Finding[]
  /** Violations that are the model's fault, which no server can fix, as sentences. */
  readonly notes: readonly string[]
}

/** A cause, and the clients that it breaks. */
interface Concern {
  readonly cause: Cause
  readonly breaks: Set<AnyClient>
}

/** The clients of an API, each with its profile. */
type Clients = readonly (readonly [AnyClient, AnyProfile])[]

/** Checks a stream of Chat Completions against what OpenAI does and against each client, as {@link judgeEvents} does. */
export const judgeChunks = (request: string, chunks: readonly StreamEvent[], isWhole: boolean): Judgement =>
  judge(
    request,
    chunks,
    'chat',
    CHAT_CLIENTS.map((client) => [client, `chat:${client}`]),
    isWhole,
  )

/** Checks a stream of the Messages API against what Anthropic does and against each client, as {@link judgeEvents} does. */
export const judgeMessages = (request: string, events: readonly StreamEvent[], isWhole: boolean): Judgement =>
  judge(
    request,
    events,
    'messages',
    MESSAGES_CLIENTS.map((client) => [client, `messages:${client}`]),
    isWhole,
  )

/**
 * Checks a stream against a profile and against each client. If a client breaks, its error is attributed to the finding
 * of the profile about the same item, if there is one.
 *
 * @param isWhole - false if the stream was cut off: then missing events at its end are not reported
 */
export function judgeEvents(
  request: string,
  events: readonly StreamEvent[],
  profile: Profile,
  isWhole: boolean,
): Judgement {
  return judge(
    request,
    events,
    profile,
    CLIENTS.map((client) => [client, `client:${client}`]),
    isWhole,
  )
}

function judge(
  request: string,
  events: readonly StreamEvent[],
  profile: AnyProfile,
  clients: Clients,
  isWhole: boolean,
): Judgement {
  const notes = new Set<string>()
  /** The rules of what follows from the model's mistakes. */
  const excused = new Set<string>()
  const causesFor = (standard: AnyProfile): Cause[] => {
    const causes = causesOf(events, standard, isWhole)
    for (const { fault, lead } of causes) {
      const { rule, expected, got } = lead
      if (fault !== 'model') continue
      notes.add(`the model's fault, in ${request}: ${rule}: expected ${expected}, got ${got}`)
      for (const following of FOLLOWS_FROM_MODEL[rule] ?? []) excused.add(following)
    }
    return causes.filter(({ fault, lead }) => fault === 'server' && !excused.has(lead.rule))
  }

  const concerns: Concern[] = causesFor(profile).map((cause) => ({ cause, breaks: new Set() }))
  const isOfProfile = concerns.length
  for (const [client, needs] of clients) {
    const [first] = causesFor(needs).filter(({ severity }) => severity === 'error')
    if (first === undefined) continue
    const owner =
      matchingConcern(first, concerns.slice(0, isOfProfile)) ?? sameRuleAndPosition(first, concerns.slice(isOfProfile))
    if (owner === undefined) concerns.push({ cause: first, breaks: new Set([client]) })
    else owner.breaks.add(client)
  }

  const findings = concerns.map(({ cause, breaks }) => toFinding(request, cause, [...breaks]))
  const at = ({ severity, position = 0 }: Finding): number => (severity === 'error' ? 0 : events.length + 1) + position
  return { findings: findings.sort((a, b) => at(a) - at(b)), notes: [...notes] }
}

/** What clients make of calls whose arguments are no JSON differs, and no server can help it. */
const FOLLOWS_FROM_MODEL: Readonly<Record<string, readonly string[]>> = {
  'function-arguments-json': ['client-calls', 'client-arguments'],
}

/** The finding of the profile that explains a client's error: the one about the same field, event or item. */
function matchingConcern({ lead }: Cause, concerns: readonly Concern[]): Concern | undefined {
  const errors = concerns.filter(({ cause }) => cause.severity === 'error')
  const nearness = ({ cause }: Concern): number => {
    const { position, about } = cause.lead
    const isOfItem = about?.outputIndex !== undefined && about.outputIndex === lead.about?.outputIndex
    const shared = fieldNamesIn(cause.lead.expected).filter((field) => fieldNamesIn(lead.expected).includes(field))
    return 2 * shared.length + (position === lead.position ? 1 : 0) + (isOfItem ? 1 : 0)
  }
  let [nearest, max]: [Concern | undefined, number] = [undefined, 0]
  for (const concern of errors) {
    const near = nearness(concern)
    if (near > max) [nearest, max] = [concern, near]
  }
  return nearest
}

/** The field names in a message, such as `created_at` or `output_index`. */
function fieldNamesIn(words: string): string[] {
  return words.match(/[a-z]+(?:_[a-z]+)+/g) ?? []
}

/** The concern of another client with the same rule at the same event. */
function sameRuleAndPosition({ lead }: Cause, concerns: readonly Concern[]): Concern | undefined {
  return concerns.find(({ cause }) => cause.lead.rule === lead.rule && cause.lead.position === lead.position)
}

function causesOf(events: readonly StreamEvent[], profile: AnyProfile, isWhole: boolean): Cause[] {
  const checker = createChecker({ profile })
  const report = createReport()
  for (const event of events) for (const violation of checker.push(event)) report.add(violation)
  if (isWhole) for (const violation of checker.end()) report.add(violation)
  return report.causes()
}

function toFinding(
  request: string,
  { lead, severity, count, follow, consequences }: Cause,
  breaks: readonly AnyClient[],
): Finding {
  const { rule, position, type, expected, got } = lead
  const rules = consequences.flatMap(({ first }) => first.map((violation) => violation.rule))
  return {
    rule,
    severity,
    breaks,
    request,
    position,
    ...(type === undefined ? {} : { type: preview(type) }),
    expected,
    got,
    more: count - 1 + follow,
    moreRules: [...new Set(rules)].filter((other) => other !== rule),
  }
}
