import { type OutputUnit, type Schema, Validator } from '@cfworker/json-schema'
import type { Constraint } from '../../engine/constraint.js'
import type { InvalidOutput } from '../options.js'
import { type PlainJson, parsePlainJson } from '../plain-json.js'
import { safeSchema, Unchecked } from './safe-schema.js'
import { type TextTest, textTest } from './text-test.js'

type Errors = InvalidOutput['errors']

/** What checking one text may take: schemas applied, some tenths of a second. */
const MOST_WORK = 250_000
const LONGEST = 1_000_000
const MOST_ERRORS = 20

/**
 * What is wrong with a text that has to fit a constraint. Nothing is known to be wrong with what a Lark grammar says.
 *
 * @throws Error if it cannot be told: the schema refers to what is not there or to itself alone, or is too much work
 */
export function checkOutput(text: string, constraint: Constraint): Errors {
  if (text.length > LONGEST) throw new Unchecked('the output is too long')
  if ('jsonSchema' in constraint) return checkJson(text, constraint.jsonSchema)
  if (!('regex' in constraint)) return []
  const test = textTest(constraint.regex, 'whole')
  if (test === undefined) throw new Unchecked('the regular expression has what is not checked')
  return test(text) ? [] : [{ path: '', message: 'The text does not match the regular expression.' }]
}

function checkJson(text: string, schema: unknown): Errors {
  let json: PlainJson
  try {
    json = parsePlainJson(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return [{ path: '', message: 'The text is not JSON.' }]
  }
  let work = 0
  const onStep = (more: number): void => {
    work += more
    if (work > MOST_WORK) throw new Unchecked('checking the output takes too much work')
  }
  const safe = safeSchema(schema, { json, testOf, onStep }) as Schema
  return new Validator(safe, '2020-12').validate(json.value).errors.slice(0, MOST_ERRORS).map(wording)
}

/** A test of a pattern for something in a text. */
function testOf(pattern: string): TextTest | undefined {
  return textTest(pattern, 'search')
}

function wording({ instanceLocation, keyword, keywordLocation, error }: OutputUnit): Errors[number] {
  // The validator runs another pattern than the one that the schema has.
  const message = keyword === 'pattern' ? 'String does not match pattern.' : error
  return { path: pointerOf(instanceLocation), message, keyword: pointerOf(keywordLocation) }
}

/** Of a URI's fragment. */
function pointerOf(fragment: string): string {
  return decodeURIComponent(fragment.slice(1))
}
