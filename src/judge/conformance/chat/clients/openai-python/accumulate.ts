import { type Fields, isFields } from '../../../../../shared/fields.js'
import { indexInPython } from '../../../clients/python-values.js'
import { Thrown } from '../../../clients/thrown.js'
import { MAX_CALLS } from '../../stream-state.js'

/** An object that deltas are added to, as openai for Python does it. */
export type Accumulated = Record<string, unknown>

/**
 * Adds a delta to what came before: texts are joined, also names and ids; numbers are added; objects and lists of indexed
 * objects are merged; and a value of another type than the one before is dropped without a word.
 *
 * @throws Thrown where the SDK raises
 */
export function accumulate(before: Accumulated, delta: Fields): Accumulated {
  for (const [name, value] of Object.entries(delta)) {
    if (before[name] === undefined || before[name] === null) {
      if (!isIndexed(value)) {
        before[name] = value
        continue
      }
      // One chunk may have several parts of one index.
      before[name] = []
    }
    before[name] = name === 'index' || name === 'type' ? value : joined(before[name], value, name)
  }
  return before
}

const isIndexed = (value: unknown): value is unknown[] =>
  Array.isArray(value) && value.some((entry) => isFields(entry) && 'index' in entry)

const isScalar = (value: unknown): boolean => typeof value !== 'object'

function joined(before: unknown, value: unknown, name: string): unknown {
  if (typeof before === 'string' && typeof value === 'string') return before + value
  if (typeof before === 'number' && typeof value === 'number') return before + value
  if (isFields(before) && isFields(value)) return accumulate(before as Accumulated, value)
  if (!(Array.isArray(before) && Array.isArray(value))) return before
  const isPlain = before.every(isScalar) && (before.length > 0 || !isIndexed(value))
  if (isPlain) return [...before, ...value].slice(0, Math.max(before.length, MAX_CALLS))
  for (const entry of value) merge(before, entry, name)
  return before
}

function merge(list: unknown[], entry: unknown, name: string): void {
  if (!isFields(entry)) throw new Thrown(LISTS, `${name} as a list of objects`, entry)
  const index = indexInPython(entry['index'])
  if (!Number.isInteger(index)) throw new Thrown(LISTS, `an index in each object of ${name}`, index)
  const at = index as number
  if (at >= list.length && list.length < MAX_CALLS) list.push(entry)
  else if (isFields(list[at])) list[at] = accumulate(list[at] as Accumulated, entry)
}

/** The rule for lists that cannot be merged. */
export const LISTS = 'chat-openai-python-lists'
