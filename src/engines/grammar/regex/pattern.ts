import type { Range } from '../ranges.js'

/** A regular expression. */
export type Pattern =
  /** One character. */
  | { readonly kind: 'class'; readonly ranges: readonly Range[] }
  | { readonly kind: 'sequence'; readonly of: readonly Pattern[] }
  | { readonly kind: 'choice'; readonly of: readonly Pattern[] }
  | { readonly kind: 'repeat'; readonly of: Pattern; readonly min: number; readonly max: number }
  /** `^` and `$`. */
  | { readonly kind: 'start' }
  | { readonly kind: 'end' }

export function sequenceOf(parts: readonly Pattern[]): Pattern {
  const of = parts.flatMap((part) => (part.kind === 'sequence' ? part.of : [part]))
  return of.length === 1 ? (of[0] as Pattern) : { kind: 'sequence', of }
}

export function choiceOf(of: readonly Pattern[]): Pattern {
  return of.length === 1 ? (of[0] as Pattern) : { kind: 'choice', of }
}

/**
 * Repeats a pattern. If that may be empty, it is repeated without its empty text, which llama.cpp takes for left
 * recursion.
 */
export function repeatOf(of: Pattern, min: number, max: number): Pattern {
  if (max === 0) return sequenceOf([])
  if (!canBeEmpty(of)) return { kind: 'repeat', of, min, max }
  const some = withoutEmpty(of)
  return some === undefined ? sequenceOf([]) : { kind: 'repeat', of: some, min: 0, max }
}

export function hasAnchor(pattern: Pattern): boolean {
  switch (pattern.kind) {
    case 'class':
      return false
    case 'repeat':
      return hasAnchor(pattern.of)
    case 'sequence':
    case 'choice':
      return pattern.of.some(hasAnchor)
    default:
      return true
  }
}

export function canBeEmpty(pattern: Pattern): boolean {
  switch (pattern.kind) {
    case 'class':
      return false
    case 'sequence':
      return pattern.of.every(canBeEmpty)
    case 'choice':
      return pattern.of.some(canBeEmpty)
    case 'repeat':
      return pattern.min === 0 || canBeEmpty(pattern.of)
    default:
      // An anchor in a repetition is refused later, so it must not get lost here.
      return false
  }
}

/** Returns undefined if only the empty text matches. */
function withoutEmpty(pattern: Pattern): Pattern | undefined {
  if (!canBeEmpty(pattern)) return pattern
  if (pattern.kind === 'choice') {
    const some = pattern.of.map(withoutEmpty).filter((part) => part !== undefined)
    return some.length === 0 ? undefined : choiceOf(some)
  }
  if (pattern.kind === 'sequence') {
    // Expanded by the first part that is not empty.
    const some = pattern.of.flatMap((part, index) => {
      const first = withoutEmpty(part)
      return first === undefined ? [] : [sequenceOf([first, ...pattern.of.slice(index + 1)])]
    })
    return some.length === 0 ? undefined : choiceOf(some)
  }
  return pattern.kind === 'repeat' ? { ...pattern, min: 1 } : undefined
}

/**
 * Returns the size of a pattern in parts, as often as each is written out. @param known - the sizes of those seen
 * before
 */
export function sizeOf(pattern: Pattern, known: WeakMap<Pattern, number>): number {
  const seen = known.get(pattern)
  if (seen !== undefined) return seen
  let size = 1
  if (pattern.kind === 'repeat') size += sizeOf(pattern.of, known)
  else if (pattern.kind === 'sequence' || pattern.kind === 'choice') {
    for (const part of pattern.of) size += sizeOf(part, known)
  }
  known.set(pattern, size)
  return size
}
