/** The columns of a timeline, for a terminal of some width. An undefined column does not fit. */
export interface TimelineColumns {
  /** The column in which a token's index ends. */
  readonly indexEnd: number
  readonly who: number
  /** The column in which a token's id ends. */
  readonly idEnd: number | undefined
  readonly token: number
  readonly state: number | undefined
  /** Without a column of its own, the start of a message is shown among the events. */
  readonly harmony: Column | undefined
  readonly events: Column
  /** Whether consecutive tokens of the host share a row. */
  readonly foldsHost: boolean
}

export interface Column {
  readonly start: number
  readonly width: number
}

/** The width of the token column. */
export const TOKEN_WIDTH = 14

const GAP = 2
const INDEX_END = 4
const WHO = INDEX_END + GAP
/** The width of `model`, the longest word. */
const WHO_WIDTH = 5

/** The minimum width at which every column fits. */
const WIDE = 110
/** The minimum width at which the parser's events have a column of their own. */
const MEDIUM = 90
/** Events wrap at this width even if the terminal is narrower. */
const MIN_EVENTS_WIDTH = 24

/**
 * Chooses columns for a width. Events stand beside their tokens at every width: the ids and the parser's state are
 * dropped first, then the parser's events.
 */
export function columnsFor(width: number): TimelineColumns {
  if (width >= WIDE) {
    // The Harmony column grows with the terminal until a long header fits.
    const harmony = { start: 45, width: Math.min(48, 27 + Math.floor((width - WIDE) / 2)) }
    return { ...withEvents(20, harmony, width), idEnd: 18, state: 36, foldsHost: false }
  }
  const token = WHO + WHO_WIDTH + GAP
  if (width < MEDIUM) return withEvents(token, undefined, width)
  return withEvents(token, { start: token + TOKEN_WIDTH + GAP, width: 24 + Math.floor((width - MEDIUM) / 3) }, width)
}

function withEvents(token: number, harmony: Column | undefined, width: number): TimelineColumns {
  const before = harmony === undefined ? token + TOKEN_WIDTH : harmony.start + harmony.width
  const start = before + GAP
  return {
    indexEnd: INDEX_END,
    who: WHO,
    idEnd: undefined,
    token,
    state: undefined,
    harmony,
    events: { start, width: Math.max(MIN_EVENTS_WIDTH, width - start) },
    foldsHost: true,
  }
}
