import { createConcealer } from '../../engines/sources/http/conceal.js'
import { requestHeaders } from '../../engines/sources/http/request-headers.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aFunction, anything, aSignal, aString, listOf, oneOf, that } from '../../shared/options/checks.js'
import { PROFILES, type Profile } from '../conformance/index.js'
import { asFields, asList } from '../conformance/stream-event.js'
import { endpointOf } from './endpoint.js'
import type { Finding } from './finding.js'
import { objectIn } from './judge-answer.js'
import type { Outcome, Scenario } from './scenario.js'
import { SCENARIOS } from './scenarios/index.js'
import { byTimeout, type Limits, send, type Timer } from './send.js'
import { createSession, NotOffered, type Output, RateLimited, ServerGone, type Session } from './session.js'

/**
 * `fail`: at least one finding is an error. `inconclusive`: the model did not do what the scenario tests, or the server
 * was gone before. `unsupported`: the server refuses an optional feature.
 */
export type Verdict = 'pass' | 'fail' | 'inconclusive' | 'unsupported'

/** The result of one scenario. */
export interface ScenarioResult {
  readonly scenario: string
  /** The purpose of the scenario, in one sentence. */
  readonly asks: string
  readonly verdict: Verdict
  /** Why it is inconclusive or unsupported, or would be without other failures. */
  readonly why?: string
  /** Root causes, in the order in which they were found. */
  readonly findings: readonly Finding[]
  /** Observations that are not faults. */
  readonly notes: readonly string[]
  /** How many requests were sent. */
  readonly requests: number
  /** The output tokens of its streamed answers, by the server's count, and how long they took. */
  readonly output: Output
}

export interface ProbeOptions {
  /** `http://host:8000`, with or without `/v1`, `/v1/responses`, `/v1/chat/completions` or `/v1/messages`. */
  readonly url: string
  /** Default: the first model that the server lists at `/models`, or `default`. */
  readonly model?: string
  /** Sent with every request, and never repeated in a result. */
  readonly headers?: Readonly<Record<string, string>>
  /** Names of scenarios; `chat` for all of Chat Completions, `messages` for all of the Messages API. Default: all of `SCENARIOS`. */
  readonly only?: readonly string[]
  /** The standard for streams, besides the clients. Default `openai`. */
  readonly profile?: Profile
  /**
   * The longest silence of the server, in milliseconds. Default 60,000. A complete answer may take ten times as long.
   */
  readonly timeout?: number
  /** The longest answer, in bytes. Default 8 MiB. */
  readonly maxBytes?: number
  /** Default: the platform's. */
  readonly fetch?: typeof globalThis.fetch
  /** Stops the probe, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** The time in milliseconds, from any beginning. Default: `performance.now`. */
  readonly now?: () => number
  /** Calls back after some milliseconds. The returned function cancels it. Default: `setTimeout`. */
  readonly timer?: Timer
}

const isPositive = (value: unknown): boolean => Number.isFinite(value) && (value as number) > 0

/** Each names all scenarios of an API besides Responses. */
const APIS = ['chat', 'messages'] as const

const PROBE_OPTIONS: OptionTable<ProbeOptions> = {
  // `endpointOf` describes a wrong URL without its secrets.
  url: anything,
  model: aString,
  // `requestHeaders` checks them, and repeats no value.
  headers: anything,
  only: listOf(oneOf(...SCENARIOS.map(({ name }) => name), ...APIS), 'an array of names of scenarios'),
  profile: oneOf(...PROFILES),
  timeout: that(isPositive, 'milliseconds, more than 0'),
  maxBytes: that(isPositive, 'a number of bytes, more than 0'),
  fetch: aFunction,
  signal: aSignal,
  now: aFunction,
  timer: aFunction,
}

/** A running probe. */
export interface Probe {
  /** The URL of the requests, without secrets. */
  readonly url: string
  readonly model: string
  readonly profile: Profile
  /** The results, one scenario after the other, with one request at a time. */
  readonly results: AsyncGenerator<ScenarioResult>
}

/**
 * Tests a live Responses server: sends the requests that clients send, and checks that every answer has what clients
 * need.
 *
 *     const { results } = await probe({ url: 'http://localhost:8000' })
 *     for await (const { scenario, verdict, findings } of results) console.log(scenario, verdict, findings)
 *
 * Faults of the server are findings, never exceptions.
 *
 * @throws HarmonyResponsesError `bad_option`; `results` throws CannotReach if there is no Responses server
 */
export async function probe(options: ProbeOptions): Promise<Probe> {
  checkOptions('probe', options, PROBE_OPTIONS, ['url'])
  const { url, model, headers: own = {}, only, profile = 'openai', timeout = 60_000, maxBytes = 8 * 2 ** 20 } = options
  const { fetch = globalThis.fetch, signal, timer = byTimeout, now = () => performance.now() } = options
  const scenarios = chosen(only)
  const endpoint = endpointOf(url)
  const { headers, secrets } = requestHeaders(undefined, own, endpoint.authorization)
  const conceal = createConcealer([...secrets, ...endpoint.secrets])
  const limits: Limits = { timeout, maxBytes, signal, timer }
  const used = model ?? (await firstModel(endpoint.models, headers, fetch, limits))
  const session = createSession({ endpoint, model: used, profile, headers, fetch, limits, now })

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

  return { url: endpoint.posts.responses.shown, model: conceal.text(used), profile, results: results() }
}

function chosen(only: readonly string[] | undefined): readonly Scenario[] {
  if (only === undefined || only.length === 0) return SCENARIOS
  const isChosen = (name: string): boolean =>
    only.includes(name) || APIS.some((api) => only.includes(api) && name.startsWith(`${api}-`))
  return SCENARIOS.filter(({ name }) => isChosen(name))
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
  let outcome: Outcome
  try {
    outcome = await scenario.run(sight.server)
  } catch (error) {
    if (error instanceof NotOffered) outcome = { verdict: 'unsupported', why: error.message }
    else if (error instanceof RateLimited) outcome = { verdict: 'inconclusive', why: error.message }
    // Keeps the findings from before the server stopped answering.
    else if (error instanceof ServerGone && sight.findings.length > 0) outcome = 'observed'
    else throw error
  }
  const { findings, notes, requests, output } = sight
  const { verdict, why } = outcome === 'observed' ? { verdict: 'pass' as const, why: undefined } : outcome
  return {
    scenario: scenario.name,
    asks: scenario.asks,
    verdict: findings.some(({ severity }) => severity === 'error') ? 'fail' : verdict,
    ...(why === undefined ? {} : { why }),
    findings,
    notes,
    requests,
    output,
  }
}

const NO_OUTPUT: Output = { tokens: 0, milliseconds: 0 }

function goneSince({ name, asks }: Scenario, since: string | undefined): ScenarioResult {
  const why = `the server has stopped answering${since === undefined ? '' : `, since ${since}`}`
  return { scenario: name, asks, verdict: 'inconclusive', why, findings: [], notes: [], requests: 0, output: NO_OUTPUT }
}

/** A result without secrets, even if the server repeats them in an answer. */
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
      ...(finding.curl === undefined ? {} : { curl: conceal(finding.curl) }),
      ...(finding.frame === undefined ? {} : { frame: conceal(finding.frame) }),
    })),
    notes: notes.map(conceal),
  }
}
