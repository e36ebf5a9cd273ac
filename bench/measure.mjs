// Times contenders: they take turns, and comparisons are made within a round.
import { cpuUsage } from 'node:process'

/**
 * The parameters of a measurement: how often each contender is timed (the median counts), whether all garbage is
 * collected first, how much time a sample fills by running the contender again and again, and how long it runs before
 * that, so that it is compiled as well as it ever will be.
 */
const THOROUGH = { rounds: 7, isClean: true, sampleMs: 80, warmUpMs: 1000 }
const QUICK = { rounds: 3, isClean: false, sampleMs: 25, warmUpMs: 25 }
const SMOKE = { rounds: 1, isClean: false, sampleMs: 0, warmUpMs: 0 }

/**
 * @template Input, Result
 * @typedef {object} Contender
 * @property {string} name
 * @property {(input: Input) => Result | Promise<Result>} run what is timed
 * @property {(result: Awaited<Result>, input: Input) => void | Promise<void>} check throws if the result is wrong;
 *   never timed, and called for every run, the first of them before anything is timed
 * @property {(input: Input) => number} [units] what its figures are per, if not the input's `units`
 */

/**
 * @typedef {object} Measure
 * @property {boolean} smoke whether everything runs once, on tiny inputs, to see that it works
 * @property {<T>(full: T, tiny: T) => T} size the one or the other
 * @property {(name: string) => boolean} isWanted whether an attack is measured (`--row`)
 * @property {number} rounds for contenders that take turns by themselves
 * @property {(contenders: Contender<any, any>[], inputOf: (round: number) => any) => Promise<Times>} compare
 * @property {(contenders: Contender<any, any>[], inputOf: (round: number) => any) => Promise<Times>} glance the same in
 *   a tenth of the time, to find out what is worth comparing
 *
 * @typedef {object} Times
 * @property {(name: string) => number} ns nanoseconds per unit, the median
 * @property {(name: string, other: string) => number} ratio how many times as long as another a contender takes per
 *   unit: the median of what it is in each round
 */

/** @returns {Measure} */
export function createMeasure({ smoke, row = '' }) {
  const effort = smoke ? SMOKE : THOROUGH
  return {
    smoke,
    size: (full, tiny) => (smoke ? tiny : full),
    isWanted: (name) => name.includes(row),
    rounds: effort.rounds,
    compare: (contenders, inputOf) => compare(contenders, inputOf, effort),
    glance: (contenders, inputOf) => compare(contenders, inputOf, smoke ? SMOKE : QUICK),
  }
}

/**
 * Times contenders on the same inputs. Every round has its own input, so that the JIT cannot specialize on one, and
 * begins with another contender.
 *
 * @param {(round: number) => any} inputOf of round 0, which warms up and is not timed, and of the rounds from 1
 * @returns {Promise<Times>}
 */
async function compare(contenders, inputOf, effort) {
  const samples = new Map(contenders.map(({ name }) => [name, []]))
  const repeats = new Map()
  const inputs = Array.from({ length: effort.rounds + 1 }, (_, round) => inputOf(round))
  if (effort.isClean) globalThis.gc()
  for (const contender of contenders) repeats.set(contender.name, await warmUp(contender, inputs[0], effort))
  for (let round = 1; round <= effort.rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const contender = contenders[(turn + round) % contenders.length]
      samples.get(contender.name).push(await sample(contender, inputs[round], repeats.get(contender.name)))
    }
  }
  return {
    ns: (name) => median(samples.get(name)),
    ratio: (name, other) => median(samples.get(name).map((ns, round) => ns / samples.get(other)[round])),
  }
}

/**
 * A contender on one of several inputs.
 *
 * @template Input, Result
 * @param {string} name of the input, and then of the contender
 * @param {Contender<Input, Result>} contender
 * @returns {Contender<{ [name: string]: Input }, Result>}
 */
export function on(name, contender) {
  return {
    name,
    run: (input) => contender.run(input[name]),
    check: (result, input) => contender.check(result, input[name]),
    units: (input) => input[name].units,
  }
}

/** Runs a contender until it is warm, and returns how often it must run to fill a sample. */
async function warmUp(contender, input, { sampleMs, warmUpMs }) {
  const started = now()
  for (let runs = 1; ; runs++) {
    const before = now()
    const result = await contender.run(input)
    const took = now() - before
    await contender.check(result, input)
    if (warmUpMs === 0) return 1
    if (runs >= 2 && now() - started > warmUpMs) return Math.max(1, Math.ceil(sampleMs / took))
  }
}

/** Nanoseconds per unit. */
async function sample(contender, input, repeats) {
  const results = []
  // Collects earlier contenders' garbage, so that this one does not pay for it. A full collection would drop compiled
  // code.
  globalThis.gc({ type: 'minor' })
  const before = now()
  for (let run = 0; run < repeats; run++) {
    const result = contender.run(input)
    results.push(result instanceof Promise ? await result : result)
  }
  const took = now() - before
  for (const result of results) await contender.check(result, input)
  return (took * 1e6) / repeats / (contender.units?.(input) ?? input.units)
}

/** Milliseconds of processor time of this process, which exclude other work on the machine. */
function now() {
  const { user, system } = cpuUsage()
  return (user + system) / 1000
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** @param {boolean} isRight @param {string} message */
export function expect(isRight, message) {
  if (!isRight) throw new Error(message)
}
