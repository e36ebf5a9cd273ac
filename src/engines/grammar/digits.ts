/** A digit of a number: its minimum and maximum. */
export type Digit = readonly [min: number, max: number]

/** Returns the numbers from `low` to `high`, all with this many digits: each pattern is a sequence of digits. */
export function digitPatterns(low: number, high: number, width: number, base: 10 | 16): (readonly Digit[])[] {
  if (low > high) return []
  if (width === 0) return [[]]
  const unit = base ** (width - 1)
  let first = Math.floor(low / unit)
  const last = Math.floor(high / unit)
  const below = (digit: number, from: number, to: number): (readonly Digit[])[] =>
    digitPatterns(from, to, width - 1, base).map((rest) => [[digit, digit], ...rest])
  if (first === last) return below(first, low % unit, high % unit)
  const patterns: (readonly Digit[])[] = []
  if (low % unit !== 0) for (const pattern of below(first++, low % unit, unit - 1)) patterns.push(pattern)
  const isWhole = high % unit === unit - 1
  if (first <= (isWhole ? last : last - 1)) {
    const any: Digit[] = Array.from({ length: width - 1 }, () => [0, base - 1])
    patterns.push([[first, isWhole ? last : last - 1], ...any])
  }
  if (!isWhole) for (const pattern of below(last, 0, high % unit)) patterns.push(pattern)
  return patterns
}
