import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FIRST_SPECIAL } from '../../../src/core/harmony/vocabulary.js'
import type { Logprob } from '../../../src/core/responses/items.js'
import { traceTo } from '../../../src/core/trace/tracer.js'
import {
  loadTokenTable,
  type Response,
  type ResponseStreamEvent,
  type ScoredToken,
  type TokenChunk,
} from '../../../src/index.js'
import { anyStream, oneByOne } from '../../laws/streams.js'
import { RUNS } from '../../support/runs.js'
import { encodeHarmony, encodeText, m } from '../../support/tokens.js'
import { Translator } from '../../support/translator.js'
import { createRun, FIXED, type Run, terminal } from '../translate/run.js'

const tokenTable = await loadTokenTable()
const request = { include: ['message.output_text.logprobs'] }

/** Each token with a logprob of its own: -1, -2, -3, ... */
function score(ids: readonly number[]): ScoredToken[] {
  return ids.map((id, at) => ({ id, logprob: -1 - at }))
}

function inMessage(options: Parameters<typeof createRun>[0] = { request }): Run {
  const run = createRun({ tokenTable, ...options })
  run.push(encodeHarmony('<|channel|>final<|message|>'))
  return run
}

/** The deltas: their text, and the tokens of their logprobs. */
function deltas(events: readonly ResponseStreamEvent[]): [string, number[]][] {
  return events.flatMap((event) =>
    event.type === 'response.output_text.delta'
      ? [[event.delta, event.logprobs.map(({ logprob }) => logprob)] satisfies [string, number[]]]
      : [],
  )
}

const utf8 = (text: string): number[] => [...new TextEncoder().encode(text)]

test('a token has its text, its logprob, its bytes, and the most likely ones', () => {
  const run = inMessage()
  const [hi = 0] = encodeText('Hi')
  const [hello = 0] = encodeText('Hello')
  const [event] = run.push({
    id: hi,
    logprob: -0.5,
    topLogprobs: [
      { id: hi, logprob: -0.5 },
      { id: hello, logprob: -1 },
    ],
  })
  const logprob: Logprob = {
    token: 'Hi',
    logprob: -0.5,
    bytes: utf8('Hi'),
    top_logprobs: [
      { token: 'Hi', logprob: -0.5, bytes: utf8('Hi') },
      { token: 'Hello', logprob: -1, bytes: utf8('Hello') },
    ],
  }
  expect(event).toMatchObject({ type: 'response.output_text.delta', delta: 'Hi', logprobs: [logprob] })
  const closing = run.push(...encodeHarmony('<|return|>'))
  expect(closing[0]).toMatchObject({ type: 'response.output_text.done', logprobs: [logprob] })
  expect(closing[1]).toMatchObject({ type: 'response.content_part.done', part: { logprobs: [logprob] } })
  expect(closing[2]).toMatchObject({ item: { content: [{ logprobs: [logprob] }] } })
  expect(terminal(run.end()).output).toMatchObject([{ content: [{ logprobs: [logprob] }] }])
})

test('a marker among the most likely ones is spelled, and has no bytes', () => {
  const [event] = inMessage().push({ id: 0, logprob: -1, topLogprobs: [{ id: 200002, logprob: -2 }] })
  expect(event).toMatchObject({
    logprobs: [{ token: '!', top_logprobs: [{ token: '<|return|>', logprob: -2, bytes: [] }] }],
  })
})

