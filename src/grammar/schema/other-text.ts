import { choice, EMPTY, type Expression, sequence, text } from '../expression.js'
import { quoted, spelledCharacter, spelledText } from '../json-text.js'
import { complement, rangesOf } from '../ranges.js'
import type { Compiler } from './compiler.js'

interface OtherTextOptions extends Pick<Compiler, 'rules' | 'later'> {
  /** Called where texts that are taken are allowed. */
  readonly tooMany: () => void
}

/** Any string but these, spelled as JSON.stringify does. */
export function otherText(taken: readonly string[], maker: OtherTextOptions): Expression {
  return quoted(
    otherThan(
      taken.map((name) => Array.from(name)),
      0,
      maker,
    ),
  )
}

/** What may follow so many characters that all the names begin with, for it to be none of them. */
function otherThan(taken: readonly (readonly string[])[], at: number, maker: OtherTextOptions): Expression {
  const { rules, later } = maker
  const make = (): Expression => {
    const byNext = new Map<string, (readonly string[])[]>()
    for (const name of taken) {
      const next = name[at]
      if (next !== undefined)
        byNext
          .set(next, byNext.get(next) ?? [])
          .get(next)
          ?.push(name)
    }
    const isTaken = taken.some((name) => name.length === at)
    const alike = [...byNext].map(([next, names]) => sequence(text(spelled(next)), otherThan(names, at + 1, maker)))
    const others = spelledCharacter(complement(rangesOf([...byNext.keys()].join(''))), rules)
    return choice(...(isTaken ? [] : [EMPTY]), sequence(others, spelledText(rules)), ...alike)
  }
  return later('other', make, () => {
    maker.tooMany()
    return spelledText(rules)
  })
}

/** A character as JSON.stringify spells it. */
function spelled(character: string): string {
  return JSON.stringify(character).slice(1, -1)
}
