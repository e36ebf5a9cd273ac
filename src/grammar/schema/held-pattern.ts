import type { Pattern } from '../regex/pattern.js'
import { readPattern } from '../regex/read-pattern.js'
import { searched } from '../regex/search.js'
import { UnsupportedSchema } from '../unsupported-schema.js'
import type { Relax } from './relaxations.js'
import type { Said } from './shape.js'

/** A pattern for the whole of a text, and its place in the schema. */
export interface HeldPattern {
  readonly pattern: Pattern
  readonly path: string
  /** The name of the `format`, if it comes from one. */
  readonly format?: string
}

/**
 * Returns a pattern for the whole of a text in which the given one matches. None if no grammar can hold it, which is
 * reported.
 */
export function heldPattern({ value, path }: Said<string>, relax: Relax): HeldPattern[] {
  try {
    return [{ pattern: searched(readPattern(value, path), path), path }]
  } catch (error) {
    if (!(error instanceof UnsupportedSchema)) throw error
    relax(error.path, error.message)
    return []
  }
}
