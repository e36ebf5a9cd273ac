import type { Tell } from './invariant.js'
import { shown, shownApart } from './shown.js'

/** Tells where what came is not the text that was expected, and shows both around the place at which they differ. */
export function tellApart(what: string, expected: string, got: unknown, tell: Tell): void {
  if (got === expected) return
  if (typeof got !== 'string') tell(`${what} ${shown(expected)}`, got)
  else {
    const [was, is] = shownApart(expected, got)
    tell(`${what} ${was}`, undefined, is)
  }
}
