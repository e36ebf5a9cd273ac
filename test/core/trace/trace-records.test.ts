import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { TraceRecord } from '../../../src/core/trace/record.js'
import { traceRecords } from '../../../src/core/trace/trace-records.js'
import { loadTokenTable } from '../../../src/index.js'
import { flattenChunks, wellFormedTranscript } from '../../support/arbitraries.js'
import { RUNS } from '../../support/runs.js'
import { encodeHarmony, encodeText, m } from '../../support/tokens.js'
import { fn, mcp } from '../recipients/tools.js'
import { callTo, createRun, messageOn, type Run } from '../translate/run.js'

const tokenTable = await loadTokenTable()
const request = { tools: [fn('f')] }

type Options = NonNullable<Parameters<typeof createRun>[0]>
type Of<Type> = Extract<TraceRecord, { type: Type }>

/** A run, and the records of it. */
function recorded(options: Options = {}): Run & { of<Type extends TraceRecord['type']>(type: Type): Of<Type>[] } {
  const records: TraceRecord[] = []
  const run = createRun({ tokenTable, request, ...options, ...traceRecords((record) => records.push(record)) })
  return { ...run, of: (type) => records.filter((record) => record.type === type) as never }
}

const rangesOf = (records: readonly { readonly from: number; readonly to: number }[]) =>
  records.map(({ from, to }) => [from, to])

describe('messages', () => {
  test('a message is recorded with its header and all of its tokens, once it has ended', () => {
    const run = recorded()
    const first = encodeHarmony('<|channel|>analysis<|message|>Hm.<|end|>')
    run.push(...first)
    expect(run.of('message')).toEqual([
      {
        ...{ type: 'message', from: 0, to: first.length - 1, origin: 'model', terminator: 'end' },
        header: { role: 'assistant', channel: 'analysis' },
      },
    ])
    run.push(...encodeHarmony('<|start|>assistant<|channel|>final<|message|>Hi<|return|>'))
    expect(run.of('message')[1]).toMatchObject({ from: first.length, terminator: 'return' })
  })

  test('a message that the next one ends does not have its first token', () => {
    const run = recorded()
    run.push(...encodeHarmony('<|channel|>final<|message|>Hi<|start|>assistant<|channel|>final<|message|>'))
    expect(rangesOf(run.of('message'))).toEqual([[0, 3]])
    run.push(...encodeHarmony('Yes<|end|>'))
    expect(rangesOf(run.of('message'))[1]).toEqual([4, 10])
  })

  test("a tool's message that the host pushes whole ends the model's before it", () => {
    const run = recorded({ request: { tools: [mcp('l')] } })
    const call = encodeHarmony('<|channel|>commentary to=l.f<|message|>{}')
    run.push(...call)
    run.push({ host: { author: 'l.f', text: 'out' } })
    expect(rangesOf(run.of('message'))).toEqual([
      [0, call.length - 1],
      [call.length, call.length],
    ])
  })

  test('messages of text chunks are recorded with the chunks that they stand in', () => {
    const run = recorded()
    run.push(
      '<|channel|>final<|mess',
      'age|>a',
      '<|end|><|start|>assist',
      'ant<|channel|>final<|message|>b',
      '<|return|>',
    )
    expect(rangesOf(run.of('message'))).toEqual([
      [0, 2],
      [2, 4],
    ])
  })

  test('the messages of any transcript have each of its tokens once, as they are cut at their ends', () => {
    fc.assert(
      fc.property(wellFormedTranscript(), ({ chunks, request }) => {
        const ids = flattenChunks(chunks)
        const run = recorded({ request })
        run.push(...chunks)
        run.end()
        const pieces = run.of('message').map(({ from, to }) => ids.slice(from, to + 1))
        expect(pieces.flat()).toEqual(ids)
        const ends: readonly number[] = [m.end, m.call, m.return]
        for (const piece of pieces.slice(0, -1)) {
          expect(piece.filter((id) => ends.includes(id))).toEqual(piece.slice(-1))
        }
      }),
      { numRuns: RUNS },
    )
  })
})

