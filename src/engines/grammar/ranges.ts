/** Code points from the first one to the last one. */
export type Range = readonly [first: number, last: number]

export const LAST_CODE_POINT = 0x10ffff
const SURROGATES: Range = [0xd800, 0xdfff]

/** Orders ranges and removes overlaps and surrogates, which no UTF-8 text contains. */
export function normalRanges(ranges: readonly Range[]): readonly Range[] {
  if (isNormal(ranges)) return ranges
  const sorted = ranges.filter(([first, last]) => first <= last).toSorted(([one], [other]) => one - other)
  const merged: [number, number][] = []
  for (const [first, last] of sorted) {
    const before = merged.at(-1)
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else merged.push([first, last])
  }
  return merged.flatMap(([first, last]) => cut([first, last], SURROGATES))
}

function isNormal(ranges: readonly Range[]): boolean {
  let end = -2
  for (let at = 0; at < ranges.length; at++) {
    // Accessed by index, here and below: destructuring a pair creates an object, and every class of a grammar passes
    // here.
    const range = ranges[at] as Range
    const first = range[0]
    const last = range[1]
    if (first > last || first <= end + 1 || (first <= SURROGATES[1] && last >= SURROGATES[0])) return false
    end = last
  }
  return true
}

/** Returns a range without the part in another one. */
function cut([first, last]: Range, [from, to]: Range): Range[] {
  const parts: Range[] = [
    [first, Math.min(last, from - 1)],
    [Math.max(first, to + 1), last],
  ]
  return last < from || first > to ? [[first, last]] : parts.filter(([start, end]) => start <= end)
}

export function intersection(ones: readonly Range[], others: readonly Range[]): Range[] {
  const common: Range[] = []
  const left = normalRanges(ones)
  const right = normalRanges(others)
  for (let one = 0, other = 0; one < left.length && other < right.length; ) {
    const a = left[one] as Range
    const b = right[other] as Range
    const first = Math.max(a[0], b[0])
    const last = Math.min(a[1], b[1])
    if (first <= last) common.push([first, last])
    if (a[1] < b[1]) one += 1
    else other += 1
  }
  return common
}

/** Returns all code points except these. */
export function complement(ranges: readonly Range[]): readonly Range[] {
  const rest: Range[] = []
  let next = 0
  for (const [first, last] of normalRanges(ranges)) {
    rest.push([next, first - 1])
    next = last + 1
  }
  rest.push([next, LAST_CODE_POINT])
  return normalRanges(rest)
}

/** Returns each character of a text as a range. */
export function rangesOf(text: string): readonly Range[] {
  return normalRanges(Array.from(text, (character) => [codePoint(character), codePoint(character)]))
}

export function contains(ranges: readonly Range[], code: number): boolean {
  let low = 0
  let high = ranges.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const range = ranges[middle] as Range
    if (code < range[0]) high = middle - 1
    else if (code > range[1]) low = middle + 1
    else return true
  }
  return false
}

function codePoint(character: string): number {
  return character.codePointAt(0) as number
}
