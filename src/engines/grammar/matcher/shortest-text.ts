import { contains, type Range } from '../ranges.js'
import type { Stack, Stacks } from './stacks.js'

/** Returns a shortest text of a stack, always the same one. */
export function shortestText(stack: Stack, stacks: Stacks): string {
  const parts: string[] = []
  let at = stack
  while (at.below !== undefined) {
    const { expression, done, below } = at
    if (expression.kind === 'text') parts.push(expression.text.slice(done))
    else if (expression.kind === 'class') parts.push(plainest(expression.ranges))
    // A class or a text is followed by the stack below; for all others, the shortest way in is taken.
    const isOver = expression.kind === 'text' || expression.kind === 'class'
    at = isOver ? below : shortest(stacks.open(at))
  }
  return parts.join('')
}

function shortest(ways: readonly Stack[]): Stack {
  // The last of several, since that ends a repetition that may end.
  return ways.reduce((one, other) => (other.cost <= one.cost ? other : one))
}

/** Prefers a printable character. */
function plainest(ranges: readonly Range[]): string {
  const known = [...'0a1A'].find((character) => contains(ranges, character.charCodeAt(0)))
  if (known !== undefined) return known
  const printable = ranges.find(([, last]) => last >= 0x20)
  return String.fromCodePoint(Math.max(printable === undefined ? 0 : 0x20, (printable ?? ranges[0])?.[0] ?? 0))
}
