import type { Slices } from '../../slices.js'
import type { Expression } from '../expression.js'
import type { Spend } from '../regex/work.js'
import type { Rules } from '../rules.js'
import type { HeldPatterns } from './held-patterns.js'
import type { Located } from './located.js'
import type { Relax } from './relaxations.js'
import type { Shape } from './shape.js'

/** What the parts of a schema are compiled with. */
export interface Compiler {
  readonly rules: Rules
  /** The texts of strings that were made before, by what was said of them. */
  readonly strings: Map<string, Expression>
  readonly patterns: HeldPatterns
  /** The texts of the values that a schema allows. */
  value(located: Located): Expression
  /** The text of a string that a schema allows: of a property's name. */
  name(located: Located): Expression
  /** The texts of the values that a shape allows, as a rule of its own. */
  shape(shape: Shape): Expression
  /** A rule that is made later, so that a pause may come before: by `make`, or over the budget by `otherwise`. */
  later(prefix: string, make: () => Expression, otherwise: () => Expression): Expression
  /** Pauses if so much was done since the last pause. @param unset - nodes that were made and are in no rule yet */
  pause(unset?: number): Slices<void>
  /** Counts work that leaves no rules behind. False where it would be too much for one subschema. */
  readonly spend: Spend
  /** Any value, as a JSON text. */
  anything(): Expression
  /** Says that a keyword is not held. What is compiled then has to allow more, never less. */
  readonly relax: Relax
}
