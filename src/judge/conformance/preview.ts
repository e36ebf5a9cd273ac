import { isFields } from '../../shared/fields.js'

/** The maximum length of a value in a message: enough to find the value, too little to leak a whole text. */
const MAX_PREVIEW = 80

/** Nested values below this depth are not shown. */
const MAX_PREVIEW_DEPTH = 4

/** Fields whose values are never shown, as tools and headers of a request may hold secrets in them. */
const SECRET =
  /^(authorization|headers|cookie|(api|access|auth|client|secret|private)[_-]?(key|token|secret)|(api|secret|private)key|token|password|secret|bearer)$/i

/**
 * Returns a value as JSON for a message, in at most 80 characters, with `…` for omitted parts. The values of fields
 * that hold secrets are replaced entirely.
 */
export function preview(value: unknown): string {
  const json = formatValue(value, MAX_PREVIEW, 0)
  return json.length > MAX_PREVIEW ? `${truncate(json, MAX_PREVIEW - 1)}…` : json
}

/** The beginning of a text, without half a surrogate pair at its end. */
function truncate(text: string, length: number): string {
  return text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}

function formatValue(value: unknown, room: number, depth: number): string {
  if (typeof value === 'string') return formatString(value, room)
  if (value === undefined) return 'nothing'
  if (Array.isArray(value))
    return formatEntries('[', ']', value.length, room, depth, (at, left) => formatValue(value[at], left, depth + 1))
  if (isFields(value)) {
    const names = Object.keys(value).filter((name) => value[name] !== undefined)
    return formatEntries('{', '}', names.length, room, depth, (at, left) => {
      const name = names[at] as string
      const label = `${formatString(name, left)}:`
      return (
        label + (SECRET.test(name) ? '(hidden)' : formatValue(value[name], Math.max(left - label.length, 4), depth + 1))
      )
    })
  }
  if (typeof value === 'function') return 'a function'
  return typeof value === 'bigint' ? `${value}n` : String(value)
}

/** A string in quotes, cut off if it is too long. */
function formatString(text: string, room: number): string {
  if (text.length + 2 <= room) {
    const all = JSON.stringify(text)
    if (all.length <= room) return all
  }
  let whole = JSON.stringify(truncate(text, Math.max(room - 3, 1)))
  // Escapes make the JSON longer than the string.
  for (let fits = room - 3; whole.length > room - 1 && fits > 1; fits = Math.floor(fits / 2)) {
    whole = JSON.stringify(truncate(text, fits))
  }
  return `${whole.slice(0, -1)}…"`
}

function formatEntries(
  open: string,
  close: string,
  count: number,
  room: number,
  depth: number,
  part: (at: number, left: number) => string,
): string {
  if (count === 0) return open + close
  if (depth >= MAX_PREVIEW_DEPTH) return `${open}…${close}`
  let text = open
  for (let at = 0; at < count; at++) {
    // Leaves room for the ellipsis and the closing bracket.
    const left = room - text.length - 3
    if (left < 8) return `${text}${at === 0 ? '' : ','}…${close}`
    const entry = part(at, left)
    if (at > 0 && entry.length + 1 > left) return `${text},…${close}`
    text += at === 0 ? entry : `,${entry}`
  }
  return text + close
}

/** How many characters to show before the first difference. */
const BEFORE = 16

/**
 * Two texts, each in at most 40 characters around their first difference. The beginnings of two long texts would often
 * look the same.
 */
export function previewDifference(a: string, b: string): readonly [string, string] {
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at++
  const from = at > BEFORE + 8 ? at - BEFORE : 0
  return [excerptFrom(a, from), excerptFrom(b, from)]
}

function excerptFrom(text: string, from: number): string {
  const piece = formatValue(text.slice(from).replace(/^[\udc00-\udfff]/, ''), 40, 0)
  return from === 0 ? piece : `"…${piece.slice(1)}`
}