describe('events of items', () => {
  test('added and done events have the tokens from the beginning of their message', () => {
    const run = recorded()
    const first = encodeHarmony('<|channel|>analysis<|message|>Hm.<|end|>')
    run.push(...first)
    const start = first.length
    run.push(...encodeHarmony('<|start|>assistant<|channel|>final<|message|>Hi there<|return|>'))
    const items = run.of('event').filter(({ event }) => /output_item\.|content_part\./.test(event.type))
    const [added, , done] = items.filter(({ event }) => 'output_index' in event && event.output_index === 1)
    expect(rangesOf([added, done] as never)).toEqual([
      [start, start + 4],
      [start, start + 7],
    ])
  })

  test('the result of a hosted call closes an item that began with the call', () => {
    const run = recorded({ request: { tools: [mcp('l')] } })
    run.push(...encodeHarmony('<|channel|>commentary to=l.f<|message|>{}<|call|>'))
    run.push({ host: '<|start|>l.f to=assistant<|channel|>commentary<|message|>out<|end|>' })
    const done = run.of('event').find(({ event }) => event.type === 'response.output_item.done')
    expect(done).toMatchObject({ from: 0, event: { item: { type: 'mcp_call', output: 'out' } } })
  })

  test('an item that the host inserts into an open message comes from no token before', () => {
    const run = recorded()
    run.push(...encodeHarmony('<|channel|>final<|message|>'), ...encodeText('Hi'))
    run.insert({ type: 'compaction', encrypted_content: 'x' } as never)
    run.push(...encodeHarmony(' there<|return|>'))
    const inserted = run.of('event').filter(({ event }) => 'item' in event && String(event.item.type) === 'compaction')
    expect(rangesOf(inserted)).toEqual([
      [3, 3],
      [3, 3],
    ])
  })

  test('deltas keep the tokens of their text', () => {
    const run = recorded()
    run.push(callTo('functions.f'), '{', '}', '<|call|>')
    const deltas = run.of('event').filter(({ event }) => event.type.endsWith('.delta'))
    expect(rangesOf(deltas)).toEqual([
      [1, 1],
      [2, 2],
    ])
  })
})

describe('tokens', () => {
  test('a token has its log-probability and its alternatives, whether the request asks for them or not', () => {
    const run = recorded()
    run.push(...encodeHarmony('<|channel|>final<|message|>'))
    const [hi = 0, no = 0] = [...encodeText('Hi'), ...encodeText('No')]
    run.push({ id: hi, logprob: -0.5, topLogprobs: [{ id: no, logprob: Number.NEGATIVE_INFINITY }] })
    expect(run.of('token').at(-1)).toMatchObject({
      logprob: -0.5,
      alternatives: [{ token: no, text: 'No', logprob: -9999 }],
    })
    expect(run.of('token')[0]).not.toHaveProperty('logprob')
  })

  test("the host's text has the ids that the model reads: markers in a transcript, none in a tool's output", () => {
    const run = recorded()
    const transcript = '<|start|>f to=assistant<|message|>1<|nonsense|><|end|>'
    run.push({ host: transcript }, { host: { author: 'f', text: 'a<|end|>' } })
    expect(run.of('token').map(({ ids, author }) => [ids, author])).toEqual([
      [encodeHarmony(transcript), undefined],
      [encodeText('a<|end|>'), 'f'],
    ])
  })

  test('text of the model has no ids: they are unknown', () => {
    const run = recorded()
    run.push(messageOn('final', 'Hi<|end|>'))
    expect(run.of('token')[0]).not.toHaveProperty('ids')
  })
})

test('a diagnostic is recorded at its token, with its explanation', () => {
  const run = recorded()
  run.push(...encodeHarmony('<|channel|>finl<|message|>Hi<|return|>'))
  const [diagnostic] = run.of('diagnostic')
  expect(diagnostic).toMatchObject({ code: 'misspelled_channel', explanation: expect.stringContaining('channel') })
  expect(diagnostic?.index).toBeGreaterThan(0)
})

test('records are plain JSON', () => {
  const records: TraceRecord[] = []
  const run = createRun({ tokenTable, ...traceRecords((record) => records.push(record)) })
  run.push(...encodeHarmony('<|channel|>final<|message|>Hi<|return|>'))
  run.end()
  expect(JSON.parse(JSON.stringify(records))).toEqual(records)
})
