import type { Slices } from '../../shared/slices.js'
import type { Constraint } from '../contract/constraint.js'
import type { WrittenGrammar } from '../grammar/index.js'

/** Writes the grammar of a constraint. @throws UnsupportedSchema if there is none */
export type WriteGrammar = (constraint: Constraint) => Slices<WrittenGrammar>

/** A grammar, or why there is none. */
type Outcome = WrittenGrammar | { readonly error: unknown }

/**
 * Caches the grammar of a constraint, by its JSON text: agents declare the same functions with every request, and an
 * open schema takes milliseconds. It stays within its limit whatever clients send, and evicts the least recently used
 * first.
 *
 * @param write - deterministic
 * @param maxCharacters - the limit of constraints and grammars together. A longer one is not cached.
 * @returns the same function, which throws the same errors
 */
export function cachedGrammars(write: WriteGrammar, maxCharacters: number): WriteGrammar {
  const kept = new Map<string, Outcome>()
  let characters = 0

  function forget(key: string): void {
    const outcome = kept.get(key)
    if (outcome === undefined) return
    kept.delete(key)
    characters -= sizeOf(key, outcome)
  }

  function keep(key: string, outcome: Outcome): void {
    forget(key)
    const size = sizeOf(key, outcome)
    if (size > maxCharacters) return
    kept.set(key, outcome)
    characters += size
    // A Map iterates in insertion order.
    for (const oldest of kept.keys()) {
      if (characters <= maxCharacters) break
      forget(oldest)
    }
  }

  return function* (constraint) {
    const key = keyOf(constraint)
    if (key === undefined) return yield* write(constraint)
    const outcome = kept.get(key) ?? (yield* attempt(write, constraint))
    keep(key, outcome)
    if ('error' in outcome) throw outcome.error
    return outcome
  }
}

/** Returns undefined for values that JSON cannot express: their text could equal another constraint's. */
function keyOf(constraint: Constraint): string | undefined {
  try {
    return JSON.stringify(constraint, checkedValue)
  } catch {
    return undefined
  }
}

function checkedValue(_name: string, value: unknown): unknown {
  const isJson = typeof value === 'number' ? Number.isFinite(value) : !NOT_JSON.includes(typeof value)
  if (!isJson) throw new TypeError('not JSON')
  return value
}

const NOT_JSON: readonly string[] = ['undefined', 'function', 'symbol']

function* attempt(write: WriteGrammar, constraint: Constraint): Slices<Outcome> {
  try {
    return yield* write(constraint)
  } catch (error) {
    return { error }
  }
}

function sizeOf(key: string, outcome: Outcome): number {
  if (!('grammar' in outcome)) return key.length
  const { grammar, relaxed } = outcome
  return relaxed.reduce((sum, { path, message }) => sum + path.length + message.length, key.length + grammar.length)
}
