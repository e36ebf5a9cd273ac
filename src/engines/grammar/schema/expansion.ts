import type { Fields } from '../../../shared/fields.js'
import type { Slices } from '../../../shared/slices.js'
import type { Budget } from './budget.js'
import { below } from './keywords.js'
import type { Located } from './located.js'
import type { References } from './references.js'
import type { Relax } from './relaxations.js'
import type { Shape } from './shape.js'

/** The state of expanding a document's schemas to alternatives. */
export interface Expansion {
  readonly references: References
  readonly relax: Relax
  readonly budget: Budget
  /**
   * Returns the alternatives of a schema; none if it allows nothing.
   *
   * @param within - the enclosing schemas, without a property or an item between: no reference may lead to one of them
   */
  expand(work: Expansion, located: Located, within: readonly string[]): Slices<readonly Shape[]>
}

/** A keyword that combines schemas, expanded. */
export interface Part {
  /** The path of the part that is dropped if it is too large. */
  readonly path: string
  readonly shapes: readonly Shape[]
}

/** Expands the keywords of a schema that combine others. */
export type PartsOf = (
  work: Expansion,
  schema: Fields,
  path: string,
  within: readonly string[],
) => Slices<readonly Part[]>

export interface Expanded {
  readonly shapes: readonly Shape[]
  /** Whether it is complete: nothing of the schema was dropped. */
  readonly isExact: boolean
}

export function* expandExactly(work: Expansion, located: Located, within: readonly string[]): Slices<Expanded> {
  let isExact = true
  const relax: Relax = (path, message) => {
    isExact = false
    work.relax(path, message)
  }
  const shapes = yield* work.expand({ ...work, relax }, located, within)
  return { shapes, isExact }
}

/** Returns the schemas that a keyword lists. */
export function subschemas(schema: Fields, keyword: string, path: string): Located[] {
  const parts = Object.hasOwn(schema, keyword) ? schema[keyword] : []
  return Array.isArray(parts) ? parts.map((part, index) => ({ schema: part, path: below(path, keyword, index) })) : []
}
