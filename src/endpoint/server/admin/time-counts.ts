/** How many times fell into each class. The classes grow by 4 %, so that a percentile is exact to 2 %. Plain JSON. */
export type TimeCounts = Readonly<Record<string, number>>

const GROWTH = Math.log(1.04)
const MIN_SECONDS = 0.000_1
const MAX_SECONDS = 86_400

/** Adds a time to counts. Classes are bounded: there are some 530. */
export function addTime(counts: Record<string, number>, seconds: number): void {
  const bounded = Math.min(Math.max(seconds, MIN_SECONDS), MAX_SECONDS)
  const key = Math.round(Math.log(bounded) / GROWTH)
  counts[key] = (counts[key] ?? 0) + 1
}

/** Returns the time below which this share of the times is; null without any. */
export function percentile(counts: TimeCounts, share: number): number | null {
  const classes = Object.entries(counts)
    .map(([key, count]) => [Number(key), count] as const)
    .sort(([a], [b]) => a - b)
  const total = classes.reduce((sum, [, count]) => sum + count, 0)
  let left = Math.max(Math.ceil(total * share), 1)
  for (const [key, count] of classes) {
    left -= count
    if (left <= 0) return Number(Math.exp(key * GROWTH).toPrecision(3))
  }
  return null
}
