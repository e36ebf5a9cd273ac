import type { Constraint } from '../engine/constraint.js'

/** Writes the grammar of a constraint. @throws UnsupportedSchema if there is none */
type WriteGrammar = (constraint: Constraint) => string

/** A grammar, or why there is none. */
type Written = { readonly grammar: string } | { readonly error: unknown }

/**
 * Keeps what was written for a constraint, by its JSON text: agents declare the same functions with every request, and
 * an open schema takes milliseconds. Whatever the constraints of clients, it keeps no more text than allowed: the longest
 * unused go first.
 *
 * @param write - has to give the same for the same constraint
 * @param mostCharacters - of constraints and grammars together. One that is longer by itself is not kept.
 * @returns the same function, which throws the same errors
 */
export function cachedGrammars(write: WriteGrammar, mostCharacters: number): WriteGrammar {
  const kept = new Map<string, Written>()
  let characters = 0

  function forget(key: string): void {
    const written = kept.get(key)
    if (written === undefined) return
    kept.delete(key)
    characters -= sizeOf(key, written)
  }

  function keep(key: string, written: Written): void {
    forget(key)
    const size = sizeOf(key, written)
    if (size > mostCharacters) return
    kept.set(key, written)
    characters += size
    // A Map has its keys in the order in which they were set.
    for (const oldest of kept.keys()) {
      if (characters <= mostCharacters) break
      forget(oldest)
    }
  }

  return (constraint) => {
    const key = keyOf(constraint)
    if (key === undefined) return write(constraint)
    const written = kept.get(key) ?? attempt(write, constraint)
    keep(key, written)
    if ('error' in written) throw written.error
    return written.grammar
  }
}

/** Undefined for what is no JSON: the text of another constraint could be the same. */
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

function attempt(write: WriteGrammar, constraint: Constraint): Written {
  try {
    return { grammar: write(constraint) }
  } catch (error) {
    return { error }
  }
}

function sizeOf(key: string, written: Written): number {
  return key.length + ('grammar' in written ? written.grammar.length : 0)
}
