import fc from 'fast-check'
import type { MatcherState } from '../../../src/engines/grammar/index.js'

/** What to do at each step of a walk. */
export const anyWalk = (maxLength = 80): fc.Arbitrary<readonly number[]> =>
  fc.array(fc.nat({ max: 0xffff }), { maxLength, size: 'max' })

/** A text that the grammar allows, drawn: some characters of it, and then a shortest completion. */
export function walk(start: MatcherState, choices: readonly number[]): string {
  let state = start
  let text = ''
  for (const choice of choices) {
    const next = anyCharacter(state, choice)
    if (next === undefined || (state.isComplete && choice % 7 === 0)) break
    text += next
    const after = state.accept(next)
    if (after === undefined) throw new Error(`refused what it allows: ${JSON.stringify(text)}`)
    state = after
  }
  return text + state.completion()
}

function anyCharacter({ allowed }: MatcherState, choice: number): string | undefined {
  const range = allowed[choice % allowed.length]
  if (range === undefined) return undefined
  const [first, last] = range
  // Mostly near the ends of a range, where mistakes are.
  const offset = Math.floor(choice / allowed.length) % Math.min(last - first + 1, 100)
  return String.fromCodePoint(choice % 2 === 0 ? first + offset : last - offset)
}

/** Whether the grammar allows all of a text. */
export function allows(start: MatcherState, text: string): boolean {
  return start.accept(text)?.isComplete ?? false
}
