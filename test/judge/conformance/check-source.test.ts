import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StreamEnd, TokenChunk } from '../../../src/core/tokens/token-source.js'
import { type SourcePlanOptions, sourcePlan } from '../../../src/judge/conformance/arbitraries/index.js'
import {
  type CheckSourceOptions,
  checkSource,
  planPieces,
  SOURCE_RULES,
  type SourceOpener,
  type SourcePlan,
  type SourceRule,
} from '../../../src/judge/conformance/index.js'
import { RUNS } from '../../support/runs.js'

type Step = IteratorResult<TokenChunk, StreamEnd | undefined>
const OVER = { done: true, value: undefined } as const

/** A fault that a source may have, one at a time. */
type Fault =
  | 'asks when opened'
  | 'asks though it is aborted'
  | 'loses the second token'
  | 'gives a token twice'
  | 'swaps tokens'
  | 'swallows the stop token'
  | 'goes on after the stop token'
  | 'says no reason'
  | 'says stop at the limit'
  | 'throws every time'
  | 'ends instead of throwing'
  | 'throws before the last token'
  | 'gives its end twice as a token'
  | 'leaves the call open'
  | 'return() waits for the next token'
  | 'has no return()'
  | 'does not answer the next() under way'
  | 'does not hear the abort'
  | 'throws an error of its own at the abort'
  | 'ends at the abort'
  | 'throws the reason again'
  | 'hands over no chunks but words'

/** A source as it should be, but for the fault. */
function source(fault?: Fault): SourceOpener {
  return (plan, signal) => {
    let isAsked = fault === 'asks when opened'
    let close = (): void => {}
    const closed = new Promise<void>((resolve) => {
      close = resolve
    })
    const chunks: TokenChunk[] = faulty(planPieces(plan), plan, fault)
    let state: 'open' | 'left' | 'aborted' | 'over' = 'open'
    let waiting: { resolve(step: Step): void; reject(error: unknown): void } | undefined
    let owes = false

    signal.addEventListener('abort', () => {
      if (state !== 'open' || fault === 'does not hear the abort') return
      state = 'aborted'
      if (fault !== 'leaves the call open') close()
      if (waiting) waiting.reject(reasonOf())
      else owes = true
    })
    const reasonOf = () => (fault === 'throws an error of its own at the abort' ? new Error('aborted') : signal.reason)

    async function next(): Promise<Step> {
      if (fault === 'asks though it is aborted') isAsked = true
      if (state === 'aborted' && fault === 'ends at the abort') return OVER
      if (owes) {
        owes = fault === 'throws the reason again'
        throw reasonOf()
      }
      if (state === 'over' && fault === 'throws every time' && plan.ending === 'error') throw new Error('failed')
      if (state === 'over' && fault === 'gives its end twice as a token') return { done: false, value: 1 }
      if (state !== 'open') return OVER
      isAsked = true
      const chunk = chunks.shift()
      if (chunk !== undefined) return { done: false, value: chunk }
      if (plan.ending === 'hang') {
        return new Promise((resolve, reject) => {
          waiting = { resolve, reject }
        })
      }
      state = 'over'
      close()
      if (plan.ending === 'error' && fault !== 'ends instead of throwing') throw new Error('failed')
      const reason = plan.ending === 'stop' || fault === 'says stop at the limit' ? 'stop' : 'max_output_tokens'
      return { done: true, value: fault === 'says no reason' ? undefined : { reason } }
    }

    async function leave(): Promise<Step> {
      if (state === 'open') state = 'left'
      if (fault !== 'leaves the call open') close()
      if (fault === 'return() waits for the next token' && waiting) await new Promise(() => {})
      if (fault !== 'does not answer the next() under way') waiting?.resolve(OVER)
      return OVER
    }

    const iterator = fault === 'has no return()' ? { next } : { next, return: leave }
    return {
      source: { [Symbol.asyncIterator]: () => iterator },
      backend: { wasAsked: () => isAsked, closed },
    }
  }
}

function faulty(pieces: readonly number[][], plan: SourcePlan, fault: Fault | undefined): TokenChunk[] {
  const ids = pieces.flat()
  if (fault === 'loses the second token') ids.splice(1, 1)
  else if (fault === 'gives a token twice') ids.splice(0, 0, ...ids.slice(0, 1))
  else if (fault === 'swaps tokens') ids.reverse()
  else if (fault === 'swallows the stop token' && plan.ending === 'stop') ids.pop()
  else if (fault === 'goes on after the stop token' && plan.ending === 'stop') ids.push(200006)
  else if (fault === 'throws before the last token' && plan.ending === 'error') ids.pop()
  else if (fault === 'hands over no chunks but words') return ids.map(String)
  else return [...pieces]
  return ids
}

