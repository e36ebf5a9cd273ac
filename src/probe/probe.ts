import { PROFILES, type Profile } from '../conformance/index.js'
import { asFields, asList } from '../conformance/stream-event.js'
import { check } from '../errors.js'
import { createConcealer } from '../sources/http/conceal.js'
import { requestHeaders } from '../sources/http/request-headers.js'
import { endpointOf } from './endpoint.js'
import type { Finding } from './finding.js'
import { objectIn } from './judge-answer.js'
import type { Outcome, Scenario } from './scenario.js'
import { SCENARIOS } from './scenarios/index.js'
import { type Limits, send, type Timer } from './send.js'
import { createSession, RateLimited, ServerGone, type Session } from './session.js'

/**
 * `fail`: at least one finding is an error. `inconclusive`: the model did something else than what the scenario is about,
 * or the server was gone before. `unsupported`: the server refuses an ability that is optional.
 */
export type Verdict = 'pass' | 'fail' | 'inconclusive' | 'unsupported'

/** What one scenario showed. */
export interface ScenarioResult {
  readonly scenario: string
  /** What it wants to see, in one sentence. */
  readonly asks: string
  readonly verdict: Verdict
  /** Why it is inconclusive or unsupported, or would be where nothing else failed. */
  readonly why?: string
  /** Root causes, in the order in which they came. */
  readonly findings: readonly Finding[]
  /** What is no fault, but good to know. */
  readonly notes: readonly string[]
  /** How many requests it took. */
  readonly requests: number
}

export interface ProbeOptions {
  /** `http://host:8000`, with or without `/v1` or `/v1/responses`. */
  readonly url: string
  /** Default: the first that the server lists at `/models`, or `default`. */
  readonly model?: string
  /** Sent with every request, and never repeated in a result. */
  readonly headers?: Readonly<Record<string, string>>
  /** Names of scenarios. Default: all of `SCENARIOS`. */
  readonly only?: readonly string[]
  /** Whom streams are held against, beside the clients. Default `openai`. */
  readonly profile?: Profile
  /** The longest silence of the server, in milliseconds. Default 60,000. An answer as a whole may take ten times that. */
  readonly timeout?: number
  /** The longest answer, in bytes. Default 8 MiB. */
  readonly maxBytes?: number
  /** Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch
  /** Stops the probe: it rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Calls back after some milliseconds, unless it is cancelled by what it returns. Default: by `setTimeout`. */
  readonly timer?: Timer
}

/** A probe that is under way. */
export interface Probe {
  /** Where requests go, as it may be shown. */
  readonly url: string
  readonly model: string
  readonly profile: Profile
  /** One scenario after the other, one request at a time. */
  readonly results: AsyncGenerator<ScenarioResult>
}

/**
 * Judges a live Responses server: asks it what clients ask, and holds every answer against what clients need.
 *
 *     const { results } = await probe({ url: 'http://localhost:8000' })
 *     for await (const { scenario, verdict, findings } of results) console.log(scenario, verdict, findings)
 *
 * What the server does wrong is a finding, never an exception.
 *
 * @throws HarmonyResponsesError `bad_option`; from `results`: CannotReach, where there is no Responses server
 */
export async function probe(options: ProbeOptions): Promise<Probe> {
  const { url, model, headers: own = {}, only, profile = 'openai', timeout = 60_000, maxBytes = 8 * 2 ** 20 } = options
  const { fetch = globalThis.fetch, signal, timer = byTimeout } = options
  check(PROFILES.includes(profile), 'profile', `one of ${PROFILES.join(', ')}`, profile)
  check(Number.isFinite(timeout) && timeout > 0, 'timeout', 'milliseconds, more than 0', timeout)
  check(Number.isFinite(maxBytes) && maxBytes > 0, 'maxBytes', 'a number of bytes, more than 0', maxBytes)
  const scenarios = chosen(only)
  const endpoint = endpointOf(url)
  const { headers, secrets } = requestHeaders(undefined, own, endpoint.authorization)
  const conceal = createConcealer([...secrets, ...endpoint.secrets])
  const limits: Limits = { timeout, maxBytes, signal, timer }
  const used = model ?? (await firstModel(endpoint.models, headers, fetch, limits))
  const session = createSession({ endpoint, model: used, profile, headers, fetch, limits })

  async function* results(): AsyncGenerator<ScenarioResult> {
    let since: string | undefined
    let lost = 0
    for (const scenario of scenarios) {
      if (lost > 1) yield goneSince(scenario, since)
      else {
        const result = await resultOf(scenario, session).catch((error: unknown) => {
          if (error instanceof ServerGone) return undefined
          if (error instanceof Error) error.message = conceal.text(error.message)
          throw error
        })
        lost = result === undefined ? lost + 1 : 0
        yield result === undefined ? goneSince(scenario, since) : concealed(result, conceal.text)
        if (result !== undefined && session.isGone) since = scenario.name
      }
    }
  }

  return { url: endpoint.shown, model: conceal.text(used), profile, results: results() }
}

const byTimeout: Timer = (milliseconds, elapsed) => {
  const timeout = setTimeout(elapsed, milliseconds)
  return () => clearTimeout(timeout)
}

function chosen(only: readonly string[] | undefined): readonly Scenario[] {
  if (only === undefined || only.length === 0) return SCENARIOS
  const names = SCENARIOS.map(({ name }) => name)
  for (const name of only) check(names.includes(name), 'only', `some of ${names.join(', ')}`, name)
  return SCENARIOS.filter(({ name }) => only.includes(name))
}

async function firstModel(
  url: string,
  headers: Headers,
  fetch: typeof globalThis.fetch,
  limits: Limits,
): Promise<string> {
  const { status, text } = await send(fetch, { method: 'GET', url, headers }, limits)
  const [first] = status === 200 ? asList(objectIn(text)?.['data']) : []
  const { id } = asFields(first)
  return typeof id === 'string' ? id : 'default'
}

async function resultOf(scenario: Scenario, session: Session): Promise<ScenarioResult> {
  const sight = session.begin()
  let shown: Outcome
  try {
    shown = await scenario.run(sight.server)
  } catch (error) {
    if (error instanceof RateLimited) shown = { verdict: 'inconclusive', why: error.message }
    // What it found before is worth more than that nothing comes any more.
    else if (error instanceof ServerGone && sight.findings.length > 0) shown = 'shown'
    else throw error
  }
  const { findings, notes, requests } = sight
  const { verdict, why } = shown === 'shown' ? { verdict: 'pass' as const, why: undefined } : shown
  return {
    scenario: scenario.name,
    asks: scenario.asks,
    verdict: findings.some(({ severity }) => severity === 'error') ? 'fail' : verdict,
    ...(why === undefined ? {} : { why }),
    findings,
    notes,
    requests,
  }
}

function goneSince({ name, asks }: Scenario, since: string | undefined): ScenarioResult {
  const why = `the server does not answer any more${since === undefined ? '' : `, since ${since}`}`
  return { scenario: name, asks, verdict: 'inconclusive', why, findings: [], notes: [], requests: 0 }
}

/** A result that repeats no secret, whoever wrote it into an answer. */
function concealed(result: ScenarioResult, conceal: (text: string) => string): ScenarioResult {
  const { why, findings, notes } = result
  return {
    ...result,
    ...(why === undefined ? {} : { why: conceal(why) }),
    findings: findings.map((finding) => ({
      ...finding,
      ...(finding.type === undefined ? {} : { type: conceal(finding.type) }),
      expected: conceal(finding.expected),
      got: conceal(finding.got),
    })),
    notes: notes.map(conceal),
  }
}