describe('a delta has the logprobs of its own tokens', () => {
  test('a delta has the logprobs of its own tokens if one token is pushed at a time', () => {
    const run = inMessage()
    expect(deltas(score(encodeText('Hello world')).flatMap((token) => run.push(token)))).toEqual([
      ['Hello', [-1]],
      [' world', [-2]],
    ])
  })

  test('a delta has the logprobs of its own tokens if several tokens are pushed at once', () => {
    expect(deltas(inMessage().push(score(encodeText('Hello world'))))).toEqual([['Hello world', [-1, -2]]])
  })

  test('a character that several tokens make has the logprobs of all of them', () => {
    const ids = encodeText('🫠')
    expect(ids.length).toBeGreaterThan(1)
    const run = inMessage()
    expect(deltas(score(ids).flatMap((token) => run.push(token)))).toEqual([['🫠', ids.map((_, at) => -1 - at)]])
    const [, done] = run.push(encodeHarmony('<|return|>'))
    const part = done?.type === 'response.content_part.done' && done.part.type === 'output_text' ? done.part : undefined
    expect(part?.logprobs.flatMap(({ bytes }) => bytes)).toEqual(utf8('🫠'))
    expect(part?.logprobs[0]?.token).toContain('\ufffd')
  })

  test('a character that begins in one push and ends in the next has the logprobs of both', () => {
    const [hello = 0] = encodeText('Hello')
    const [first = 0, ...rest] = encodeText('🫠')
    const [one, two, ...more] = score([hello, first, ...rest]) as [ScoredToken, ScoredToken, ...ScoredToken[]]
    const run = inMessage()
    expect(deltas([...run.push([one, two]), ...run.push(more)])).toEqual([
      ['Hello', [-1]],
      ['🫠', [-2, ...more.map(({ logprob }) => logprob)]],
    ])
  })

  test('a delta has no logprobs for tokens that came without, and none for text', () => {
    const run = inMessage()
    const [a = 0, b = 0] = encodeText('Hello world')
    expect(deltas([...run.push([a, { id: b, logprob: -2 }]), ...run.push('text')])).toEqual([
      ['Hello world', [-2]],
      ['text', []],
    ])
  })

  test('a delta has no logprobs of markers, and none of what another message had', () => {
    const run = createRun({ tokenTable, request })
    const events = run.push(
      score(
        encodeHarmony(
          '<|channel|>analysis<|message|>Hm<|end|><|start|>assistant<|channel|>final<|message|>Hi<|return|>',
        ),
      ),
    )
    const [hi] = deltas(events)
    expect(hi?.[0]).toBe('Hi')
    expect(hi?.[1]).toHaveLength(1)
    expect(JSON.stringify(events.slice(0, 7))).not.toContain('"logprob"')
  })

  test('the first message without a header has its own logprobs behind one that is empty', () => {
    const run = createRun({ tokenTable, request })
    run.push(score(encodeText('foo')), encodeHarmony('<|message|><|end|>'))
    const text = 'It is cold, which is a fact that everybody here knows.'
    const ids = encodeText(text)
    run.push(score(ids), encodeHarmony('<|return|>'))
    const item = terminal(run.end('stop')).output.at(-1)
    const shown = item?.type === 'message' ? item.content[0]?.logprobs.map(({ logprob }) => logprob) : []
    expect(shown).toEqual(ids.map((_, at) => -1 - at))
  })

  test('text that is dropped behind an invented result leaves no logprobs to what follows, and holds none', () => {
    const tools = [{ type: 'function', name: 'f', parameters: {} }]
    const run = createRun({ tokenTable, request: { ...request, tools } as never })
    run.push(encodeHarmony('<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>'))
    run.push(encodeHarmony('<|start|>functions.f to=assistant<|channel|>commentary<|message|>'))
    run.push(score(Array.from({ length: 200 }, () => encodeText(' word')[0] as number)))
    expect(JSON.stringify(run.translator.snapshot()).length).toBeLessThan(10_000)
    run.push(encodeHarmony('<|end|>'), score(encodeText('This is stale, and long enough to be text.')))
    run.push(encodeHarmony('<|end|><|start|>assistant<|channel|>final<|message|>Old.<|return|>'))
    run.answer('functions.f', '4 degrees')
    const text = 'It is cold, which is a fact that everybody here knows.'
    const ids = encodeText(text)
    run.push(score(ids), encodeHarmony('<|return|>'))
    const item = terminal(run.end('stop')).output.at(-1)
    const shown = item?.type === 'message' ? item.content[0]?.logprobs.map(({ logprob }) => logprob) : []
    expect(shown).toEqual(ids.map((_, at) => -1 - at))
  })

  test('a delta of a message that has no header has the logprobs from its first token on', () => {
    const run = createRun({ tokenTable, request })
    const text = 'I must refuse this request, because of the rules that I follow.'
    const ids = encodeText(text)
    expect(deltas(run.push(score(ids)))).toEqual([])
    expect(deltas(run.push(score(encodeHarmony('<|return|>'))))).toEqual([[text, ids.map((_, at) => -1 - at)]])
  })

  test('a message that has no header and is the answer after another one has its own logprobs', () => {
    const [thought, text] = ['I must refuse this request, and say why.', 'I refuse this request, because of the rules.']
    const ids = encodeText(text)
    const run = createRun({ tokenTable, request })
    run.push(score([...encodeText(thought), m.end]))
    run.push(score([...ids, m.end]))
    expect(deltas(run.push(score([m.return])))).toEqual([[text, ids.map((_, at) => -1 - at)]])
  })

  test('a message that has no header has the logprobs of all its tokens if a stray marker stands in it', () => {
    const run = createRun({ tokenTable, request })
    const [one, two] = [encodeText('I must refuse this request of yours'), encodeText(', sorry.')]
    run.push(score([...one, m.message]))
    run.push(score(two))
    const all = [...one.map((_, at) => -1 - at), ...two.map((_, at) => -1 - at)]
    expect(deltas(run.push(score([m.return])))).toEqual([['I must refuse this request of yours, sorry.', all]])
  })
})

