import { encodePointer, type OutputUnit, type Schema, type SchemaDraft, validate } from '@cfworker/json-schema'
import { createWork, type Slices } from '../../../shared/slices.js'
import type { PlainJson } from './plain-json.js'
import { Unchecked } from './safe-schema.js'

export interface PieceOptions {
  readonly draft: SchemaDraft
  /** The schemas by their URIs, as the validator resolves references. */
  readonly lookup: { [uri: string]: Schema | boolean }
  readonly sizes: PlainJson['sizes']
  /** Whether the validator, which compares all pairs for `uniqueItems`, may not be given a large array with it. */
  readonly isPairwise: boolean
  /** Called before each run of the validator. */
  readonly onPiece: () => void
  /** Returns the work of all runs so far, in applied schemas. */
  readonly worked: () => number
}

/** The maximum number of values that the validator is given at once, where the schema allows a smaller piece. */
const PIECE = 200
/** The work between two pauses, in applied schemas: some milliseconds. */
const SLICE = 1_000

/** Keywords that depend on which other keywords have read a value's parts: schemas with them are not divided. */
const WHOLE: readonly string[] = ['unevaluatedItems', 'unevaluatedProperties', '$recursiveRef', '$dynamicRef']
/** Keywords beside which the items of an array are not checked one by one. */
const TUPLES: readonly string[] = ['prefixItems', 'contains', 'additionalItems']

/** Keywords whose schemas the validator applies to a whole value. */
const APPLIED: readonly string[] = ['not', 'if', 'dependentSchemas', 'dependencies', 'items', ...TUPLES]

/** Whether the validator can check a schema's large values in pieces. */
export function* isDivisible(schema: unknown): Slices<boolean> {
  return !(yield* hasKeyword(schema, WHOLE))
}

/** Whether a schema may contain one of these keywords: properties that are called like them count as well. */
export function* hasKeyword(schema: unknown, keywords: readonly string[]): Slices<boolean> {
  const work = createWork()
  const open: unknown[] = [schema]
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (--work.left <= 0) yield* work.pause()
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value) && keywords.some((keyword) => Object.hasOwn(value, keyword))) return true
    for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) open.push(inner)
  }
  return false
}

/**
 * Returns the faults that the validator finds in a value, and gives it large values in pieces: the validator cannot
 * pause, and other work would wait for the whole of a long output.
 *
 * @throws Unchecked if a large value cannot be checked in pieces, and would take too long as one
 */
export function* checkInPieces(value: unknown, schema: Schema, options: PieceOptions): Slices<OutputUnit[]> {
  return yield* new PieceCheck(options).check(value, schema, '#', '#')
}

/** One check. Each method returns the faults that it finds. */
class PieceCheck {
  readonly #options: PieceOptions
  readonly #work = createWork(SLICE)
  readonly #isOld: boolean

  constructor(options: PieceOptions) {
    this.#options = options
    this.#isOld = options.draft === '4' || options.draft === '7'
  }

