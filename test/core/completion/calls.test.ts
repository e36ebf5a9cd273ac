import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ANY_CALLEE, Calls } from '../../../src/core/completion/calls.js'
import type { ItemStage } from '../../../src/core/items/item-state.js'
import type { Item } from '../../../src/core/items/kinds.js'
import type { ResponseRequest } from '../../../src/index.js'
import { RUNS } from '../../support/runs.js'
import { Translator } from '../../support/translator.js'
import { builtin, fn, mcp } from '../recipients/tools.js'
import { callTo, createRun, FIXED, inTurn, type Run, runOf, toolMessage } from '../translate/run.js'

/** A call that counts the reads of its state. */
class CountedCall {
  static asked = 0
  readonly type = 'code_interpreter_call'
  readonly id: string
  readonly callee: string
  readonly outputIndex: number
  current: ItemStage = 'waiting'

  constructor(outputIndex: number, callee: string) {
    this.outputIndex = outputIndex
    this.callee = callee
    this.id = `ci_${outputIndex}`
  }

  get stage(): ItemStage {
    CountedCall.asked++
    return this.current
  }
}

const asItems = (calls: readonly CountedCall[]): readonly Item[] => calls as unknown as readonly Item[]

/** The plainest implementation of pairing, to compare with. */
const naive = {
  oldest: (items: readonly Item[], keys: readonly string[], stage: ItemStage): Item | undefined =>
    items.find(
      ({ callee, stage: at }) =>
        callee !== '' && at === stage && [ANY_CALLEE, callee].some((key) => keys.includes(key)),
    ),
}

const CALLEES = ['a', 'b', 'c', '']

describe('pairing', () => {
  test('pairing finds what looking through all calls finds, whatever is made and answered in whatever order', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('call' as const), callee: fc.constantFrom(...CALLEES) }),
      fc.record({ do: fc.constant('answer' as const), keys: fc.subarray(['a', 'b', 'c', '']) }),
      fc.record({ do: fc.constant('resolve' as const), at: fc.nat() }),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const calls = new Calls()
        const items: CountedCall[] = []
        for (const step of steps) {
          if (step.do === 'call') items.push(new CountedCall(items.length, step.callee))
          const waiting = items.filter(({ current, callee }) => current === 'waiting' && callee !== '')
          if (step.do === 'resolve' && waiting.length > 0) {
            const call = waiting[step.at % waiting.length] as CountedCall
            expect(calls.index(asItems(items)).find(call.id)).toBe(call)
            call.current = 'done'
          }
          if (step.do !== 'answer') continue
          const found = calls.index(asItems(items)).oldestWaiting(step.keys)
          expect(found).toBe(naive.oldest(asItems(items), step.keys, 'waiting'))
          if (found === undefined) {
            expect(calls.oldestAnswered(step.keys)).toBe(naive.oldest(asItems(items), step.keys, 'done'))
          } else (found as unknown as CountedCall).current = 'done'
        }
      }),
      { numRuns: RUNS },
    )
  })

  test.each<[string, (count: number) => readonly (readonly string[])[]]>([
    ['of one tool', (count) => Array.from({ length: count }, () => ['tool'])],
    ['of any tool', (count) => Array.from({ length: count }, () => [''])],
    [
      'of a tool each, the last one first',
      (count) => Array.from({ length: count }, (_, at) => [`tool${count - 1 - at}`]),
    ],
    ['that is answered twice', (count) => Array.from({ length: 2 * count }, (_, at) => [`tool${at >> 1}`])],
  ])('pairing looks at a call a few times for each result %s, however many wait', (name, keysFor) => {
    const askedFor = (count: number): number => {
      const items = Array.from(
        { length: count },
        (_, at) => new CountedCall(at, name === 'of one tool' ? 'tool' : `tool${at}`),
      )
      const calls = new Calls()
      CountedCall.asked = 0
      for (const keys of keysFor(count)) {
        const call = calls.index(asItems(items)).oldestWaiting(keys) as unknown as CountedCall | undefined
        if (call === undefined) expect(calls.oldestAnswered(keys)).toBeDefined()
        else call.current = 'done'
      }
      expect(items.every(({ current }) => current === 'done')).toBe(true)
      return CountedCall.asked / count
    }
    expect(askedFor(4_000)).toBeLessThanOrEqual(askedFor(500) + 1)
    expect(askedFor(4_000)).toBeLessThan(20)
  })

  test('pairing looks at a call a few times for each result by id, the last one first', () => {
    const items = Array.from({ length: 4_000 }, (_, at) => new CountedCall(at, 'tool'))
    const calls = new Calls()
    CountedCall.asked = 0
    for (const { id } of items.toReversed()) {
      expect(calls.index(asItems(items)).find(id)?.stage).toBe('waiting')
    }
    expect(CountedCall.asked).toBe(items.length)
  })

  test('pairing takes the first of two items of one id', () => {
    const items = [new CountedCall(0, 'a'), new CountedCall(1, 'a')]
    const [first] = items.map((item) => Object.assign(item, { id: 'same' }))
    expect(new Calls().index(asItems(items)).find('same')).toBe(first)
  })
})

const request: ResponseRequest = {
  tools: [fn('f'), mcp('github'), mcp('files'), builtin('code_interpreter'), builtin('web_search')],
  include: ['code_interpreter_call.outputs'],
}
const RECIPIENTS = ['github.a', 'github.b', 'files.a', 'python', 'browser.search', 'functions.f']

describe('a run of parallel calls', () => {
  test('a run of parallel calls says the same in every process that continues it, regardless of who answers in which order', () => {
    const answer = fc.oneof(
      fc.record({ author: fc.constantFrom(...RECIPIENTS, 'tool', 'mcp.github.a') }),
      fc.record({ at: fc.nat() }),
    )
    const called = fc.array(fc.constantFrom(...RECIPIENTS), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(called, fc.array(answer, { maxLength: 9 }), (recipients, answers) => {
        const begin = (): Run => {
          const run = createRun({ request })
          run.push(inTurn(...recipients.map((recipient) => callTo(recipient, '{}<|call|>'))))
          return run
        }
        const answerOne = (run: Run, one: (typeof answers)[number], index: number): unknown => {
          if ('author' in one) return run.push(toolMessage(one.author, String(index)))
          const hosted = run.translator.response.output.filter(({ type }) => type !== 'function_call')
          const item = hosted[one.at % hosted.length]
          return item && run.toolResult({ itemId: item.id, output: String(index) })
        }
        const whole = begin()
        let moved = begin()
        for (const [index, one] of answers.entries()) {
          const expected = answerOne(whole, one, index)
          const snapshot = JSON.parse(JSON.stringify(moved.translator.snapshot()))
          moved = runOf(Translator.restore(snapshot, { ...FIXED, request }))
          expect(answerOne(moved, one, index)).toEqual(expected)
        }
        expect(moved.end('stop')).toEqual(whole.end('stop'))
      }),
      { numRuns: Math.ceil(RUNS / 10) },
    )
  })
})
