import type { Expression } from '../expression.js'
import type { Spend } from '../regex/work.js'
import type { Rules } from '../rules.js'
import type { EnforcedPatterns } from './enforced-patterns.js'
import type { Located } from './located.js'
import type { Relax } from './relaxations.js'
import type { Shape } from './shape.js'

/** The shared state and operations of compiling the parts of a schema. */
export interface Compiler {
  readonly rules: Rules
  /** The strings that were created before, by their constraints. */
  readonly strings: Map<string, Expression>
  readonly patterns: EnforcedPatterns
  /** Returns the texts of the values that a schema allows. */
  value(located: Located): Expression
  /** Returns the string texts that a schema allows, for a property's name. */
  name(located: Located): Expression
  /** Returns the texts of the values that a shape allows, as a rule of its own. */
  shape(shape: Shape): Expression
  /** Defers a rule, so that a pause may come before: created by `make`, or over budget by `otherwise`. */
  later(prefix: string, make: () => Expression, otherwise: () => Expression): Expression
  /**
   * Whether a slice's worth of work was done since the last pause. @param unset - nodes that were made and are in no
   * rule yet
   */
  isPauseDue(unset?: number): boolean
  /** Counts work that creates no rules. Returns false if it would be too much for one subschema. */
  readonly spend: Spend
  /** Any value, as a JSON text. */
  anything(): Expression
  /** Reports that a keyword is not enforced. The compiled grammar then has to allow more, never less. */
  readonly relax: Relax
}
