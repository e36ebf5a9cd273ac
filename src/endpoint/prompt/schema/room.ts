/** The room that is left for a schema's text, in characters. */
export interface Room {
  left: number
}

/** A schema's text is cut at some 200,000 characters: no model's context has room for more. */
export const SCHEMA_ROOM = 200_000

/** Deeper types are omitted. A schema written by people has ten levels at most. */
export const MAX_LEVELS = 40

/** The type that stands in for an omitted part. */
export const LEFT_OUT = 'any /* left out: the schema is too deep or too large */'

export function isFull({ left }: Room): boolean {
  return left <= 0
}

export function spend(room: Room, cost: number): void {
  room.left -= cost
}

/** Returns as much of a text as fits, with a mark where it was cut. */
export function fitting(text: string, room: Room): string {
  const given = Math.max(0, room.left)
  spend(room, text.length)
  if (text.length <= given) return text
  const prefix = text.slice(0, given).replace(/[\ud800-\udbff]$/, '')
  return `${prefix} ... (${text.length - prefix.length} more characters)`
}
