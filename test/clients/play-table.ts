import { afterEach, describe, expect, test } from 'vitest'
import type { Difference } from './chat-differences.js'
import { clients } from './clients.js'
import type { Client, Limit, Played, Shows } from './play.js'
import { type Scenario, scenarios } from './scenarios.js'
import { allUnchanged, sentBack } from './sent-back.js'
import { type ServerOptions, startServer, type TestServer, violationsOf } from './server.js'

/** What differs from the table of docs/clients.md. Default: nothing. */
export interface TableOptions extends Pick<ServerOptions, 'inFront'> {
  readonly differences?: readonly Difference[]
  /** The function that a scenario's model calls in place of a tool that it was not taught. */
  readonly untaught?: Readonly<Record<string, string>>
}

/** Has every client play every scenario. */
export function playTable({ inFront, differences = [], untaught = {} }: TableOptions = {}): void {
  let server: TestServer | undefined
  afterEach(() => server?.close())

  describe.for(clients.map((client) => [client.name, client] as const))('%s', ([, client]) => {
    test.for(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async ([name, scenario]) => {
      const worded = client.wording?.(scenario) ?? scenario
      server = await startServer({ plays: [worded], ...(inFront && { inFront }) })
      const played = await play(client, worded, server)
      if (untaught[name] !== undefined) {
        expect(callsIn(server.exchanges)).toContain(untaught[name])
        return
      }
      const shown: Shows = { ...played, sentBack: sentBack(server.exchanges) }

      const limits = client.limits.filter((limit) => limit.scenario.includes(name))
      const whole: Shows = { ...scenario.shows, sentBack: allUnchanged(server.exchanges) }
      const usual = limits.reduce(within, whole)
      const own = differences.filter((one) => one.client === client.name && one.scenario === name)
      const expected = own
        .map(({ because, sentBack }) => ({ what: 'differs', because, scenario: [name], shows: { sentBack } }))
        .reduce(within, usual)
      expect(shown).toEqual(expected)
      // A client that went away did not see the end of the stream.
      if (scenario.shows.ending === 'aborted') return
      // If a client throws at a stream that the API allows, the judge must predict it.
      const throws = limits.some(({ what }) => what === 'throws at code without a result')
      const rules = violationsOf(server.exchanges, client.profile).map(({ rule }) => rule)
      expect([...new Set(rules)]).toEqual(throws ? ['openai-agents-sends-back'] : [])
    })
  })
}

/**
 * Plays it; if the source hangs, aborts as soon as all of its text is shown, and waits until the source is closed.
 */
async function play(client: Client, scenario: Scenario, server: TestServer): Promise<Played> {
  const abort = new AbortController()
  const isToAbort = scenario.shows.ending === 'aborted'
  if (isToAbort && client.showsWholeMessages) server.sourceHangs.then(() => abort.abort())
  let missing = scenario.shows.text.join('').length
  const played = await client.play(scenario, server.baseURL, {
    onText: (text) => {
      missing -= text.length
      if (isToAbort && missing === 0) abort.abort()
    },
    signal: abort.signal,
  })
  if (isToAbort) await server.sourceClosed
  return played
}

/** The names of the functions that the model has called. */
function callsIn(exchanges: TestServer['exchanges']): string[] {
  return exchanges.flatMap(({ events }) =>
    events.flatMap((event) =>
      event.type === 'response.output_item.done' && event.item.type === 'function_call' ? [event.item.name] : [],
    ),
  )
}

/** The expected outcome within a client's limit. A limit that the outcome does not reach has no effect. */
function within(whole: Shows, { what, shows }: Limit): Shows {
  const { sentBack: items = {}, ...rest } = shows
  const sent = Object.entries(items).filter(([type]) => whole.sentBack[type] !== undefined)
  for (const [aspect, value] of [...Object.entries(rest), ...sent]) {
    const expected = aspect in rest ? whole[aspect as keyof Shows] : whole.sentBack[aspect]
    expect(value, `${what}: ${aspect} is as it should be, so this is no limit`).not.toEqual(expected)
  }
  return { ...whole, ...rest, sentBack: { ...whole.sentBack, ...Object.fromEntries(sent) } } as Shows
}
