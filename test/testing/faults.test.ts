import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { VOCABULARY_SIZE } from '../../src/core/harmony/vocabulary.js'
import { toSseResponse } from '../../src/core/sse/index.js'
import { createResponsesApp } from '../../src/endpoint/server/index.js'
import { loadTokenTable, type ResponseStreamEvent, translate } from '../../src/index.js'
import {
  malformedTranscript,
  type Transcript,
  tokenSoup,
  wellFormedTranscript,
} from '../../src/judge/conformance/arbitraries/index.js'
import {
  findFaults,
  formatFaults,
  modelTurns,
  playOnServer,
  readAnswer,
  scriptedEngine,
} from '../../src/testing/index.js'
import { loadOfficial } from '../support/official-parser.js'
import { RUNS } from '../support/runs.js'
import { describeSlow } from '../support/slow-suites.js'
import { encodeHarmony, m } from '../support/tokens.js'

const tokenTable = await loadTokenTable()
const official = await loadOfficial()
const ANSWER = encodeHarmony('<|channel|>final<|message|>Hi<|return|>')
const STOPS: readonly number[] = [m.return, m.call]

const eventsOf = async (tokens: readonly number[]): Promise<ResponseStreamEvent[]> => {
  const events: ResponseStreamEvent[] = []
  for await (const event of translate([tokens], { request: { model: 'gpt-oss', input: 'Hi' } })) events.push(event)
  return events
}

describe('modelTurns', () => {
  test('a turn that nothing ends gets a <|return|>', () => {
    expect(modelTurns(encodeHarmony('<|channel|>analysis<|message|>Hm<|end|>'))).toEqual([
      encodeHarmony('<|channel|>analysis<|message|>Hm<|end|><|return|>'),
    ])
  })

  test('a call ends a turn, and the next one begins behind the <|start|>assistant of its prompt', () => {
    const call = '<|channel|>commentary to=functions.x<|message|>{}<|call|>'
    expect(modelTurns(encodeHarmony(`${call}<|start|>assistant${call}`))).toEqual([
      encodeHarmony(call),
      encodeHarmony(call),
    ])
  })

  test('what the host wrote is no part of a turn', () => {
    const call = encodeHarmony('<|channel|>commentary to=functions.x<|message|>{}<|call|>')
    const host = encodeHarmony(
      '<|start|>functions.x to=assistant<|channel|>commentary<|message|>1<|end|><|start|>assistant',
    )
    expect(modelTurns({ chunks: [call, { host }, ANSWER] })).toEqual([call, ANSWER])
  })

  test('a model that writes nothing stops at once', () => {
    expect(modelTurns([])).toEqual([[m.return]])
  })

  test('text is refused, as a server is given ids', () => {
    expect(() => modelTurns({ chunks: ['<|channel|>'] })).toThrow(/ids of tokens/)
  })

  test('the official parser reads in the turns what the model wrote, and each has its only stop token at its end', () =>
    fc.assert(
      fc.property(wellFormedTranscript({ tokenTable }), (transcript) => {
        const turns = modelTurns(transcript)
        for (const turn of turns) expect(turn.filter((id) => STOPS.includes(id))).toEqual([turn.at(-1)])
        // What only ends a turn is no message.
        const sent = turns.map((turn) => (turn.at(-2) === m.end ? turn.slice(0, -1) : turn))
        const read = sent.flatMap((turn) => official.parse(turn, 'assistant').messages)
        const written = transcript.entries.filter(({ origin }) => origin === 'model').map(({ message }) => message)
        expect(read).toEqual(written)
      }),
      { numRuns: RUNS },
    ))
})

describe('readAnswer', () => {
  test('a good stream has its events and no findings', async () => {
    const events = await eventsOf(ANSWER)
    expect(await readAnswer(toSseResponse(events))).toEqual({ events, findings: [] })
    expect(await readAnswer(events)).toEqual({ events, findings: [] })
  })

  const broken = (bytes: string): ReadableStream =>
    new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(bytes)),
      pull: (controller) => controller.error(new Error('reset')),
    })
  const sse = { headers: { 'content-type': 'text/event-stream' } }
  const BAD: readonly (readonly [string, Response, string])[] = [
    ['an error status', new Response('no', { status: 500 }), 'answers'],
    ['JSON', Response.json({ object: 'response' }), 'streams'],
    ['nothing', new Response(null, { status: 200 }), 'streams'],
    ['a frame that is no event', new Response('data: hello\n\n', sse), 'frame-is-event'],
    ['a connection that breaks', new Response(broken('data: {"type":"response.created"}\n\n'), sse), 'connection'],
  ]
  test.each(BAD)('%s is a finding', async (_, response, rule) => {
    const { findings } = await readAnswer(response)
    expect(findings.map((finding) => finding.rule)).toContain(rule)
  })

  test('anything else is refused', async () => {
    const error = await readAnswer(5 as never).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'bad_option' })
  })
})

