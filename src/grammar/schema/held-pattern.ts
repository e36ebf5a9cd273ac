import type { Pattern } from '../regex/pattern.js'
import { readPattern } from '../regex/read-pattern.js'
import { searched } from '../regex/search.js'
import { UnsupportedSchema } from '../unsupported-schema.js'
import type { Relax } from './relaxations.js'
import type { Said } from './shape.js'

/** What all of a text has to match, and where the schema says so. */
export interface HeldPattern {
  readonly pattern: Pattern
  readonly path: string
  /** Where it is what a `format` says. */
  readonly format?: string
}

/** What a text matches as a whole in which the pattern matches. None where no grammar holds it, which is reported. */
export function heldPattern({ value, path }: Said<string>, relax: Relax): HeldPattern[] {
  try {
    return [{ pattern: searched(readPattern(value, path), path), path }]
  } catch (error) {
    if (!(error instanceof UnsupportedSchema)) throw error
    relax(error.path, error.message)
    return []
  }
}