test('no logprobs are shown if the request does not include them', () => {
  const run = inMessage({ request: { include: [] } })
  const events = [...run.push(score(encodeText('Hello world'))), ...run.push('<|return|>'), ...run.end()]
  expect(JSON.stringify(events)).not.toContain('"logprob"')
})

test('changes to an event by its receiver do not affect later ones', () => {
  const translator = new Translator({ ...FIXED, tokenTable, request })
  translator.push('<|channel|>final<|message|>')
  const [event] = translator.push({ id: 0, logprob: -1 })
  if (event?.type !== 'response.output_text.delta' || event.logprobs[0] === undefined) throw new Error('no delta')
  const logprob = event.logprobs[0]
  // Frozen, since later events have the same.
  expect(() => Object.assign(logprob, { token: 'mine' })).toThrow(TypeError)
  expect(() => logprob.bytes.push(0)).toThrow(TypeError)
  event.logprobs.length = 0
  expect(terminal(translator.end()).output).toMatchObject([{ content: [{ logprobs: [{ token: '!' }] }] }])
})

describe('text that turned out to be no header has the logprobs of its own tokens', () => {
  const ofByte = new Map(
    Array.from({ length: tokenTable.size }, (_, id) => id)
      .filter((id) => tokenTable.bytes(id).length === 1)
      .map((id) => [tokenTable.bytes(id)[0], id]),
  )
  const bytewise = (text: string): number[] => utf8(text).map((byte) => ofByte.get(byte) as number)
  /** Each token by its bytes, of the message's logprobs. */
  const shownBytes = (response: Response): number[][] =>
    response.output.flatMap((item) =>
      item.type === 'message' ? item.content.flatMap(({ logprobs }) => logprobs.map(({ bytes }) => bytes)) : [],
    )

  test('text that turned out to be no header has its own logprobs after a message in the name of another', () => {
    const run = createRun({ tokenTable, request })
    const fabricated = encodeHarmony(
      '<|channel|>final<|message|>A<|end|><|start|>user<|message|>Not mine at all<|end|>',
    )
    // Half characters become U+FFFD, of more bytes than they have.
    const ids = [...bytewise('Hello there, my friends').slice(0, -1), ofByte.get(0xf0), ofByte.get(0xf0)] as number[]
    run.push(score(fabricated))
    run.push(score(ids))
    const response = terminal(run.end('stop'))
    expect(response.output).toMatchObject([
      { content: [{ text: 'A' }] },
      { content: [{ text: expect.stringMatching('Hello') }] },
    ])
    expect(shownBytes(response).slice(1)).toEqual(ids.map((id) => [...tokenTable.bytes(id)]))
  })

  test('text that turned out to be no header has its own logprobs if it ends inside a character', () => {
    const text = 'I must refuse, ever so sorry 🫠🫠'
    for (const ids of [encodeText(text), bytewise(text)]) {
      for (let cut = 1; cut <= ids.length; cut++) {
        const run = createRun({ tokenTable, request })
        run.push(encodeHarmony('<|channel|>final'))
        run.push(score([...encodeText(' '), ...ids.slice(0, cut)]))
        run.push(score(encodeHarmony('<|end|>')))
        const bytes = shownBytes(terminal(run.end('stop'))).flat()
        const message = run.translator.response.output[0]
        if (message?.type === 'message')
          expect(bytes.slice(-1)).toEqual([...tokenTable.bytes(ids[cut - 1] as number)].slice(-1))
        const whole = ids.slice(0, cut).flatMap((id) => [...tokenTable.bytes(id)])
        if (bytes.length > 0) expect(bytes).toEqual(whole)
      }
    }
  })

  test('text that turned out to be no header has its own logprobs if a character begins after the word that made it prose', () => {
    // The space makes the words before it prose, and the rest of the character is still to come.
    const ids = encodeText('A cat 🫠 and so on')
    expect(ids.map((id) => tokenTable.text(id)).slice(0, 3)).toEqual(['A', ' cat', undefined])
    for (const header of ['', '<|channel|>final']) {
      const run = createRun({ tokenTable, request })
      run.push(score(encodeHarmony(header)), score(encodeText(' ')), score(ids))
      const shown = shownBytes(terminal(run.end('stop')))
      expect(shown.slice(-ids.length)).toEqual(ids.map((id) => [...tokenTable.bytes(id)]))
    }
  })

  test('text that turned out to be no header has its own logprobs if a reserved token stands in it', () => {
    const run = createRun({ tokenTable, request })
    const ids = bytewise('I must ref\u00e9use, ever so sorry that I am')
    const at = ids.indexOf(ofByte.get(0xc3) as number) + 1
    run.push(score([...ids.slice(0, at), 200013, ...ids.slice(at)]))
    const response = terminal(run.end('stop'))
    expect(response.output).toMatchObject([
      { content: [{ text: 'I must ref\ufffd\ufffduse, ever so sorry that I am' }] },
    ])
    expect(shownBytes(response)).toEqual(ids.map((id) => [...tokenTable.bytes(id)]))
  })

  test('text that turned out to be no header has its own logprobs if tokens without probabilities stand among them', () => {
    const run = createRun({ tokenTable, request })
    const ids = encodeText('I must refuse this request, because of the rules that I follow.')
    run.push(ids.map((id, at) => (at % 3 === 1 ? id : { id, logprob: -1 - at })))
    expect(shownBytes(terminal(run.end('stop')))).toEqual(
      ids.filter((_, at) => at % 3 !== 1).map((id) => [...tokenTable.bytes(id)]),
    )
  })

  test('text that turned out to be no header has its own logprobs if the host began it', () => {
    const run = createRun({ tokenTable, request })
    run.translator.beginTurn({ prefill: '<|channel|>final I must ' })
    const ids = encodeText('refuse this request, because of the rules that I follow.')
    run.push(score(ids))
    expect(shownBytes(terminal(run.end('stop')))).toEqual(ids.map((id) => [...tokenTable.bytes(id)]))
  })
})

