import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { markerText } from '../../../src/core/harmony/vocabulary.js'
import { type TextInput, textSource } from '../../../src/engines/sources/text.js'
import { translate } from '../../../src/index.js'
import { harmonyText, sourcePlan } from '../../../src/judge/conformance/arbitraries/index.js'
import { checkSource, planPieces, type SourcePlan } from '../../../src/judge/conformance/check-source.js'
import { readTokens } from '../../support/read-tokens.js'
import { RUNS } from '../../support/runs.js'
import { cut } from '../../support/tokens.js'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

async function joinPieces(pieces: TextInput): Promise<string> {
  return (await readTokens(textSource(pieces))).tokens.join('')
}

/** An engine that gives each token's text, and can be seen. */
function scripted(plan: SourcePlan, isBytes: boolean) {
  const joinPieces = (id: number): string => (id >= 200000 ? markerText(id) : `${id} `)
  const pieces = planPieces(plan).map((ids) => ids.map(joinPieces).join(''))
  const text = pieces.join('')
  let isAsked = false
  let close = (): void => {}
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  const source: AsyncIterable<string | Uint8Array> = {
    [Symbol.asyncIterator]: () => ({
      async next() {
        isAsked = true
        const piece = pieces.shift()
        if (piece !== undefined) return { done: false, value: isBytes ? bytes(piece) : piece }
        if (plan.ending === 'hang') return new Promise<never>(() => {})
        close()
        if (plan.ending === 'error') throw new Error('the engine fell over')
        return { done: true, value: { reason: plan.ending === 'stop' ? 'stop' : 'max_output_tokens' } }
      },
      async return() {
        close()
        return { done: true, value: undefined }
      },
    }),
  }
  return { text, source, backend: { wasAsked: () => isAsked, closed } }
}

describe('a source of text', () => {
  test('a source of text keeps the laws of a source', async () => {
    await fc.assert(
      fc.asyncProperty(sourcePlan(), fc.boolean(), async (plan, isBytes) => {
        const violations = await checkSource((plan, signal) => {
          const { source, ...rest } = scripted(plan, isBytes)
          return { ...rest, source: textSource(source, { signal }) }
        }, plan)
        expect(violations).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })

  test('a source of text puts characters together that are cut between pieces of bytes', async () => {
    await fc.assert(
      fc.asyncProperty(harmonyText(), fc.array(fc.integer({ min: 1, max: 5 })), async (text, sizes) => {
        const pieces = cut(bytes(text), sizes)
        expect(await joinPieces(pieces)).toBe(text)
        expect(await joinPieces(new Blob([text]).stream())).toBe(text)
      }),
      { numRuns: RUNS },
    )
  })

  test('a source of text reads anything that gives text or bytes', async () => {
    expect(await joinPieces(['a', bytes('b'), '', 'c'])).toBe('abc')
    expect(await joinPieces('é<|end|>')).toBe('é<|end|>')
    expect(await joinPieces(bytes('é') as never)).toBe('é')
    expect(await joinPieces(new Response('é').body as ReadableStream<Uint8Array>)).toBe('é')
    const strings = new ReadableStream<string>({
      start(controller) {
        controller.enqueue('a')
        controller.close()
      },
    })
    expect(await joinPieces(strings)).toBe('a')
  })

  test('a source of text closes a stream that is waited for', async () => {
    let reason: unknown = 'not cancelled'
    const body = new ReadableStream<Uint8Array>({
      cancel(why) {
        reason = why
      },
    })
    const source = textSource(body)
    const step = source.next()
    await source.return()
    expect(await step).toEqual({ done: true, value: undefined })
    expect(reason).toBeUndefined()
  })

  test('a source of text is given its end', async () => {
    const end = { reason: 'stop', usage: { outputTokens: 3 } } as const
    expect((await readTokens(textSource(['a'], { end }))).end).toBe(end)
    expect((await readTokens(textSource(['a'], { end: () => end }))).end).toBe(end)
    expect((await readTokens(textSource(['a']))).end).toBeUndefined()
  })

  test('a source of text refuses anything but strings', async () => {
    expect(() => textSource(1 as never)).toThrow('pieces: expected a stream or an iterable of text or bytes, got 1')
    expect(() => textSource(['a'], null as never)).toThrow('options')
    await expect(textSource([1] as never).next()).rejects.toThrow('piece: expected text or bytes, got 1')
  })
})

describe('losses compared with ids', () => {
  const collect = async (pieces: TextInput, end?: object) => {
    const events = translate(textSource(pieces, end ? { end } : {}), {
      request: { include: ['message.output_text.logprobs'] },
    })
    for (;;) {
      const step = await events.next()
      if (step.done) return step.value
    }
  }
  const messages = (response: { output: readonly unknown[] }) =>
    response.output.map((item) => (item as { content: { text: string; logprobs?: unknown }[] }).content[0])
  const SAID = '<|channel|>final<|message|>Hello<|return|>'

  test('a source of text has no count of tokens, if the engine does not report it', async () => {
    expect((await collect([SAID], { reason: 'stop' })).usage).toBeNull()
    const usage = { inputTokens: 10, outputTokens: 5 }
    expect((await collect([SAID], { reason: 'stop', usage })).usage).toMatchObject({
      input_tokens: 10,
      output_tokens: 5,
    })
  })

  test('a source of text has no log-probabilities', async () => {
    expect(messages(await collect([SAID]))).toMatchObject([{ text: 'Hello', logprobs: [] }])
  })

  test('a source of text cannot tell a marker from a text that spells it, which ends the message', async () => {
    const quoted = '<|channel|>final<|message|>Messages end with <|end|>, you see.<|return|>'
    expect(messages(await collect([quoted]))[0]?.text).toBe('Messages end with ')
  })

  test('a source of text loses invalid UTF-8', async () => {
    expect(await joinPieces([Uint8Array.of(0x61, 0xf0, 0x9f), 'b', Uint8Array.of(0xff, 0xe2)])).toBe(
      'a\ufffdb\ufffd\ufffd',
    )
  })
})
