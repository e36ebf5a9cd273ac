import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ResponseStreamEvent } from '../../src/core/responses/events.js'
import { chunkPlan, cutChunks } from '../support/arbitraries.js'
import { RUNS } from '../support/runs.js'
import { Translator } from '../support/translator.js'
import { deltaOf, faultsOf, itemText } from './check-stream.js'
import { anyStream, breaks, endReason, fixed, oneByOne, run, runBroken, tokenTable } from './streams.js'

test('deltas, done texts, items and the terminal response agree, indexes and numbers have no gap', () => {
  fc.assert(
    fc.property(
      anyStream(),
      chunkPlan(),
      endReason,
      fc.constantFrom('live', 'whole'),
      (stream, plan, reason, calls) => {
        const { events } = run(cutChunks(stream.chunks, plan), { ...stream.setup, calls }, reason)
        expect(faultsOf(events)).toEqual([])
      },
    ),
    { numRuns: RUNS },
  )
})

test('deltas, items and the terminal response agree if the token limit cuts the stream off, at any token', () => {
  fc.assert(
    fc.property(anyStream(), fc.nat(80), fc.constantFrom('live', 'whole'), ({ chunks, setup }, at, calls) => {
      const { events } = run(oneByOne(chunks).slice(0, at), { ...setup, calls }, 'max_output_tokens')
      expect(faultsOf(events)).toEqual([])
      expect(events.at(-1)?.type).toBe('response.incomplete')
    }),
    { numRuns: RUNS },
  )
})

test('deltas, items and the terminal response agree if the engine fails or the client leaves, at any token', () => {
  fc.assert(
    fc.property(anyStream(), fc.nat(80), breaks, (stream, at, how) => {
      const { events } = runBroken(stream, at, how)
      expect(faultsOf(events)).toEqual([])
      expect(events.filter(({ type }) => type === 'error')).toHaveLength(how === 'fails' ? 1 : 0)
      expect(events.at(-1)?.type).toBe(how === 'cancels' ? 'response.incomplete' : 'response.failed')
    }),
    { numRuns: RUNS },
  )
})

test('a queued response has the stream of one that begins at once, with response.queued before response.in_progress', () => {
  fc.assert(
    fc.property(anyStream(), fc.nat(80), fc.boolean(), fc.boolean(), ({ chunks, setup }, at, isAborted, isRestored) => {
      const options = { ...fixed, tokenTable, ...setup, request: { ...setup.request, background: true } }
      const given = oneByOne(chunks).slice(0, at)
      const rest = (translator: Translator): ResponseStreamEvent[] => [
        ...given.flatMap((chunk) => translator.push(chunk)),
        ...(isAborted ? translator.abort() : translator.end()),
      ]
      const atOnce = rest(new Translator(options))
      const queued = new Translator(options)
      const [created, waiting] = queued.queue()
      expect([created?.type, waiting?.type, queued.response.status]).toEqual([
        'response.created',
        'response.queued',
        'queued',
      ])
      const begun = rest(isRestored ? Translator.restore(queued.snapshot(), options) : queued)
      expect(faultsOf([created, waiting, ...begun] as ResponseStreamEvent[])).toEqual([])
      expect(begun.map((event) => ({ ...event, sequence_number: event.sequence_number - 1 }))).toEqual(atOnce.slice(1))
    }),
    { numRuns: RUNS },
  )
})

test('no item is reported completed before its result came', () => {
  fc.assert(
    fc.property(anyStream(), ({ chunks, setup }) => {
      const translator = new Translator({ ...fixed, tokenTable, ...setup, policy: 'vllm' })
      let isHost = false
      for (const chunk of oneByOne(chunks)) {
        isHost ||= typeof chunk === 'object' && 'host' in chunk
        const types = translator.push(chunk).map(({ type }) => type)
        if (!isHost) expect(types.filter((type) => /_call\.completed$/.test(type))).toEqual([])
      }
    }),
    { numRuns: RUNS },
  )
})

test('the response is at every moment what was streamed so far', () => {
  fc.assert(
    fc.property(anyStream(), endReason, ({ chunks, setup }, reason) => {
      const translator = new Translator({ ...fixed, tokenTable, ...setup })
      const texts: string[] = []
      const takes = (events: readonly ResponseStreamEvent[]): void => {
        for (const event of events) {
          if (event.type === 'response.output_item.added') texts.push('')
          if ('output_index' in event) texts[event.output_index] += deltaOf(event)
        }
        const { output } = translator.response
        expect(translator.output).toEqual(output)
        for (const [index, item] of output.entries()) {
          if (item.type !== 'shell_call_output') expect(itemText(item)).toBe(texts[index])
        }
        expect(texts).toHaveLength(output.length)
      }
      for (const chunk of oneByOne(chunks)) {
        takes(translator.push(chunk))
        expect(translator.response.status).toBe('in_progress')
      }
      takes(translator.end(reason))
    }),
    { numRuns: Math.ceil(RUNS / 4) },
  )
})
