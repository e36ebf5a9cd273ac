import type { Arbitrary } from 'fast-check'
import fc from './fast-check.js'

const SURROGATES = { first: 0xd800, count: 0x800 }

/**
 * One character of any kind, but no half of a surrogate pair: the unit of a string. It draws the same characters as the
 * unit `binary` of fast-check, which builds a table of a million characters at its first use.
 */
export const codePoint: Arbitrary<string> = fc.nat(0x10ffff - SURROGATES.count).map(
  (at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count),
  // Makes fast-check include names such as `__proto__` among the strings.
  (text) => {
    const code = typeof text === 'string' ? text.codePointAt(0) : undefined
    if (code === undefined || String.fromCodePoint(code) !== text) throw new Error('expected one character')
    if (code < SURROGATES.first) return code
    if (code < SURROGATES.first + SURROGATES.count) throw new Error('expected a whole character')
    return code - SURROGATES.count
  },
)