/** Our own endpoint, with a model that plays what its hook was given. `change`: what goes wrong in front of clients. */
function scripted(change: (text: string) => string = (text) => text) {
  let script: number[] = []
  const asked: unknown[] = []
  const engine = scriptedEngine(() => script.splice(0, script.findIndex((id) => STOPS.includes(id)) + 1))
  const app = createResponsesApp({ engine, tokenTable })
  const fetch = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(url, init)
    const { pathname } = new URL(request.url)
    const body = await request.clone().json()
    if (pathname === '/tokens') {
      // An engine samples nothing else.
      script = (body as number[]).filter((id) => id < VOCABULARY_SIZE)
      return Response.json({})
    }
    asked.push(body)
    const response = await app.fetch(request)
    return new Response(change(await response.text()), { status: response.status, headers: response.headers })
  }
  return { play: playOnServer('http://localhost', { hook: '/tokens', fetch }), asked }
}

describe('playOnServer', () => {
  test('the model of the server writes the script', async () => {
    const [answer, ...others] = await scripted().play(ANSWER)
    expect(answer?.events.find(({ type }) => type === 'response.output_text.done')).toMatchObject({ text: 'Hi' })
    expect(others).toEqual([])
  })

  test('calls go back with their outputs, until the script has ended', async () => {
    const { play, asked } = scripted()
    const call = '<|channel|>commentary to=functions.x<|message|>{}<|call|>'
    const tools = [{ type: 'function' as const, name: 'x', parameters: {}, strict: false }]
    const request = { model: 'gpt-oss', input: 'Hi', tools }
    const answers = await play({ chunks: [encodeHarmony(`${call}<|start|>assistant${call}`)], request })
    expect(answers.map(({ findings }) => findings)).toEqual([[], [], []])
    const types = asked.map((body) => (body as { input: unknown }).input).map((input) => [input].flat().map(typeOf))
    const pair = ['function_call', 'function_call_output']
    expect(types).toEqual([['string'], ['message', ...pair], ['message', ...pair, ...pair]])
  })

  const typeOf = (item: unknown): unknown => (typeof item === 'string' ? 'string' : (item as { type: unknown }).type)

  test('a hook that does not take the script is an error that names it', async () => {
    const play = playOnServer('http://localhost', { fetch: async () => new Response('', { status: 404 }) })
    await expect(play(ANSWER)).rejects.toThrow('http://localhost/script answers 404')
  })

  test('a server that is not there is an error that names it', async () => {
    const play = playOnServer('http://localhost', { fetch: () => Promise.reject(new TypeError('fetch failed')) })
    await expect(play(ANSWER)).rejects.toThrow('cannot reach http://localhost/script')
  })

  test('something that is no URL is refused', () => {
    expect(() => playOnServer('scripted.example')).toThrow(/URL/)
  })

  const KINDS = {
    'well-formed transcripts': wellFormedTranscript({ tokenTable, tools: ['function', 'custom'] }),
    'malformed transcripts': malformedTranscript({ tokenTable }),
    'any tokens': tokenSoup(),
  }
  test.each(Object.entries(KINDS))('our own endpoint has no faults: %s', async (_, transcripts) => {
    const { play } = scripted()
    expect(formatFaults(await findFaults({ transcripts, play, runs: RUNS }))).toBe('')
  })
})

