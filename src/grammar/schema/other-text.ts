import { choice, EMPTY, type Expression, NEVER, sequence, text } from '../expression.js'
import { quoted, spelledCharacter, spelledText } from '../json-text.js'
import { complement, rangesOf } from '../ranges.js'
import type { Compiler } from './compiler.js'

interface OtherTextOptions extends Pick<Compiler, 'rules' | 'later'> {
  /** No text begins with one of these. */
  readonly prefixes?: readonly string[]
  /** Called where texts that are taken are allowed. */
  readonly tooMany: () => void
}

/** Any string but these, spelled as JSON.stringify does. */
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

/** What may follow so many characters that all the names begin with, for it to be none of them. */
function otherThan(taken: readonly Taken[], at: number, maker: OtherTextOptions): Expression {
  const { rules, later } = maker
  const make = (): Expression => {
    if (taken.some(({ characters, isPrefix }) => isPrefix && characters.length === at)) return NEVER
    const byNext = new Map<string, Taken[]>()
    for (const name of taken) {
      const next = name.characters[at]
      if (next !== undefined)
        byNext
          .set(next, byNext.get(next) ?? [])
          .get(next)
          ?.push(name)
    }
    const isTaken = taken.some(({ characters }) => characters.length === at)
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
