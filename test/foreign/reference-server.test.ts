import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { loadTokenTable, type ResponseRequest } from '../../src/index.js'
import { malformedTranscript, tokenSoup, wellFormedTranscript } from '../../src/judge/conformance/arbitraries/index.js'
import { type Client, explain } from '../../src/judge/conformance/index.js'
import {
  findFaults,
  formatFaults,
  type PlayOnServerOptions,
  playOnServer,
  type ReadAnswer,
} from '../../src/testing/index.js'
import { encodeHarmony } from '../support/tokens.js'
import { REFUSED, ROWS, type Row } from './rows.js'
import { type ReferenceServer, startReferenceServer } from './started.js'

const tokenTable = await loadTokenTable()
const seed = Number(process.env['LAW_SEED'] ?? 20261127)

let server: ReferenceServer
beforeAll(async () => {
  server = await startReferenceServer()
})
afterAll(() => server?.stop())

/** Without a description that is null, which the server does not take: that would hide what it makes of calls. */
const prepare: PlayOnServerOptions['prepare'] = (body) => ({
  ...body,
  tools: (body['tools'] as object[] | undefined)?.map(({ description: _, ...tool }: { description?: unknown }) => tool),
})
const play = (...script: Parameters<ReturnType<typeof playOnServer>>): Promise<ReadAnswer[]> =>
  playOnServer(server.url, { prepare })(...script)

/** The answers to the smallest transcript of a row. */
function answersTo({ model, tools = [] }: Row, on = play): Promise<ReadAnswer[]> {
  const weather = { type: 'function', name: 'get_weather', description: null, parameters: {}, strict: false } as const
  const declared = tools.map((type) => (type === 'function' ? weather : { type }))
  // A host of code asks for its container where there is one.
  const request: ResponseRequest = { model: 'gpt-oss', input: 'Hi', tools: declared as never }
  return on({ chunks: [encodeHarmony(model)], request })
}

/** The finding of a name in an answer. */
const foundIn = ({ findings }: ReadAnswer, name: string) => {
  const [rule, field = ''] = name.split(':')
  return findings.find((finding) => finding.rule === rule && finding.expected.startsWith(field))
}

describe("OpenAI's reference server", () => {
  test.each(ROWS)('has the fault $name, which breaks the clients that the row names', async (row) => {
    const answers = await answersTo(row)
    const answer = answers.find((one) => foundIn(one, row.name) !== undefined)
    expect(answer, `${row.name} in ${JSON.stringify(answers.map(({ findings }) => findings))}`).toBeDefined()
    if (answer === undefined) return
    expect(foundIn(answer, row.name)?.breaks).toEqual(row.breaks)
    const [client] = row.breaks
    if (client !== undefined) expect(explain(answer.events, client as Client).text).toContain(row.loses)
  })

  test('answers 500 where the description of a function is null', async () => {
    const [answer] = await answersTo(REFUSED, playOnServer(server.url))
    expect(answer?.findings).toMatchObject([{ rule: REFUSED.name, breaks: REFUSED.breaks }])
    expect(answer?.findings[0]?.got).toMatch(/^500/)
  })

  const TOOLS = ['function', 'web_search', 'code_interpreter'] as const
  const KINDS = {
    'a model without tools': wellFormedTranscript({ tokenTable, tools: [] }),
    'a model with functions and built-in tools, over several turns': wellFormedTranscript({ tokenTable, tools: TOOLS }),
    'a model that writes malformed Harmony': malformedTranscript({ tokenTable }),
    'any tokens': tokenSoup(),
  }
  test.each(Object.entries(KINDS))('has no other fault than the rows: %s', async (_, transcripts) => {
    const known = ROWS.map(({ name }) => name)
    expect(formatFaults(await findFaults({ transcripts, play, runs: 60, seed, known }))).toBe('')
  })

  test('its faults are found in one run, and shrink to the transcripts of the rows', async () => {
    const transcripts = wellFormedTranscript({ tokenTable, tools: [] })
    const faults = await findFaults({ transcripts, play, runs: 40, seed })
    const found = new Map(faults.map(({ name, transcript }) => [name, transcript.text]))
    expect([...found.keys()]).toEqual(
      expect.arrayContaining(['event-shape:output_index', 'within-item', 'usage-adds-up']),
    )
    expect(found.get('within-item')).toBe('<|channel|>final<|message|><|return|>')
    expect(found.get('event-shape:output_index')).toMatch(/^<\|channel\|>final<\|message\|>.{1,8}<\|return\|>$/u)
  })
})
