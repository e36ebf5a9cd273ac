import { check } from '../errors.js'
import type { RequestedCall } from '../translate/options.js'
import type { SealedKind } from './sealed-text.js'

/** What a reasoning item or a compaction says. */
export interface UnsealedText<Kind extends 'reasoning' | 'compaction'> {
  readonly kind: Kind
  /** Empty for a compaction that was sealed without one. */
  readonly itemId: string
  readonly text: string
}

/** The call of an approval request. */
export interface UnsealedApproval extends RequestedCall {
  readonly kind: 'approval'
  /** The id that the item would have had, short and unique: what its approval can be marked as used by. */
  readonly itemId: string
}

export type Unsealed = UnsealedText<'reasoning'> | UnsealedText<'compaction'> | UnsealedApproval

/** The fields of each kind, in the order in which they are sealed. */
const FIELDS: Readonly<Record<SealedKind, readonly string[]>> = {
  reasoning: ['itemId', 'text'],
  approval: ['itemId', 'serverLabel', 'name', 'arguments'],
  compaction: ['itemId', 'text'],
}

/**
 * As JSON, which keeps any string, a lone surrogate too.
 *
 * @throws HarmonyResponsesError `bad_option` if a field is no string
 */
export function writeContent(content: Unsealed): string {
  const fields = new Map<string, unknown>(Object.entries(content))
  const values = FIELDS[content.kind].map((field) => {
    const value = fields.get(field)
    check(typeof value === 'string', `seal: ${field}`, 'a string', value)
    return value
  })
  return JSON.stringify(values)
}

/** Undefined if it is not what {@link writeContent} writes. */
export function readContent(kind: SealedKind, json: string): Unsealed | undefined {
  let values: unknown
  try {
    values = JSON.parse(json)
  } catch {
    return undefined
  }
  const fields = FIELDS[kind]
  if (!Array.isArray(values) || values.length !== fields.length) return undefined
  if (!values.every((value) => typeof value === 'string')) return undefined
  return { kind, ...Object.fromEntries(fields.map((field, at) => [field, values[at]])) } as unknown as Unsealed
}