const READS_ON: SourcePlan['reader'] = { does: 'reads on' }
const plan = (more: Partial<SourcePlan>): SourcePlan => ({
  tokens: [1, 2, 200002],
  cuts: [1],
  ending: 'stop',
  reader: READS_ON,
  ...more,
})
const aborts = (after: number) => ({ does: 'aborts', after }) as const
const leaves = (after: number) => ({ does: 'leaves', after }) as const

/** Each fault, a plan that shows it, and the one rule that it breaks. */
const CASES: [fault: Fault, plan: SourcePlan, rule: SourceRule, expected: string, got: string][] = [
  ['asks when opened', plan({}), 'asks-when-read', 'no request to the backend before the first next()', 'a request'],
  [
    'asks though it is aborted',
    plan({ reader: aborts(0) }),
    'asks-when-read',
    'no request to the backend',
    'a request',
  ],
  ['loses the second token', plan({}), 'tokens-once', '2 at 1', '200002 at 1'],
  ['gives a token twice', plan({}), 'tokens-once', '2 at 1', '1 at 1'],
  ['swaps tokens', plan({ reader: leaves(1) }), 'tokens-once', '1 at 0', '200002 at 0'],
  ['hands over no chunks but words', plan({}), 'tokens-once', '1 at 0', '"text 1" at 0'],
  ['swallows the stop token', plan({}), 'stop-token-last', 'the stop token 200002 and nothing after it', 'nothing'],
  [
    'goes on after the stop token',
    plan({}),
    'stop-token-last',
    'the stop token 200002 and nothing after it',
    '200002, 200006',
  ],
  ['says no reason', plan({}), 'end-reason', 'stop', 'undefined'],
  ['says stop at the limit', plan({ tokens: [1], ending: 'length' }), 'end-reason', 'max_output_tokens', 'stop'],
  [
    'throws every time',
    plan({ tokens: [1], ending: 'error' }),
    'over-stays-over',
    'next() to return done',
    'the error "Error: failed"',
  ],
  ['ends instead of throwing', plan({ tokens: [1], ending: 'error' }), 'error-once', 'next() to throw', 'an end'],
  ['throws before the last token', plan({ tokens: [1, 2], ending: 'error' }), 'tokens-once', '2 at 1', 'nothing at 1'],
  ['gives its end twice as a token', plan({}), 'over-stays-over', 'next() to return done', 'a chunk: 1'],
  [
    'leaves the call open',
    plan({ ending: 'hang', tokens: [1], reader: leaves(1) }),
    'return-closes',
    'the call to be closed at the backend',
    'an open call',
  ],
  [
    'leaves the call open',
    plan({ ending: 'hang', tokens: [1, 2], reader: aborts(1) }),
    'abort-closes',
    'the call to be closed at the backend',
    'an open call',
  ],
  [
    'return() waits for the next token',
    plan({ ending: 'hang', tokens: [], reader: leaves(0) }),
    'return-closes',
    'return() to resolve at once',
    'nothing',
  ],
  [
    'has no return()',
    plan({ reader: leaves(1) }),
    'return-closes',
    'return() to resolve at once',
    'the error "Error: there is no return()"',
  ],
  [
    'does not answer the next() under way',
    plan({ ending: 'hang', tokens: [1], reader: leaves(1) }),
    'return-closes',
    'the pending next() to return done',
    'nothing',
  ],
  [
    'does not hear the abort',
    plan({ ending: 'hang', tokens: [1], reader: aborts(1) }),
    'abort-closes',
    "next() to throw the signal's reason",
    'nothing',
  ],
  [
    'throws an error of its own at the abort',
    plan({ reader: aborts(1) }),
    'abort-closes',
    "next() to throw the signal's reason",
    'the error "Error: aborted"',
  ],
  ['ends at the abort', plan({ reader: aborts(1) }), 'abort-closes', "next() to throw the signal's reason", 'an end'],
  [
    'throws the reason again',
    plan({ reader: aborts(1) }),
    'over-stays-over',
    'next() to return done',
    'the error "Error: the reader aborts"',
  ],
]

const SOON: CheckSourceOptions = { timeoutMs: 30 }