  *check(value: unknown, schema: Schema | boolean, at: string, place: string): Slices<OutputUnit[]> {
    if (this.#sizeOf(value) <= PIECE || typeof schema === 'boolean') return yield* this.#whole(value, schema, at, place)
    const { $ref, anyOf, allOf, oneOf, ...own } = schema as Schema
    const errors: OutputUnit[] = []
    const report = (keyword: string, error: string, found: readonly OutputUnit[]): void => {
      errors.push({ instanceLocation: at, keyword, keywordLocation: `${place}/${keyword}`, error })
      for (const each of found) errors.push(each)
    }
    if ($ref !== undefined) {
      const target = this.#options.lookup[(schema as Schema).__absolute_ref__ ?? $ref]
      // The validator's own error names a reference to nothing.
      if (target === undefined) return yield* this.#whole(value, schema, at, place)
      const found = yield* this.check(value, target, at, `${place}/$ref`)
      if (found.length > 0) report('$ref', MISMATCH, found)
      if (this.#isOld) return errors
    }
    for (const [keyword, schemas] of Object.entries({ anyOf, allOf, oneOf })) {
      const found: OutputUnit[] = []
      let matches = 0
      for (const [index, each] of (schemas ?? []).entries()) {
        const those = yield* this.check(value, each, at, `${place}/${keyword}/${index}`)
        if (those.length === 0) matches += 1
        else for (const one of those) found.push(one)
      }
      if (schemas === undefined || isRightNumber(keyword, matches, schemas.length)) continue
      report(keyword, `Instance matches ${matches} of ${schemas.length} subschemas.`, found)
    }
    const found = Array.isArray(value)
      ? yield* this.#checkItems(value, own, at, place, report)
      : yield* this.#checkProperties(value as object, own, at, place, report)
    for (const each of found) errors.push(each)
    return errors
  }

  *#checkItems(value: object, own: Schema, at: string, place: string, report: Report): Slices<OutputUnit[]> {
    const { items, uniqueItems, ...rest } = own
    const isTuple = Array.isArray(items) || TUPLES.some((keyword) => keyword in own)
    const errors = yield* this.#whole(value, isTuple && items !== undefined ? { ...rest, items } : rest, at, place)
    if (items !== undefined && !isTuple) {
      const wrong = yield* this.#firstWrong(value as readonly unknown[], items, at, place)
      if (wrong.length > 0) report('items', MISMATCH, wrong)
    }
    if (uniqueItems === true) {
      const known = new Set<string>()
      for (const item of value as readonly unknown[]) {
        const text = canonical(item)
        this.#work.left -= text.length / 64
        if (this.#work.left <= 0) yield* this.#work.pause()
        if (known.has(text)) {
          report('uniqueItems', 'Duplicate items.', [])
          break
        }
        known.add(text)
      }
    }
    return errors
  }

  /** Returns the faults of the first wrong item. Gives the validator several small items at once. */
  *#firstWrong(items: readonly unknown[], schema: Schema | boolean, at: string, place: string): Slices<OutputUnit[]> {
    for (let index = 0; index < items.length; ) {
      let end = index + 1
      for (let size = this.#sizeOf(items[index]); end < items.length; end++) {
        size += this.#sizeOf(items[end])
        if (size > PIECE) break
      }
      const some = items.slice(index, end)
      const areRight = some.length > 1 && (yield* this.#whole(some, { items: schema }, at, place)).length === 0
      for (const [offset, item] of areRight ? [] : some.entries()) {
        const found = yield* this.check(item, schema, `${at}/${index + offset}`, `${place}/items`)
        if (found.length > 0) return found
      }
      index = end
    }
    return []
  }

  *#checkProperties(of: object, own: Schema, at: string, place: string, report: Report): Slices<OutputUnit[]> {
    const value = of as { readonly [name: string]: unknown }
    const { properties = {}, patternProperties = {}, additionalProperties, ...rest } = own
    const read = new Set<string>()
    let isOver = false
    const check = (name: string, schema: Schema | boolean, deeper: string): Slices<OutputUnit[]> =>
      this.check(value[name], schema, `${at}/${encodePointer(name)}`, `${place}/${deeper}`)
    function* one(keyword: string, name: string, schema: Schema | boolean, deeper: string): Slices<void> {
      const found = yield* check(name, schema, `${keyword}${deeper}`)
      read.add(name)
      if (found.length === 0) return
      isOver = true
      report(keyword, MISMATCH, found)
    }
    for (const [name, schema] of Object.entries(properties)) {
      if (!Object.hasOwn(value, name)) continue
      yield* one('properties', name, schema as Schema, `/${encodePointer(name)}`)
      if (isOver) break
    }
    for (const [pattern, schema] of isOver ? [] : Object.entries(patternProperties)) {
      const expression = new RegExp(pattern, 'u')
      for (const name in value) {
        if (!expression.test(name)) continue
        yield* one('patternProperties', name, schema as Schema, `/${encodePointer(pattern)}`)
      }
    }
    if (!isOver && additionalProperties !== undefined) {
      for (const name of Object.keys(value)) {
        if (read.has(name)) continue
        yield* one('additionalProperties', name, additionalProperties, '')
      }
    }
    return yield* this.#whole(value, rest, at, place)
  }

  *#whole(value: unknown, schema: Schema | boolean, at: string, place: string): Slices<OutputUnit[]> {
    const isApplied = typeof schema === 'object' && APPLIED.some((keyword) => keyword in schema)
    const { draft, lookup, isPairwise, onPiece, worked } = this.#options
    if (isPairwise && isApplied && this.#sizeOf(value) > PIECE) throw new Unchecked('too many items have to be unique')
    const before = worked()
    onPiece()
    const { errors } = validate(value, schema, draft, lookup, true, null, at, place)
    this.#work.left -= worked() - before
    if (this.#work.left <= 0) yield* this.#work.pause()
    return errors
  }

  #sizeOf(value: unknown): number {
    return this.#options.sizes.get(value as object) ?? 1
  }
}

/** The fault of the part itself follows it, with its place and wording. */
const MISMATCH = 'A part does not match its schema.'

type Report = (keyword: string, error: string, found: readonly OutputUnit[]) => void

function isRightNumber(keyword: string, matches: number, all: number): boolean {
  if (keyword === 'oneOf') return matches === 1
  return keyword === 'allOf' ? matches === all : matches > 0
}

/** Returns a text that equal values have in common. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
  })
}
