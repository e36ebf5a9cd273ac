/**
 * How many streams each law is run on: the environment variable LAW_RUNS. test/README.md lists what each command sets.
 */
export const RUNS: number = Number(process.env['LAW_RUNS'] ?? 12)

/** The count of `npm run test:mutants`: here, 'full'. */
const FULL = 250

/** What CI has. */
const LONG = 90

/** Why a test does not run that takes seconds and guards what seldom changes; undefined in CI, and wherever runs are as long. */
export const TOO_SHORT: string | undefined = RUNS >= LONG ? undefined : `skipped: LAW_RUNS=${LONG} runs it, as CI does`

/** The runs of a property that takes `full` of them there, scaled by LAW_RUNS like all others. */
export const runs = (full: number): number => Math.ceil((full * RUNS) / FULL)

/**
 * All cases of an enumeration where LAW_RUNS is as high as there, and as many fewer as it is lower: each case is drawn
 * by chance, so a failure has to name its case.
 */
export const sampled = <T>(cases: Iterable<T>): T[] =>
  [...cases].filter(() => RUNS >= FULL || Math.random() < RUNS / FULL)

/**
 * The size of an input, or a number of steps, that is `full` there, and smaller by the same factor as all counts where
 * LAW_RUNS is lower. Only for laws that fail at `least` as well, which is no more than they need to.
 */
export const sized = (full: number, least: number): number =>
  Math.min(full, Math.max(least, Math.ceil((full * RUNS) / FULL)))
