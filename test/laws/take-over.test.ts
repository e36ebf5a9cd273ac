import fc from 'fast-check'
import { afterEach, beforeEach, test, vi } from 'vitest'
import { RUNS } from '../support/runs.js'
import { Processes } from './processes.js'

/** The number of steps in a run. */
const STEPS = Number(process.env['LAW_STEPS'] ?? 15)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** The responses that a run has begun. */
interface Model {
  responses: number
}

class Happening implements fc.AsyncCommand<Model, Processes> {
  readonly #name: string
  readonly #work: (processes: Processes) => Promise<void>
  /** Whether it is about a response. */
  readonly #needsOne: boolean

  constructor(name: string, work: (processes: Processes) => Promise<void>, needsOne = true) {
    this.#name = name
    this.#work = work
    this.#needsOne = needsOne
  }

  check({ responses }: Readonly<Model>): boolean {
    return this.#needsOne ? responses > 0 : responses < 3
  }

  async run(model: Model, processes: Processes): Promise<void> {
    if (!this.#needsOne) model.responses += 1
    await this.#work(processes)
  }

  toString(): string {
    return this.#name
  }
}

const at = fc.nat({ max: 1 })
const none = fc.constant(0)
const happening = (
  name: string,
  args: readonly [fc.Arbitrary<number>, fc.Arbitrary<number>],
  work: (processes: Processes, one: number, other: number) => Promise<void>,
  needsOne?: boolean,
): fc.Arbitrary<Happening> =>
  fc
    .tuple(...args)
    .map(([one, other]) => new Happening(`${name} ${one} ${other}`, (all) => work(all, one, other), needsOne))

const HAPPENINGS = [
  happening('create at, in the foreground', [at, at], (all, process, fore) => all.create(process, fore === 1), false),
  happening('step at', [at, fc.integer({ min: 1, max: 6 })], (all, process, count) => all.step(process, count)),
  happening('read which, at', [fc.nat({ max: 2 }), at], (all, which, process) => all.read(which, process)),
  happening('read which, at', [fc.nat({ max: 2 }), at], (all, which, process) => all.read(which, process)),
  happening('pass', [fc.constantFrom(1, 5, 11), none], (all, seconds) => all.pass(seconds)),
  happening('pause', [at, none], (all, process) => all.pause(process)),
  happening('wake', [at, none], (all, process) => all.wake(process)),
  happening('kill', [at, none], (all, process) => all.kill(process)),
  happening('cancel which, at', [fc.nat({ max: 2 }), at], (all, which, process) => all.cancel(which, process)),
  // Longer than a call of the store may take, and than a lease lasts.
  happening('pause in mid-token', [at, none], async (all, process) => {
    await all.pause(process)
    await all.step(process, 1)
    await all.pass(11)
  }),
]

test('whatever processes do and in which order their store answers, each response ends once, shows nothing that is not written, and every client gets all of it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.boolean(),
      fc.commands(HAPPENINGS, { maxCommands: STEPS, size: 'max' }),
      async (scheduler, isForeground, commands) => {
        const processes = new Processes(scheduler)
        // One response is under way, and read.
        await processes.create(0, isForeground)
        await processes.step(0, 4)
        await processes.read(0, 0)
        await fc.asyncModelRun(() => ({ model: { responses: 1 }, real: processes }), commands)
        await processes.end()
        vi.clearAllTimers()
      },
    ),
    { numRuns: RUNS },
  )
})
