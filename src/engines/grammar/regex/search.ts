import { ANY_CHARACTER } from '../json-text.js'
import { UnsupportedSchema } from '../unsupported-schema.js'
import { choiceOf, hasAnchor, type Pattern, sequenceOf } from './pattern.js'

const ANYTHING: Pattern = {
  kind: 'repeat',
  of: { kind: 'class', ranges: ANY_CHARACTER },
  min: 0,
  max: Number.POSITIVE_INFINITY,
}
const NOTHING: Pattern = { kind: 'sequence', of: [] }

/** Returns a pattern for the whole of a text in which the given one matches anywhere. Without anchors. */
export function searched(pattern: Pattern, path: string): Pattern {
  return anchored(pattern, ANYTHING, path)
}

/** Returns a pattern for the whole of a text that the given one matches completely. Without anchors. */
export function matched(pattern: Pattern, path: string): Pattern {
  return anchored(pattern, NOTHING, path)
}

/** @param free - the text that may precede and follow the match where there is no anchor */
function anchored(pattern: Pattern, free: Pattern, path: string): Pattern {
  /** At the beginning and at the end of the text, any text may surround this part, unless an anchor forbids it. */
  function place(part: Pattern, isFirst: boolean, isLast: boolean): Pattern {
    if (!hasAnchor(part)) return sequenceOf([...(isFirst ? [free] : []), part, ...(isLast ? [free] : [])])
    if (part.kind === 'choice') return choiceOf(part.of.map((each) => place(each, isFirst, isLast)))
    if (part.kind === 'start' || part.kind === 'end') return placeAll([part], isFirst, isLast)
    if (part.kind === 'sequence') return placeAll(part.of, isFirst, isLast)
    throw new UnsupportedSchema(path, 'The regular expression has an anchor in a repetition, which cannot be enforced.')
  }

  function placeAll(parts: readonly Pattern[], isFirst: boolean, isLast: boolean): Pattern {
    const from = isFirst ? countWhile(parts, 'start') : 0
    const rest = parts.slice(from)
    const to = rest.length - (isLast ? countWhile(rest.toReversed(), 'end') : 0)
    const inner = rest.slice(0, to)
    const [opensFree, endsFree] = [isFirst && from === 0, isLast && to === rest.length]
    if (inner.some(({ kind }) => kind === 'start' || kind === 'end')) {
      throw new UnsupportedSchema(path, 'The regular expression has an anchor in its middle, which cannot be enforced.')
    }
    if (inner.length === 0) return opensFree || endsFree ? free : NOTHING
    return sequenceOf(
      inner.map((part, index) => place(part, opensFree && index === 0, endsFree && index === inner.length - 1)),
    )
  }

  return place(pattern, true, true)
}

function countWhile(parts: readonly Pattern[], kind: Pattern['kind']): number {
  const other = parts.findIndex((part) => part.kind !== kind)
  return other === -1 ? parts.length : other
}