describeSlow('findFaults', () => {
  const transcripts = wellFormedTranscript({ tokenTable, tools: [] })
  /** Drops the deltas of answers, and damages the roles and two fields. */
  const damaged = (events: readonly ResponseStreamEvent[]): unknown[] =>
    events
      .filter(({ type }) => type !== 'response.output_text.delta')
      .map((event) => JSON.stringify(event).replaceAll('"assistant"', '"robot"'))
      .map((json) =>
        JSON.parse(
          json.replaceAll('"annotations":[]', '"annotations":5').replace(/"created_at":\d+/, '"created_at":""'),
        ),
      )
  const play = async ({ tokens }: Transcript) => readAnswer(damaged(await eventsOf(tokens)) as never)

  test('each fault is found in one run, with its smallest transcript', async () => {
    const faults = await findFaults({ transcripts, play, runs: 60, seed: 3 })
    const smallest = new Map(faults.map(({ name, transcript }) => [name, transcript.text]))
    expect(smallest.get('message-role')).toBe('<|channel|>final<|message|><|return|>')
    // The deltas are missed where there is a text.
    expect(smallest.get('sequence-numbers')).toMatch(/^<\|channel\|>final<\|message\|>.{1,8}<\|return\|>$/u)
  })

  test('faults are grouped by rule, with the clients that break', async () => {
    const faults = await findFaults({ transcripts, play, runs: 60, seed: 3 })
    const rules = faults.map(({ rule }) => rule)
    expect(rules.filter((rule, at) => rules.indexOf(rule) !== at && rules[at - 1] !== rule)).toEqual([])
    expect(faults.every(({ runs }) => runs > 0)).toBe(true)
    expect(formatFaults(faults)).toContain('smallest: Transcript("<|channel|>final<|message|><|return|>", tools: [])')
  })

  test('known faults are passed over, by name or by rule, and others are found', async () => {
    const all = await findFaults({ transcripts, play, runs: 30, seed: 3 })
    const known = ['event-shape', 'sequence-numbers']
    const others = await findFaults({ transcripts, play, runs: 30, seed: 3, known })
    expect(others.map(({ name }) => name)).toEqual(
      all.map(({ name }) => name).filter((name) => !/^(event-shape|sequence-numbers)/.test(name)),
    )
    const none = await findFaults({ transcripts, play, runs: 30, seed: 3, known: all.map(({ name }) => name) })
    expect(none).toEqual([])
  })

  test('the same seed finds the same', async () => {
    const [first, second] = [
      await findFaults({ transcripts, play, seed: 8 }),
      await findFaults({ transcripts, play, seed: 8 }),
    ]
    expect(formatFaults(first)).toBe(formatFaults(second))
  })

  test('no fault is shrunk without end', async () => {
    let played = 0
    const endless = fc.array(fc.integer(), { minLength: 400, maxLength: 4000, size: 'max' })
    const faulty = async (): Promise<Awaited<ReturnType<typeof readAnswer>>> => {
      played++
      return readAnswer([])
    }
    await findFaults({ transcripts: endless, play: faulty, runs: 1 })
    expect(played).toBeLessThan(310)
  })

  test('what the server of a test throws is thrown', async () => {
    const broken = (): Promise<never> => Promise.reject(new Error('no server'))
    await expect(findFaults({ transcripts, play: broken })).rejects.toThrow('no server')
  })

  test('an option that does not exist is refused', async () => {
    const error = await findFaults({ transcripts, play, run: 5 } as never).catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'bad_option' })
  })
})

describe('transcripts for a server', () => {
  test('only tools of the given types are declared, and called', () =>
    fc.assert(
      fc.property(
        wellFormedTranscript({ tokenTable, tools: ['function', 'web_search', 'code_interpreter'] }),
        ({ request, entries }) => {
          const types = new Set(request.tools?.map(({ type }) => type))
          expect(['function', 'web_search', 'code_interpreter']).toEqual(expect.arrayContaining([...types]))
          for (const { tool } of entries) if (tool !== undefined) expect(types).toContain(tool.declaration.type)
        },
      ),
      { numRuns: RUNS },
    ))

  test('a type that does not exist is refused', () => {
    expect(() => wellFormedTranscript({ tokenTable, tools: ['browser' as never] })).toThrow(/tools\[0\]/)
  })
})

test('a server whose event type moves the cursor or begins a line is shown without effect', () => {
  const finding = { type: 'a\u001b[2J\n::error::x', expected: 'an event', got: 'another', breaks: [] }
  const fault = { name: 'r', rule: 'r', runs: 1, transcript: {}, shown: '{}', finding: finding as never }
  expect(formatFaults([fault])).toContain('  a [2J ::error::x: expected an event, got another\n')
})
