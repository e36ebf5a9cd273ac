import { check } from '../../shared/errors.js'
/**
 * The ids of the special tokens of o200k_harmony, by name. Ids 0..199997 are ordinary text; everything from 199998 on
 * is special. Source: the official parser's registry and vocabulary.
 */
export const SPECIAL = {
  startoftext: 199998,
  endoftext: 199999,
  return: 200002,
  constrain: 200003,
  channel: 200005,
  start: 200006,
  end: 200007,
  message: 200008,
  call: 200012,
} as const

/** The lowest id of a special token. */
export const FIRST_SPECIAL = 199998

/** The number of ids: 0..201087. The official parser's 201088 is an off-by-one of its range. */
export const VOCABULARY_SIZE = 201_088

/** The channels of the format. */
export const CHANNELS = ['analysis', 'commentary', 'final'] as const
export type Channel = (typeof CHANNELS)[number]

/** The roles of the format. */
export const ROLES = ['assistant', 'user', 'system', 'developer', 'tool'] as const

/** Content types that gpt-oss writes; a header word from this list is never taken for prose. */
export const CONTENT_TYPES = ['json', 'code', 'text', 'text/plain'] as const

/** The named special tokens by id. Pure, so that bundlers drop it where it is not read. */
export const specialNames: ReadonlyMap<number, keyof typeof SPECIAL> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ Object.entries(SPECIAL).map(([name, id]) => [id, name as keyof typeof SPECIAL]),
)

function nameOf(id: number): string {
  return specialNames.get(id) ?? `reserved_${id}`
}

/**
 * Returns the literal spelling of a special token: `<|channel|>`, `<|reserved_200013|>`. The id has to be a special
 * one.
 */
export function markerText(id: number): string {
  return `<|${nameOf(id)}|>`
}

/**
 * Returns the id of the special token whose name stands between `<|` and `|>`, or `undefined` if no token has that
 * name. Knows `endofprompt` too, gpt-tokenizer's name for the id that the official vocabulary calls `reserved_200018`.
 */
export function markerId(name: string): number | undefined {
  if (name === 'endofprompt') return 200018
  check(typeof name === 'string', 'markerId: name', 'the name of a marker', name)
  if (Object.hasOwn(SPECIAL, name)) return SPECIAL[name as keyof typeof SPECIAL]
  // Computed from the name: a map of the thousand reserved tokens would take 0.6 ms of every import.
  const id = Number(name.slice(9))
  return Number.isInteger(id) && id >= FIRST_SPECIAL && id < VOCABULARY_SIZE && nameOf(id) === name ? id : undefined
}

/** The longest spelling of a marker, in UTF-16 units: text input never holds back more than this. */
export const MAX_MARKER_LENGTH: number = '<|reserved_201087|>'.length
