import { describe, expect, test } from 'vitest'
import { loadTokenTable, type ResponseStreamEvent, type ScoredToken } from '../../src/index.js'
import type { Logprob } from '../../src/responses/items.js'
import { Translator } from '../../src/translate/translator.js'
import { encodeHarmony, encodeText } from '../support/tokens.js'
import { createRun, FIXED, type Run, terminal } from './run.js'

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

/** The deltas: their text, and the tokens that they say they are of. */
function deltas(events: readonly ResponseStreamEvent[]): [string, number[]][] {
  return events.flatMap((event) =>
    event.type === 'response.output_text.delta'
      ? [[event.delta, event.logprobs.map(({ logprob }) => logprob)] satisfies [string, number[]]]
      : [],
  )
}

const utf8 = (text: string): number[] => [...new TextEncoder().encode(text)]

test('a token: its text, its logprob, its bytes, and the most likely ones', () => {
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
  test('one token per push', () => {
    const run = inMessage()
    expect(deltas(score(encodeText('Hello world')).flatMap((token) => run.push(token)))).toEqual([
      ['Hello', [-1]],
      [' world', [-2]],
    ])
  })

  test('several tokens per push', () => {
    expect(deltas(inMessage().push(score(encodeText('Hello world'))))).toEqual([['Hello world', [-1, -2]]])
  })

  test('a character that several tokens make', () => {
    const ids = encodeText('🫠')
    expect(ids.length).toBeGreaterThan(1)
    const run = inMessage()
    expect(deltas(score(ids).flatMap((token) => run.push(token)))).toEqual([['🫠', ids.map((_, at) => -1 - at)]])
    const [, done] = run.push(encodeHarmony('<|return|>'))
    const part = done?.type === 'response.content_part.done' && done.part.type === 'output_text' ? done.part : undefined
    expect(part?.logprobs.flatMap(({ bytes }) => bytes)).toEqual(utf8('🫠'))
    expect(part?.logprobs[0]?.token).toContain('\ufffd')
  })

  test('a character that begins in one push and ends in the next', () => {
    const [hello = 0] = encodeText('Hello')
    const [first = 0, ...rest] = encodeText('🫠')
    const [one, two, ...more] = score([hello, first, ...rest]) as [ScoredToken, ScoredToken, ...ScoredToken[]]
    const run = inMessage()
    expect(deltas([...run.push([one, two]), ...run.push(more)])).toEqual([
      ['Hello', [-1]],
      ['🫠', [-2, ...more.map(({ logprob }) => logprob)]],
    ])
  })

  test('none for tokens that came without, and none for text', () => {
    const run = inMessage()
    const [a = 0, b = 0] = encodeText('Hello world')
    expect(deltas([...run.push([a, { id: b, logprob: -2 }]), ...run.push('text')])).toEqual([
      ['Hello world', [-2]],
      ['text', []],
    ])
  })

  test('none for markers, and none of what another message had', () => {
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

  test('of a message that has no header, from its first token', () => {
    const run = createRun({ tokenTable, request })
    const text = 'I must refuse this request, because of the rules that I follow.'
    const ids = encodeText(text)
    expect(deltas(run.push(score(ids)))).toEqual([[text, ids.map((_, at) => -1 - at)]])
  })
})

test('nothing where the request does not include them', () => {
  const run = inMessage({ request: { include: [] } })
  const events = [...run.push(score(encodeText('Hello world'))), ...run.push('<|return|>'), ...run.end()]
  expect(JSON.stringify(events)).not.toContain('"logprob"')
})

test('what the receiver does to an event changes nothing that follows', () => {
  const translator = new Translator({ ...FIXED, tokenTable, request })
  translator.push('<|channel|>final<|message|>')
  const [event] = translator.push({ id: 0, logprob: -1 })
  if (event?.type !== 'response.output_text.delta' || event.logprobs[0] === undefined) throw new Error('no delta')
  event.logprobs[0].token = 'mine'
  event.logprobs.length = 0
  expect(terminal(translator.end()).output).toMatchObject([{ content: [{ logprobs: [{ token: '!' }] }] }])
})
