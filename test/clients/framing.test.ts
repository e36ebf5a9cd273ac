import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { loadTokenTable, Translator } from '../../src/index.js'
import { createCaptureChecker, type Profile } from '../../src/judge/conformance/index.js'
import { FRAMING } from '../../src/judge/conformance/invariants/framing.js'
import { encodeHarmony } from '../support/tokens.js'
import { aiSdkOpenResponses } from './clients/ai-sdk-open-responses.js'
import { openaiStream6 } from './clients/openai-stream.js'
import { clients } from './clients.js'
import { FRAMINGS } from './framings.js'
import type { Client } from './play.js'
import { answer, scenario, turn } from './scenarios.js'

/** Not ASCII alone, so that its encoding shows; and in several deltas. */
const TEXT = 'Voilà, a cup of tea.'

const tokenTable = await loadTokenTable()
const events = eventsOf()
const asked = scenario('framing', [turn(answer(TEXT))], { text: [TEXT] })

/** Those that the profiles describe: openai 6 is older, and no profile is of the AI SDK's other provider. */
const described = clients.filter((client) => client !== openaiStream6 && client !== aiSdkOpenResponses)

/** A replacement character is not a failure: it is how decoders are specified to handle such bytes. */
const asShown = (text: string): string => text.replaceAll('\ufffd', 'à')

describe.for(described.map((client) => [client.name, client] as const))('%s', ([, client]) => {
  const read = Object.keys(FRAMINGS).filter((name) => (FRAMINGS[name]?.readBy ?? client.profile) === client.profile)

  test.for(read)(`${client.name} reads a stream %s, or its profile reports that it does not`, async (name) => {
    const framing = FRAMINGS[name] ?? expect.unreachable(name)
    const body = framing.write(events)
    expect({ isGood: await isTaken(body, client) }).toEqual({ isGood: errorsOf(body, client.profile).length === 0 })
  })
})

describe('the judge', () => {
  test.each(Object.entries(FRAMINGS))('the judge reports the fault of a stream %s', (_, { rules, write }) => {
    expect(errorsOf(write(events), 'openai')).toEqual(rules)
  })

  test('every framing rule that is an error has a stream that breaks it', () => {
    const held = new Set(Object.values(FRAMINGS).flatMap(({ rules }) => rules))
    const errors = FRAMING.filter(({ severity }) => severity === 'error').map(({ id }) => id)
    expect([...held].sort()).toEqual(errors.sort())
  })
})

/** The ids of the rules that a stream breaks. */
function errorsOf(body: string | Uint8Array, profile: Profile): string[] {
  const checker = createCaptureChecker({ profile })
  const rules = [...checker.push(body), ...checker.end()].flatMap((finding) =>
    finding.kind === 'violation' && finding.violation.severity === 'error' ? [finding.violation.rule] : [],
  )
  return [...new Set(rules)]
}

/** Whether a client shows the whole text, and ends well. */
async function isTaken(body: string | Uint8Array, client: Client): Promise<boolean> {
  const server = createServer((request, reply) => {
    request.resume().on('end', () => reply.writeHead(200, { 'content-type': 'text/event-stream' }).end(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const options = { onText: () => {}, signal: new AbortController().signal }
  try {
    const { text, ending } = await client.play(asked, `http://127.0.0.1:${port}/v1`, options)
    return asShown(text.join('')) === TEXT && ending === 'completed'
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

function eventsOf(): { readonly type: string }[] {
  const translator = new Translator({ tokenTable })
  const made = [...translator.start()]
  for (const token of encodeHarmony(answer(TEXT))) made.push(...translator.push(token))
  made.push(...translator.end('stop'))
  return JSON.parse(JSON.stringify(made))
}
