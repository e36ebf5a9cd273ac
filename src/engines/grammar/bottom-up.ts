import type { Slices } from '../../shared/slices.js'
import { collectNames, type Expression, type Grammar } from './expression.js'

/** The number of rule uses that are followed in one slice. */
const SLICE = 2_000

/** The rules of a grammar, each after those that it uses, as far as such an order exists. */
export interface BottomUp {
  readonly order: readonly string[]
  /** The rules that use themselves, directly or not, and those that use such rules: they have no order. */
  readonly looping: ReadonlySet<string>
}

interface Visit {
  readonly name: string
  /** The rules that it uses and that were not visited yet. */
  readonly uses: string[]
  isLooping: boolean
}

/** @param grammar - contains each rule that it uses */
export function* bottomUp(grammar: Grammar): Slices<BottomUp> {
  const order: string[] = []
  const looping = new Set<string>()
  const seen = new Map<string, 'open' | 'done'>()
  let followed = 0
  for (const start of grammar.keys()) {
    if (seen.has(start)) continue
    const path = [visit(start)]
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      if (++followed % SLICE === 0) yield
      const next = top.uses.pop()
      if (next === undefined) {
        path.pop()
        leave(top, path.at(-1))
        continue
      }
      const known = seen.get(next)
      if (known === undefined) path.push(visit(next))
      else if (known === 'open' || looping.has(next)) top.isLooping = true
    }
  }
  return { order, looping }

  function visit(name: string): Visit {
    seen.set(name, 'open')
    const uses: string[] = []
    collectNames(grammar.get(name) as Expression, uses)
    return { name, uses, isLooping: false }
  }

  function leave({ name, isLooping }: Visit, user: Visit | undefined): void {
    seen.set(name, 'done')
    order.push(name)
    if (!isLooping) return
    looping.add(name)
    if (user !== undefined) user.isLooping = true
  }
}
