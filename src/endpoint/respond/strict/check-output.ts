import { dereference, type OutputUnit, type Schema, validate } from '@cfworker/json-schema'
import type { Constraint } from '../../../engines/contract/constraint.js'
import { draftOf } from '../../../engines/grammar/index.js'
import type { Slices } from '../../../shared/slices.js'
import type { InvalidOutput } from '../options.js'
import { checkInPieces, hasKeyword, isDivisible } from './check-in-pieces.js'
import { type PlainJson, parsePlainJson } from './plain-json.js'
import { safeSchema, Unchecked } from './safe-schema.js'
import { createTestWork, type TextTest, textTest } from './text-test.js'

type Errors = InvalidOutput['errors']

/** The limit of work for one text, in applied schemas: some tenths of a second, in slices. */
const MAX_WORK = 250_000
/** The limit of work that the validator does without a pause. */
const MAX_OF_PIECE = 10_000
/** The limit of `uniqueItems` in the validator, which compares all pairs: the longest array times all values. */
const MAX_COMPARED = 500_000
const MAX_LENGTH = 1_000_000
const MAX_ERRORS = 20

/**
 * Returns how a text violates a constraint. Lark grammars are not checked.
 *
 * @throws Error if that cannot be determined: the schema has a missing or circular reference, or takes too much work
 */
export function* checkOutput(text: string, constraint: Constraint): Slices<Errors> {
  if (text.length > MAX_LENGTH) throw new Unchecked('the output is too long')
  if ('jsonSchema' in constraint) return yield* checkJson(text, constraint.jsonSchema)
  if (!('regex' in constraint)) return []
  const test = yield* textTest(constraint.regex, 'whole')
  if (test === undefined) throw new Unchecked('the regular expression has a feature that is not checked')
  return (yield* test(text)) ? [] : [{ path: '', message: 'The text does not match the regular expression.' }]
}

function* checkJson(text: string, schema: unknown): Slices<Errors> {
  let json: PlainJson
  try {
    json = yield* parsePlainJson(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return [{ path: '', message: 'The text is not JSON.' }]
  }
  let work = 0
  let ofPiece = 0
  const onStep = (more: number): void => {
    work += more
    ofPiece += more
    if (work > MAX_WORK || ofPiece > MAX_OF_PIECE) throw new Unchecked('checking the output takes too much work')
  }
  const onPiece = (): void => {
    ofPiece = 0
    onStep(1)
  }
  const patternWork = createTestWork()
  const testOf = (pattern: string): Slices<TextTest | undefined> => textTest(pattern, 'search', patternWork)
  const safe = (yield* safeSchema(schema, { json, testOf, onStep })) as Schema
  const draft = draftOf(schema)
  const { value, sizes, longestArray } = json
  const compared = longestArray * (sizes.get(value as object) ?? 1)
  const isPairwise = compared > MAX_COMPARED && (yield* hasKeyword(safe, ['uniqueItems']))
  const isDivided = yield* isDivisible(safe)
  if (isPairwise && !isDivided) throw new Unchecked('too many items have to be unique')
  const lookup = dereference(safe)
  yield
  const errors = isDivided
    ? yield* checkInPieces(value, safe, { draft, lookup, sizes, isPairwise, onPiece, worked: () => work })
    : validate(value, safe, draft, lookup).errors
  return errors.slice(0, MAX_ERRORS).map(wording)
}

function wording({ instanceLocation, keyword, keywordLocation, error }: OutputUnit): Errors[number] {
  // The validator runs another pattern than the schema's.
  const message = keyword === 'pattern' ? 'String does not match pattern.' : error
  return { path: pointerOf(instanceLocation), message, keyword: pointerOf(keywordLocation) }
}

/** Decodes a pointer from a URI's fragment. */
function pointerOf(fragment: string): string {
  return decodeURIComponent(fragment.slice(1))
}
