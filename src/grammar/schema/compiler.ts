import type { Expression } from '../expression.js'
import type { Rules } from '../rules.js'
import type { Located } from './located.js'

/** What the parts of a schema are compiled with. */
export interface Compiler {
  readonly rules: Rules
  /** The texts of the values that a schema allows. */
  value(located: Located): Expression
  /** The text of a string that a schema allows: of a property's name. */
  name(located: Located): Expression
  /** Any value, as a JSON text. */
  anything(): Expression
}
