import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createDeadlines } from '../../../src/endpoint/server/service/limits/deadlines.js'
import { type CallGuards, createEngineGuard } from '../../../src/endpoint/server/service/limits/guarded-engine.js'
import { TOKEN_BYTES } from '../../../src/endpoint/server/service/limits/memory.js'
import { LOGPROB_BYTES } from '../../../src/endpoint/stores/bytes-of.js'
import type { TokenEngine, TokenStream } from '../../../src/engines/contract/index.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

/** A call of an engine with these steps, and the reports about it. */
function guarded(steps: readonly (() => unknown)[], guards: CallGuards = {}) {
  let at = 0
  let closed = 0
  const reports: unknown[] = []
  const stream = {
    next: () => steps[at++]?.(),
    async return() {
      closed += 1
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]: () => stream,
  }
  const engine: TokenEngine = { generate: () => stream as unknown as TokenStream, health: async () => {} }
  const observed = {
    modelCalled: () => ({
      span: undefined,
      sampled: (count: number) => reports.push(count),
      ended: (isFailed: boolean) => reports.push(isFailed ? 'failed' : 'ended'),
    }),
  }
  const guard = createEngineGuard({ tokenSeconds: 1, firstTokenSeconds: 2 }, createDeadlines())
  const call = guard(engine, { observed: observed as never, ...guards }).generate([1])
  return { call, reports, closed: () => closed }
}

const OVER = { done: true, value: undefined }
const gives = (value: unknown) => async () => ({ done: false, value })
const never = () => new Promise(() => {})

test('each step is reported with its tokens, and the end once', async () => {
  const { call, reports } = guarded([gives(1), gives([2, 3]), gives([]), async () => OVER])
  for await (const _ of call);
  await call.return()
  expect(reports).toEqual([1, 2, 0, 'ended'])
})

test('the log-probabilities of a token are counted, each alternative of it, too', async () => {
  const added: number[] = []
  const topLogprobs = Array.from({ length: 20 }, (_, id) => ({ id, logprob: -1 }))
  const steps = [gives(1), gives({ id: 1, logprob: 0 }), gives({ id: 1, logprob: 0, topLogprobs })]
  const pair = gives([1, { id: 1, logprob: 0, topLogprobs }])
  const { call } = guarded([...steps, pair, gives(Uint32Array.of(1, 2)), async () => OVER], {
    meter: { add: (bytes) => added.push(bytes) },
  })
  for await (const _ of call);
  const [plain, scored] = [TOKEN_BYTES, LOGPROB_BYTES]
  expect(added).toEqual([8, plain, plain + scored, plain + 21 * scored, 2 * plain + 21 * scored, 2 * plain])
})

test('an engine that throws at once, or answers with no step, fails the call like one that rejects', async () => {
  const thrown = (): never => {
    throw new Error('at once')
  }
  for (const step of [thrown, async () => thrown(), () => undefined, async () => undefined]) {
    const { call } = guarded([step])
    await expect(call.next()).rejects.toThrow()
    expect(await call.next()).toEqual(OVER)
  }
})

test('the tokens of a call that was silent for too long are ignored, and it is not asked again', async () => {
  let answer = (_: unknown): void => {}
  const late = new Promise((resolve) => {
    answer = resolve
  })
  const { call, reports, closed } = guarded([gives(1), () => late, gives(3)])
  await call.next()
  const step = call.next()
  const refused = expect(step).rejects.toThrow('the engine gave no token for 1 seconds')
  await vi.advanceTimersByTimeAsync(1500)
  await refused
  answer({ done: false, value: 2 })
  await late
  expect([await call.next(), reports, closed()]).toEqual([OVER, [1, 'failed'], 1])
})

test('a call that gets no memory is closed, and its step says so', async () => {
  const add = (bytes: number): void => {
    if (bytes > 1000) throw new Error('no room')
  }
  const { call, closed } = guarded([gives(1), gives(Array.from({ length: 1000 }, () => 1))], { meter: { add } })
  await call.next()
  await expect(call.next()).rejects.toThrow('no room')
  expect([await call.next(), closed()]).toEqual([OVER, 1])
})

test('no timer is left by a call that ended, failed, hung or was closed', async () => {
  const ended = guarded([async () => OVER]).call.next()
  const failed = guarded([async () => Promise.reject(new Error('x'))]).call.next()
  const hung = guarded([never]).call.next()
  failed.catch(() => {})
  hung.catch(() => {})
  await guarded([gives(1)]).call.return()
  await ended
  await vi.advanceTimersByTimeAsync(3000)
  expect(vi.getTimerCount()).toBe(0)
})

test('an engine that has all of its tokens at once, one by one or in one step, lets other work run in between', async () => {
  for (const steps of [
    Array.from({ length: 10_000 }, (_, id) => id),
    [Array.from({ length: 10_000 }, (_, id) => id)],
    [Uint32Array.from({ length: 10_000 }, (_, id) => id)],
  ]) {
    const { call } = guarded([...steps.map(gives), async () => OVER])
    let turns = 0
    let isOver = false
    const count = (): void => {
      turns += 1
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const tokens: number[] = []
    for await (const chunk of call)
      for (const id of [chunk].flat()) tokens.push(...(id instanceof Uint32Array ? id : [id as number]))
    isOver = true
    expect(tokens).toEqual(Array.from({ length: 10_000 }, (_, id) => id))
    expect(turns).toBeGreaterThanOrEqual(39)
  }
})

test('a call that is left while other work runs has no more tokens', async () => {
  const { call, closed } = guarded([gives(new Uint32Array(5_000)), async () => OVER])
  await call.next()
  const pending = call.next()
  await call.return()
  expect(await pending).toEqual(OVER)
  expect(closed()).toBe(1)
})

test('many streams that have all of their tokens at once share a turn, and one at the pace of a model is never behind them', async () => {
  const guard = createEngineGuard({}, createDeadlines())
  const callOf = (next: () => Promise<unknown>) => {
    const stream = { next, return: async () => OVER, [Symbol.asyncIterator]: () => stream }
    return guard({ generate: () => stream as unknown as TokenStream, health: async () => {} }).generate([1])
  }
  let turn = 0
  let isOver = false
  const tick = (): void => {
    turn += 1
    if (!isOver) setImmediate(tick)
  }
  setImmediate(tick)
  const counts: number[] = []
  const read = async (next: () => Promise<unknown>, most: number, turns: number[]) => {
    const call = callOf(next)
    for (let at = 0; at < most; at++) {
      await call.next()
      counts[turn] = (counts[turn] ?? 0) + 1
      turns.push(turn)
    }
  }
  const slowTurns: number[] = []
  const slow = read(() => new Promise((resolve) => setImmediate(resolve, { done: false, value: [1] })), 30, slowTurns)
  await Promise.all([slow, ...Array.from({ length: 100 }, () => read(gives([1]), 500, []))])
  isOver = true
  expect(Math.max(...counts.filter((count) => count > 0))).toBeLessThan(1_500)
  const waits = slowTurns.slice(1).map((each, at) => each - (slowTurns[at] as number))
  expect(Math.max(...waits)).toBeLessThan(4)
})
