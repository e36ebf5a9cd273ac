import { check } from '../errors.js'
import { checkOptions, type OptionCheck, type OptionTable } from './check-options.js'

/** Creates a check from a predicate. */
export const that =
  (is: (value: unknown) => boolean, expected: string): OptionCheck =>
  (value, path) =>
    check(is(value), path, expected, value)

export const aFunction: OptionCheck = that((value) => typeof value === 'function', 'a function')
export const aBoolean: OptionCheck = that((value) => typeof value === 'boolean', 'true or false')
/** A non-empty string. */
export const aString: OptionCheck = that((value) => typeof value === 'string' && value !== '', 'a non-empty string')
export const anObject: OptionCheck = that(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'an object',
)
export const aSignal: OptionCheck = that((value) => typeof Object(value).aborted === 'boolean', 'an AbortSignal')

export const aText: OptionCheck = that((value) => typeof value === 'string', 'a string')
export const aboveZero: OptionCheck = that((value) => typeof value === 'number' && value > 0, 'a number above 0')
export const aTokenTable: OptionCheck = that((value) => Object(value).text !== undefined, 'await loadTokenTable()')

/** A value that its consumer checks. */
export const anything: OptionCheck = () => {}

/** @param unit - the unit: `bytes` */
export function wholeNumber(min = 0, max: number = Number.MAX_SAFE_INTEGER, unit = ''): OptionCheck {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`
  const expected = `a whole number${unit === '' ? '' : ` of ${unit},`} ${range}`
  return that((value) => Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max, expected)
}

/** Milliseconds of a timer. Node fires a longer one at once. */
export const aTimer: OptionCheck = wholeNumber(0, 2_147_483_647, 'milliseconds')

export function oneOf(...values: readonly string[]): OptionCheck {
  const all = values.map((value) => `'${value}'`)
  const expected = all.length === 2 ? all.join(' or ') : `one of ${all.join(', ')}`
  return that((value) => values.includes(value as string), expected)
}

/** An array whose entries each pass the check. */
export function listOf(entry: OptionCheck, expected: string): OptionCheck {
  return (value, path) => {
    check(Array.isArray(value), path, expected, value)
    for (const [index, one] of (value as readonly unknown[]).entries()) entry(one, `${path}[${index}]`)
  }
}

/** An object whose values each pass the check. */
export function recordOf(value: OptionCheck, expected: string): OptionCheck {
  return (given, path) => {
    check(typeof given === 'object' && given !== null && !Array.isArray(given), path, expected, given)
    for (const [name, one] of Object.entries(given as object)) if (one !== undefined) value(one, `${path}.${name}`)
  }
}

/** An object with these methods: plain, or of any class. */
export function having(methods: readonly string[], expected: string): OptionCheck {
  return (value, path) => {
    const missing = methods.find((name) => typeof (Object(value) as Record<string, unknown>)[name] !== 'function')
    const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function'
    check(isObject, path, expected, value)
    check(missing === undefined, path, `${expected}, with the method ${missing}`, value)
  }
}

/** Passes a value that either check accepts. */
export function either(first: OptionCheck, second: OptionCheck, expected: string): OptionCheck {
  return that((value) => [first, second].some((one) => passes(one, value)), expected)
}

/** Options nested in options: `limits`. */
export function optionsOf<Options extends object>(table: OptionTable<Options>): OptionCheck {
  return (value, path) => checkOptions(path, value, table, [], path)
}

function passes(one: OptionCheck, value: unknown): boolean {
  try {
    one(value, '')
    return true
  } catch {
    return false
  }
}