describe('a good source', () => {
  test('a good source keeps every rule, with any plan', async () => {
    await fc.assert(
      fc.asyncProperty(sourcePlan(), async (plan) => {
        expect(await checkSource(source(), plan)).toEqual([])
      }),
      { numRuns: RUNS },
    )
  })

  test('a good source may hand its tokens over in any form', async () => {
    const forms: TokenChunk[] = [1, [2, { id: 3 }], { id: 4, logprob: -1 }, Uint32Array.of(5, 200002)]
    async function* tokens(): AsyncGenerator<TokenChunk, StreamEnd> {
      yield* forms
      return { reason: 'stop' }
    }
    const open: SourceOpener = () => {
      const source = tokens()
      return { source, backend: { wasAsked: () => false, closed: Promise.resolve() } }
    }
    expect(await checkSource(open, plan({ tokens: [1, 2, 3, 4, 5, 200002] }))).toEqual([])
  })

  test('a good source of text is held against its text', async () => {
    const open =
      (...pieces: string[]): SourceOpener =>
      () => ({
        source: (async function* (): AsyncGenerator<TokenChunk, StreamEnd> {
          yield* pieces
          return { reason: 'stop' }
        })(),
        backend: { wasAsked: () => false, closed: Promise.resolve() },
        text: 'Hi 🦩<|return|>',
      })
    expect(await checkSource(open('Hi \ud83e', '\udda9<|re', 'turn|>'), plan({}))).toEqual([])
    expect(await checkSource(open('Hi 🦩'), plan({}))).toEqual([
      { rule: 'tokens-once', position: 5, expected: '"<" at 5', got: 'nothing at 5' },
    ])
  })
})

describe('a fault is found', () => {
  test.each(CASES)('a fault is found: %s', async (fault, plan, rule, expected, got) => {
    const violations = await checkSource(source(fault), plan, SOON)
    expect(violations.map(({ position, ...violation }) => violation)).toContainEqual({ rule, expected, got })
    expect(new Set(violations.map((violation) => violation.rule)).size).toBeLessThanOrEqual(2)
    expect(await checkSource(source(), plan, SOON)).toEqual([])
  })

  test('every rule finds a fault', () => {
    expect(new Set(CASES.map(([, , rule]) => rule))).toEqual(new Set(Object.keys(SOURCE_RULES)))
  })

  test.each(CASES)('the plans of sourcePlan() find a fault, too: %s', async (fault, plan, rule) => {
    const options: SourcePlanOptions = { endings: [plan.ending], readers: [plan.reader.does] }
    const details = await fc.check(
      fc.asyncProperty(sourcePlan(options), async (plan) => {
        const violations = await checkSource(source(fault), plan, { timeoutMs: 5 })
        return violations.every((violation) => violation.rule !== rule)
      }),
      { numRuns: 200, endOnFailure: true },
    )
    expect(details.failed).toBe(true)
  })
})

describe('sourcePlan()', () => {
  test('sourcePlan() draws plans that a backend can play', () => {
    const seen = new Set<string>()
    fc.assert(
      fc.property(sourcePlan(), (plan) => {
        const stops = plan.tokens.filter((id) => [200002, 200012, 199999].includes(id))
        expect(stops).toEqual(plan.ending === 'stop' ? plan.tokens.slice(-1) : [])
        expect(planPieces(plan).flat()).toEqual(plan.tokens)
        expect(planPieces(plan).every((piece) => piece.length > 0)).toBe(true)
        expect(plan.ending === 'hang' && plan.reader.does === 'reads on').toBe(false)
        if (plan.reader.does !== 'reads on') expect(plan.reader.after).toBeLessThanOrEqual(plan.tokens.length)
        seen.add(`${plan.ending}, ${plan.reader.does}`)
      }),
      // So many that none of the eleven is missing by chance.
      { numRuns: 500 },
    )
    expect(seen.size).toBe(11)
  })

  test('sourcePlan() shrinks to the shortest call, and shows it', () => {
    const details = fc.check(
      fc.property(sourcePlan(), () => false),
      { seed: 1 },
    )
    expect(fc.stringify(details.counterexample?.[0])).toBe('[<|return|>] by 1, then stop; the reader reads on')
  })

  test('sourcePlan() takes the allowed steps', () => {
    fc.assert(
      fc.property(sourcePlan({ tokens: [7], endings: ['length'], readers: ['leaves'] }), (plan) => {
        expect(plan).toMatchObject({ ending: 'length', reader: { does: 'leaves' } })
        expect(plan.tokens.every((id) => id === 7)).toBe(true)
      }),
    )
  })
})
