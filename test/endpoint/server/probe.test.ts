import { expect, onTestFinished, test } from 'vitest'
import { serveResponses } from '../../../src/endpoint/server/node.js'
import { type TokenEngine, tokenStream } from '../../../src/engines/contract/index.js'
import { type ProbeOptions, SCENARIOS } from '../../../src/judge/probe/index.js'
import {
  answer,
  call,
  type ScriptedPrompt,
  type ScriptedTurn,
  scriptedEngine,
  think,
} from '../../../src/testing/index.js'
import { probed } from '../../judge/probe/play.js'
import { m } from '../../support/tokens.js'
import { endpoint, tokenTable } from './endpoint.js'

const COUNTED =
  'one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen, sixteen, '

/** A model that behaves as the probe expects. */
function obliging({ messages, opening, options }: ScriptedPrompt): ScriptedTurn {
  const last = messages.at(-1)
  const question = last?.content ?? ''
  const all = messages.map(({ content }) => content).join('\n')
  const [, demanded] = /functions\.(\w+)/.exec(opening) ?? []
  if (demanded !== undefined) return call(`functions.${demanded}`, { city: 'Oslo' })
  const thought = [think('The user wants something.')]
  if (last?.role !== 'user') return [...thought, answer(`The tool says ${question}.`)]
  const names = [...all.matchAll(/^type (\w+) = /gm)].map(([, name = '']) => name)
  const meant = names.filter((name) => question.includes(name.replace('get_', '')))
  // The call of a function that is held to its parameters ends the turn.
  const isHeld = options.stop?.includes(m.message) === true
  const calls = meant.slice(0, isHeld ? 1 : 2).map((name) => call(`functions.${name}`, { city: 'Oslo' }))
  if (calls.length > 0) {
    return [...thought, ...calls.map((one, at) => (at + 1 < calls.length ? { ...one, ends: 'end' as const } : one))]
  }
  if (all.includes('# Response Formats')) return [...thought, answer('{"city":"Oslo","population":717710}')]
  const [, word] = /Remember this word: ([\w-]+)/.exec(all) ?? []
  if (/^Which word/.test(question)) return answer(word === undefined ? 'I do not know.' : `It was ${word}.`)
  if (/numbers from one/.test(question)) return [...thought, answer(COUNTED.repeat(4))]
  return [...thought, answer('Hello there!')]
}

/** The probe's notes about the model. */
const ONE_CALL: readonly string[] = [
  'the model made one call where two were asked for',
  'the model made 1 of 2 calls that were asked for',
  'the model made 1 of 5 calls that were asked for',
]

/** Probes a server, and expects an empty report. */
async function expectNothing(url: string, options: Partial<ProbeOptions> = {}): Promise<void> {
  const results = await probed(url, options)
  for (const { scenario, verdict, why, findings, notes } of results.values()) {
    // The body of a strict call is held to its schema, and its end is the end of the turn.
    const isOneCall = /two-tools$|^parallel-calls$/.test(scenario) && ONE_CALL.includes(why ?? '')
    expect([scenario, verdict, findings, notes]).toEqual([scenario, isOneCall ? 'inconclusive' : 'pass', [], []])
  }
  expect([...results.keys()]).toEqual(SCENARIOS.map(({ name }) => name))
}

test('the probe finds nothing', async () => {
  const { fetch, errors } = endpoint(obliging)
  await expectNothing('http://localhost/v1', {
    fetch: async (url, init) => await fetch(new Request(url as string, init)),
  })
  expect(errors).toEqual([])
})

/** The engine with a turn of the event loop before each token, like a real one, so that its output is streamed. */
function inTime(engine: TokenEngine): TokenEngine {
  return {
    ...engine,
    generate: (prompt, options) =>
      tokenStream(async function* (signal) {
        const tokens = engine.generate(prompt, { ...options, signal })
        for (;;) {
          await new Promise((resolve) => setImmediate(resolve))
          const step = await tokens.next()
          if (step.done) return step.value
          yield step.value
        }
      }, options?.signal),
  }
}

test('the probe finds nothing over a port, where events go past web streams', async () => {
  const errors: unknown[] = []
  const server = await serveResponses({
    engine: inTime(scriptedEngine(obliging, { tokenTable })),
    tokenTable,
    port: 0,
    onError: (error) => errors.push(error),
  })
  onTestFinished(() => server.close())
  await expectNothing(server.url)
  expect(errors).toEqual([])
})
