import type { Kind } from './install.js'

/** Cases of which outlines refuses right bodies, by why it does; some in the version of one server alone. */
interface Narrower {
  readonly why: string
  readonly kind?: Kind
  readonly cases: readonly string[]
}

export const NARROWER: readonly Narrower[] = [
  { why: 'It allows no DEL, and numbers have signs in their exponents.', cases: ['any string', 'any number'] },
  {
    why: 'Objects with properties have no others, and maps without a schema no objects in them.',
    cases: [
      ...['an open object', 'an object with others of one kind', 'a required name that is not declared'],
      ...['names that match a pattern', 'names that match a pattern, beside properties', 'a list of wholes'],
      ...['a constant object', 'a tree'],
    ],
  },
  {
    why: 'A tuple has all of its items, and no more.',
    cases: [
      ...['a tuple with fewer items', 'a tuple with more items', 'a tuple that is open'],
      ...['a tuple with too few items allowed', 'a tuple with numbers of items'],
    ],
  },
  { why: 'It knows no zone but Z.', cases: ['date and time'] },
  {
    why: 'The escapes of 0.1.26 are those of quotes and backslashes alone.',
    kind: 'sglang',
    cases: [
      ...['a pattern of all but one character, with quotes', 'a pattern of a line break', 'a pattern of a blank'],
      ...['a pattern of control characters by number', 'unusual names'],
    ],
  },
]

const BY_XGRAMMAR: readonly string[] = [
  // Beside `const`, which is in the list.
  'enum',
  // Our grammar counts their parts, which these texts do not reach, or is sent because of others.
  ...['format: a format beside a length', 'format: a pointer', 'format: duration', 'format: email', 'format: uri'],
  ...['maxProperties', 'minProperties', 'unevaluatedItems', 'unevaluatedProperties'],
]

/**
 * What a library holds in all cases as they are, though it is not sent: our own grammar holds it as well, or other values
 * of it are not held. Where a new version begins to hold a keyword, it is missing here.
 */
export const HELD_ALL_THE_SAME: Readonly<Partial<Record<Kind, Readonly<Record<string, readonly string[]>>>>> = {
  vllm: {
    xgrammar: BY_XGRAMMAR,
    // It allows nothing more than it declares in any case.
    other: ['unevaluatedItems', 'unevaluatedProperties'],
  },
  sglang: { xgrammar: BY_XGRAMMAR, other: [] },
}
