/** How much of a value is written at once, in characters and values: some milliseconds of work. */
const PIECE = 65_536

type Pieces = Generator<string, void, undefined>

/** Whether the JSON of a value is written in several pieces. */
export function isLargeJson(value: unknown): boolean {
  return sizeUpTo(value, PIECE) > PIECE
}

/**
 * Writes plain data as `JSON.stringify` does, in pieces of some 64,000 characters, so that other work can run between two
 * of them: for an answer with the log-probabilities of 16,000 tokens, `JSON.stringify` takes half a second.
 */
export function* jsonPieces(value: unknown, piece: number = PIECE): Pieces {
  const isLarge = sizeUpTo(value, piece) > piece
  if (isLarge && typeof value === 'string') yield* textPieces(value, piece)
  else if (isLarge && Array.isArray(value)) yield* listPieces(value, piece)
  else if (isLarge && typeof value === 'object' && value !== null) yield* fieldPieces(value, piece)
  else yield JSON.stringify(value) ?? 'null'
}

function* textPieces(text: string, piece: number): Pieces {
  yield '"'
  for (let at = 0; at < text.length; ) {
    // Two halves of a character are written together: one alone would be escaped.
    const isHalf = (text.charCodeAt(at + piece - 1) & 0xfc00) === 0xd800
    const end = at + piece - (isHalf ? 1 : 0)
    yield JSON.stringify(text.slice(at, end)).slice(1, -1)
    at = end
  }
  yield '"'
}

function* listPieces(list: readonly unknown[], piece: number): Pieces {
  let separator = '['
  for (let at = 0; at < list.length; ) {
    let end = at
    for (let left = piece; end < list.length; end++) {
      left -= sizeUpTo(list[end], left)
      if (left < 0) break
    }
    if (end === at) {
      yield separator
      yield* jsonPieces(list[at], piece)
      end += 1
    } else yield separator + JSON.stringify(list.slice(at, end)).slice(1, -1)
    separator = ','
    at = end
  }
  yield `${separator === '[' ? separator : ''}]`
}

function* fieldPieces(fields: object, piece: number): Pieces {
  let separator = '{'
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    yield `${separator}${JSON.stringify(name)}:`
    yield* jsonPieces(value, piece)
    separator = ','
  }
  yield `${separator === '{' ? separator : ''}}`
}

/** Returns the size of a value in characters and values; of a larger one, only that it is above `max`. */
function sizeUpTo(value: unknown, max: number): number {
  let size = 0
  const waiting: unknown[] = [value]
  // Iterative: data may be nested as deep as its limits allow.
  while (waiting.length > 0 && size <= max) {
    const next = waiting.pop()
    size += 8
    if (typeof next === 'string') size += next.length
    else if (Array.isArray(next)) {
      if (next.length > max) return max + 1
      for (const each of next) waiting.push(each)
    } else if (typeof next === 'object' && next !== null) {
      for (const name in next) {
        size += name.length
        waiting.push((next as Record<string, unknown>)[name])
      }
    }
  }
  return size
}