/** Tokens of the model, each with a logprob that identifies it. */
function scoreAll(chunks: readonly TokenChunk[]): TokenChunk[] {
  let count = 0
  return oneByOne(chunks).map((chunk) => (typeof chunk === 'number' ? { id: chunk, logprob: -++count } : chunk))
}

test('the bytes of the logprobs are those of the text, whatever the model writes', () => {
  fc.assert(
    fc.property(anyStream(), fc.nat(), ({ chunks, setup }, at) => {
      const { citations: _, ...rest } = setup
      const options = { ...FIXED, tokenTable, ...rest, request: { ...setup.request, ...request } }
      const scored = scoreAll(chunks)
      const boundary = at % (scored.length + 1)
      const first = new Translator(options)
      const events = scored.slice(0, boundary).flatMap((chunk) => first.push(chunk))
      const second = Translator.restore(JSON.parse(JSON.stringify(first.snapshot())), options)
      events.push(...scored.slice(boundary).flatMap((chunk) => second.push(chunk)), ...second.end())
      let last = 0
      for (const item of terminal(events).output) {
        if (item.type !== 'message') continue
        const [part] = item.content
        const { text = '', logprobs = [] } = part ?? {}
        for (const { logprob } of logprobs) {
          expect(-logprob).toBeGreaterThan(last)
          last = -logprob
        }
        // The text of half a character is not its bytes decoded.
        if (text.includes('\ufffd')) continue
        const bytes = logprobs.flatMap(({ bytes }) => bytes)
        const [expected, over] = [utf8(text), bytes.length - utf8(text).length]
        // White space before the first word goes with the header, though a token may begin with it.
        expect(over).toBeLessThan(Math.max(1, logprobs[0]?.bytes.length ?? 0))
        expect(bytes.slice(over)).toEqual(expected)
      }
    }),
    { numRuns: RUNS },
  )
})

