import { isFields } from './stream-event.js'

/** How much of a value stands in a message: enough to find it, too little to leak a whole text. */
const LONGEST = 80

/** Deeper than this a value is not shown. */
const DEEPEST_SHOWN = 4

/** Fields whose value is never shown: what a request's tools and headers carry. */
const SECRET =
  /^(authorization|headers|cookie|(api|access|auth|client|secret|private)[_-]?(key|token|secret)|(api|secret|private)key|token|password|secret|bearer)$/i

/**
 * A value as JSON for a message, in at most 80 characters and with `…` where something is left out. Values of fields
 * that hold secrets are left out entirely.
 */
export function shown(value: unknown): string {
  const whole = written(value, LONGEST, 0)
  return whole.length > LONGEST ? `${cutAt(whole, LONGEST - 1)}…` : whole
}

/** The beginning of a text, without half a character at its end. */
function cutAt(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}

function written(value: unknown, room: number, depth: number): string {
  if (typeof value === 'string') return quoted(value, room)
  if (value === undefined) return 'nothing'
  if (Array.isArray(value))
    return list('[', ']', value.length, room, depth, (at, left) => written(value[at], left, depth + 1))
  if (isFields(value)) {
    const names = Object.keys(value).filter((name) => value[name] !== undefined)
    return list('{', '}', names.length, room, depth, (at, left) => {
      const name = names[at] as string
      const label = `${quoted(name, left)}:`
      return (
        label + (SECRET.test(name) ? '(hidden)' : written(value[name], Math.max(left - label.length, 4), depth + 1))
      )
    })
  }
  if (typeof value === 'function') return 'a function'
  return typeof value === 'bigint' ? `${value}n` : String(value)
}

/** A text in quotes; of a long one only the beginning, with the quote that closes it. */
function quoted(text: string, room: number): string {
  if (text.length + 2 <= room) {
    const all = JSON.stringify(text)
    if (all.length <= room) return all
  }
  let whole = JSON.stringify(cutAt(text, Math.max(room - 3, 1)))
  // Escapes are longer than what they stand for.
  for (let fits = room - 3; whole.length > room - 1 && fits > 1; fits = Math.floor(fits / 2)) {
    whole = JSON.stringify(cutAt(text, fits))
  }
  return `${whole.slice(0, -1)}…"`
}

function list(
  open: string,
  close: string,
  count: number,
  room: number,
  depth: number,
  part: (at: number, left: number) => string,
): string {
  if (count === 0) return open + close
  if (depth >= DEEPEST_SHOWN) return `${open}…${close}`
  let text = open
  for (let at = 0; at < count; at++) {
    // Room for what is left out and the end.
    const left = room - text.length - 3
    if (left < 8) return `${text}${at === 0 ? '' : ','}…${close}`
    const written = part(at, left)
    if (at > 0 && written.length + 1 > left) return `${text},…${close}`
    text += at === 0 ? written : `,${written}`
  }
  return text + close
}

/** How much of two texts stands before the place at which they differ. */
const BEFORE = 16

/**
 * Two texts, each in at most 40 characters around the first place at which they differ: of two that begin alike, the
 * beginnings would look the same.
 */
export function shownApart(a: string, b: string): readonly [string, string] {
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at++
  const from = at > BEFORE + 8 ? at - BEFORE : 0
  return [around(a, from), around(b, from)]
}

function around(text: string, from: number): string {
  const piece = written(text.slice(from).replace(/^[\udc00-\udfff]/, ''), 40, 0)
  return from === 0 ? piece : `"…${piece.slice(1)}`
}
