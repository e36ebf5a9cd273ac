import type { ResponseStore } from '../../endpoint/stores/store.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aFunction, aTimer, that, wholeNumber } from '../../shared/options/checks.js'
import { drawCalls, drawFrom, obeysModel, type StoreCall } from './model.js'
import { CHECKS, STORE_RULES, type StoreRule, type Stores } from './rules.js'
import { Broken } from './world.js'

/** An empty store that is checked. It evicts nothing during a check. */
export interface StoreUnderTest {
  /** The store. */
  readonly store: ResponseStore
  /** The same data through another process's connection. Default: `store`, for stores that no other process shares. */
  readonly other?: ResponseStore
  /** Removes it. */
  close?(): void | Promise<void>
}

/** Options of `checkStore`. */
export interface CheckStoreOptions {
  /** The number of drawn sequences of calls. Default 100. */
  readonly runs?: number
  /** The seed of the draws, a whole number. Default: a new one each time. */
  readonly seed?: number
  /** How long to wait before something counts as never happening, in milliseconds. Default 5000. */
  readonly timeoutMs?: number
}

const CHECK_STORE_OPTIONS: OptionTable<CheckStoreOptions> = {
  runs: wholeNumber(),
  seed: that(Number.isSafeInteger, 'a whole number'),
  timeoutMs: aTimer,
}

/** A rule that a store breaks. */
export interface StoreViolation {
  /** The name of the rule, one of {@link STORE_RULES}. */
  readonly rule: StoreRule
  /** The expected and the actual result. */
  readonly problem: string
  /** For `obeys-model`: the seed, which draws the same calls again. */
  readonly seed?: number
  /** For `obeys-model`: the fewest calls that show it, in order. */
  readonly calls?: readonly StoreCall[]
}

/**
 * Checks a store against {@link STORE_RULES}, on which the endpoint relies: one by one, and by calls that are drawn and compared
 * with a model.
 *
 * @param create - makes an empty store, once for each rule and each sequence of calls
 * @returns the rules that it breaks; none if it keeps all
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { createMemoryStore } from 'harmony-responses/stores'
 * import { checkStore } from 'harmony-responses/testing'
 *
 * const violations = await checkStore(() => ({ store: createMemoryStore() }), { runs: 20 })
 * console.log(violations.length) // 0
 * ```
 */
export async function checkStore(
  create: () => StoreUnderTest | Promise<StoreUnderTest>,
  options: CheckStoreOptions = {},
): Promise<readonly StoreViolation[]> {
  aFunction(create, 'checkStore: create')
  checkOptions('checkStore', options, CHECK_STORE_OPTIONS)
  const { runs = 100, seed = Math.floor(Math.random() * 2 ** 31), timeoutMs = 5000 } = options
  const violations: StoreViolation[] = []

  async function problemOf(check: (stores: Stores) => Promise<void>): Promise<string | undefined> {
    const { store, other = store, close } = await create()
    try {
      await inTime(check({ store, other }), timeoutMs)
      return undefined
    } catch (error) {
      return error instanceof Broken
        ? error.message
        : `it threw ${error instanceof Error ? error.message : String(error)}`
    } finally {
      await close?.()
    }
  }

  for (const rule of Object.keys(CHECKS) as (keyof typeof CHECKS)[]) {
    const problem = await problemOf(CHECKS[rule])
    if (problem !== undefined) violations.push({ rule, problem })
  }
  for (let run = 0; run < runs; run++) {
    const drawn = drawCalls(drawFrom(seed + run))
    const problem = await problemOf((stores) => obeysModel(stores, drawn))
    if (problem === undefined) continue
    const calls = await shrunk(
      drawn,
      async (some) => (await problemOf((stores) => obeysModel(stores, some))) !== undefined,
    )
    const simplestProblem = (await problemOf((stores) => obeysModel(stores, calls))) ?? problem
    violations.push({ rule: 'obeys-model', problem: simplestProblem, seed: seed + run, calls })
    break
  }
  return violations
}

/** Removes the calls that are not needed for the problem. */
async function shrunk(
  calls: readonly StoreCall[],
  isWrong: (calls: readonly StoreCall[]) => Promise<boolean>,
): Promise<readonly StoreCall[]> {
  let left = calls
  for (let at = left.length - 1; at >= 0; at--) {
    const without = left.filter((_, index) => index !== at)
    if (await isWrong(without)) left = without
  }
  return left
}

async function inTime(check: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Broken(`it did not end within ${timeoutMs} ms`)), timeoutMs)
  })
  try {
    await Promise.race([check, late])
  } finally {
    clearTimeout(timer)
  }
}

export { STORE_RULES, type StoreRule }
