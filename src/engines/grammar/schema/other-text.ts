import { choice, EMPTY, type Expression, NEVER, sequence, text } from '../expression.js'
import { quoted, spelledCharacter, spelledText } from '../json-text.js'
import { complement, rangesOf } from '../ranges.js'
import type { Rules } from '../rules.js'
import type { Compiler } from './compiler.js'

interface OtherTextOptions extends Pick<Compiler, 'rules' | 'later'> {
  /** Prefixes that no text may have. */
  readonly prefixes?: readonly string[]
  /** Called if taken texts are allowed after all. */
  readonly tooMany: () => void
}

/** Returns any string except these, spelled like JSON.stringify. */
export function otherText(taken: readonly string[], maker: OtherTextOptions): Expression {
  const { prefixes = [] } = maker
  const texts = [
    ...taken.map((text) => ({ characters: Array.from(text), isPrefix: false })),
    ...prefixes.map((text) => ({ characters: Array.from(text), isPrefix: true })),
  ]
  return quoted(otherThan(texts, 0, maker))
}

interface Taken {
  readonly characters: readonly string[]
  readonly isPrefix: boolean
}

/** The maximum number of characters on a single path that are written in one rule. */
const MAX_WAY_LENGTH = 16

/** Defers a rule for the rest of a text that shares its first characters with all taken names but equals none. */
function otherThan(taken: readonly Taken[], at: number, maker: OtherTextOptions): Expression {
  const { rules, later, tooMany } = maker
  return later(
    'other',
    () => othersAt(taken, at, maker, MAX_WAY_LENGTH),
    () => {
      tooMany()
      return spelledText(rules)
    },
  )
}

/** @param left - up to this many more characters are written in place */
function othersAt(taken: readonly Taken[], at: number, maker: OtherTextOptions, left: number): Expression {
  // Most names are unique after some characters.
  if (taken.length === 1) return otherThanOne(taken[0] as Taken, at, maker, left)
  const byNext = new Map<string, Taken[]>()
  let isTaken = false
  for (const name of taken) {
    const next = name.characters[at]
    if (next === undefined) {
      if (name.isPrefix) return NEVER
      isTaken = true
    } else {
      const known = byNext.get(next)
      if (known === undefined) byNext.set(next, [name])
      else known.push(name)
    }
  }
  const isWay = byNext.size === 1 && left > 0
  const alike = Array.from(byNext, ([next, names]) => {
    const rest = isWay ? othersAt(names, at + 1, maker, left - 1) : otherThan(names, at + 1, maker)
    return sequence([text(spelled(next)), rest])
  })
  return choice([...(isTaken ? [] : [EMPTY]), textWithout([...byNext.keys()], maker.rules), ...alike])
}

/** Handles {@link othersAt} for a single name. */
function otherThanOne(taken: Taken, at: number, maker: OtherTextOptions, left: number): Expression {
  const next = taken.characters[at]
  if (next === undefined) return taken.isPrefix ? NEVER : textWithout([], maker.rules)
  const rest = left > 0 ? otherThanOne(taken, at + 1, maker, left - 1) : otherThan([taken], at + 1, maker)
  return choice([EMPTY, textWithout([next], maker.rules), sequence([text(spelled(next)), rest])])
}

/** Returns any text that begins with another character than these. */
function textWithout(characters: readonly string[], rules: Rules): Expression {
  const listed = characters.length < 2 ? (characters[0] ?? '') : characters.toSorted().join('')
  return rules.once(`but ${listed}`, 'but', () =>
    sequence([spelledCharacter(complement(rangesOf(listed)), rules), spelledText(rules)]),
  )
}

/** Returns a character as JSON.stringify spells it. */
function spelled(character: string): string {
  return JSON.stringify(character).slice(1, -1)
}