test('every token of a message has its logprob in it, broken characters too', () => {
  fc.assert(
    fc.property(anyStream(), ({ chunks, setup }) => {
      const { citations: _, ...rest } = setup
      /** The model's text tokens inside messages, by number; and where the messages that are shown begin. */
      const inside: number[] = []
      let count = 0
      let isShown = false
      const translator = new Translator({
        ...FIXED,
        tokenTable,
        ...rest,
        request: { ...setup.request, ...request },
        trace: traceTo((trace) => {
          if (trace.type === 'token' && trace.origin === 'model' && trace.token !== null) {
            count++
            if (isShown && trace.token < FIRST_SPECIAL) inside.push(count)
          } else if (trace.type === 'event') {
            const { event } = trace
            const isItems = event.type === 'response.output_item.added' || event.type === 'response.output_item.done'
            if (isItems && event.item.type === 'message') isShown = event.type === 'response.output_item.added'
          }
        }),
      })
      for (const chunk of scoreAll(chunks)) translator.push(chunk)
      const shown = terminal(translator.end()).output.flatMap((item) =>
        item.type === 'message' ? item.content.flatMap(({ logprobs }) => logprobs.map(({ logprob }) => -logprob)) : [],
      )
      expect(shown).toEqual(expect.arrayContaining(inside))
    }),
    { numRuns: RUNS },
  )
})

describe('a snapshot holds the logprobs only of what may still be shown', () => {
  const scored = (ids: readonly number[]): ScoredToken[] =>
    ids.map((id) => ({
      id,
      logprob: -1,
      topLogprobs: Array.from({ length: 20 }, (_, top) => ({ id: top, logprob: -2 })),
    }))
  const sizeOf = (run: Run): number => JSON.stringify(run.translator.snapshot()).match(/"logprob":-/g)?.length ?? 0
  const words = encodeText(' word'.repeat(5_000))

  test.each([
    ['a message in the name of another', '<|channel|>final<|message|>A<|end|><|start|>user<|message|>'],
    ['reasoning', '<|channel|>analysis<|message|>'],
    ['a call', '<|channel|>commentary to=functions.f <|constrain|>json<|message|>'],
  ])('a snapshot holds no logprobs of %s', (_, header) => {
    const run = createRun({ tokenTable, request })
    run.push(encodeHarmony(header), scored(words))
    expect(sizeOf(run)).toBe(0)
  })

  test('a snapshot holds no logprobs of headers that have ended, however many there were', () => {
    const run = createRun({ tokenTable, request })
    for (let count = 0; count < 50; count++)
      run.push(scored(encodeHarmony('<|channel|>commentary<|channel|>final to=f')))
    expect(sizeOf(run)).toBeLessThan(100)
  })

  test('a snapshot holds no more logprobs of an endless header than the longest one has', () => {
    const run = createRun({ tokenTable, request })
    run.push(encodeHarmony('<|channel|>commentary to=functions.f '), scored(words))
    expect(sizeOf(run)).toBe(0)
  })

  test('a snapshot holds no logprobs of tokens without text', () => {
    const silent: typeof tokenTable = { size: 0, text: () => undefined, bytes: () => new Uint8Array() }
    for (const header of ['<|channel|>final', '<|channel|>final<|message|>']) {
      const run = createRun({ tokenTable: silent, request })
      run.push(header, scored(Array.from({ length: 1_000 }, (_, id) => id)))
      expect(sizeOf(run)).toBe(0)
    }
  })
})

test.each([
  ['impossible', -Infinity, -9999],
  ['the lowest number that an engine can report', -3.4028234663852886e38, -9999],
  ['no number', Number.NaN, -9999],
  ['infinitely likely', Infinity, 0],
  ['certain, and a little more', 1e-7, 0],
  ['certain', 0, 0],
  ['certain, from below', -0, 0],
])('a logprob that is %s is shown as one that JSON can hold', (_, logprob, reported) => {
  const [event] = inMessage().push({ id: 0, logprob, topLogprobs: [{ id: 1, logprob }] })
  const shown = JSON.parse(JSON.stringify(event)) as { logprobs: Logprob[] }
  expect(shown.logprobs).toMatchObject([{ logprob: reported, top_logprobs: [{ logprob: reported }] }])
})
