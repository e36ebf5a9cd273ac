import { ARRAYS } from './arrays.js'
import { COMBINATIONS } from './combinations.js'
import { FORMATS } from './formats.js'
import type { KeywordCases } from './keyword-case.js'
import { NUMBERS } from './numbers.js'
import { OBJECTS } from './objects.js'
import { STRINGS } from './strings.js'
import { VALUES } from './values.js'

/** Every case, by a name of its own. */
export const KEYWORD_CASES: KeywordCases = {
  ...{ ...STRINGS, ...FORMATS, ...NUMBERS, ...OBJECTS, ...ARRAYS, ...VALUES, ...COMBINATIONS },
}
