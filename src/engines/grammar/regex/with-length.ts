import { choiceOf, type Pattern, sequenceOf } from './pattern.js'

/** Returns a pattern with a length in this range. Undefined if no pattern of ours expresses that. Without anchors. */
export function withLength(pattern: Pattern, min: number, max: number): Pattern | undefined {
  const [shortest, longest] = lengths(pattern)
  if (min <= shortest && longest <= max) return pattern
  if (longest < min || shortest > max) return choiceOf([])
  if (pattern.kind === 'choice') {
    const parts = pattern.of.map((part) => withLength(part, min, max))
    return parts.every((part) => part !== undefined) ? choiceOf(parts) : undefined
  }
  const parts = pattern.kind === 'sequence' ? pattern.of : [pattern]
  // If only one part varies, the lengths of the others determine its own.
  const [varying, other] = parts.filter((part) => isVarying(part))
  if (varying === undefined || other !== undefined) return undefined
  const rest = shortest - lengths(varying)[0]
  const fitted = fitOne(varying, Math.max(0, min - rest), max - rest)
  return fitted && sequenceOf(parts.map((part) => (part === varying ? fitted : part)))
}

function fitOne(part: Pattern, min: number, max: number): Pattern | undefined {
  if (part.kind === 'choice') return withLength(part, min, max)
  if (part.kind !== 'repeat' || isVarying(part.of)) return undefined
  const [each] = lengths(part.of)
  const shortest = Math.max(part.min, Math.ceil(min / each))
  const longest = Math.min(part.max, Math.floor(max / each))
  return shortest > longest ? choiceOf([]) : { ...part, min: shortest, max: longest }
}

function isVarying(pattern: Pattern): boolean {
  const [shortest, longest] = lengths(pattern)
  return shortest !== longest
}

/** Returns the minimum and maximum length of a match, in characters. */
function lengths(pattern: Pattern): readonly [shortest: number, longest: number] {
  switch (pattern.kind) {
    case 'class':
      return [1, 1]
    case 'repeat': {
      const [shortest, longest] = lengths(pattern.of)
      return [shortest * pattern.min, longest === 0 ? 0 : longest * pattern.max]
    }
    case 'sequence':
      return pattern.of
        .map(lengths)
        .reduce(([shortest, longest], [min, max]) => [shortest + min, longest + max], [0, 0])
    case 'choice': {
      const all = pattern.of.map(lengths)
      // Not spread into Math.min, since there may be thousands.
      return all.reduce(
        ([shortest, longest], [min, max]) => [Math.min(shortest, min), Math.max(longest, max)],
        [Number.POSITIVE_INFINITY, 0],
      )
    }
    default:
      return [0, 0]
  }
}
