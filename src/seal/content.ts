import { check } from '../errors.js'
import type { RequestedCall } from '../translate/options/options.js'
import type { SealedKind } from './sealed-text.js'

/** What a reasoning item or a compaction says, or the JSON of calls. */
export interface UnsealedText<Kind extends 'reasoning' | 'compaction' | 'call'> {
  readonly kind: Kind
  /** Empty for a compaction that was sealed without one. */
  readonly itemId: string
  readonly text: string
  /** How the response's messages up to it were sampled, as `respond` gave it. Of reasoning alone, and often absent. */
  readonly form?: string
}

/** The call of an approval request. */
export interface UnsealedApproval extends RequestedCall {
  readonly kind: 'approval'
  /** The id that the item would have had, short and unique: what its approval can be marked as used by. */
  readonly itemId: string
}

export type Unsealed = UnsealedText<'reasoning'> | UnsealedText<'compaction'> | UnsealedText<'call'> | UnsealedApproval

/** The fields of each kind, in the order in which they are sealed. The last is left out if it is not there. */
const FIELDS: Readonly<Record<SealedKind, readonly string[]>> = {
  reasoning: ['itemId', 'text', 'form'],
  approval: ['itemId', 'serverLabel', 'name', 'arguments'],
  compaction: ['itemId', 'text'],
  call: ['itemId', 'text'],
}
/** Fields that may be absent, and are not empty where they are there. */
const OPTIONAL: readonly string[] = ['form']

/**
 * As JSON, which keeps any string, a lone surrogate too.
 *
 * @throws HarmonyResponsesError `bad_option` if a field is no string
 */
export function writeContent(content: Unsealed): string {
  const fields = new Map<string, unknown>(Object.entries(content))
  const values = FIELDS[content.kind].flatMap((field) => {
    const value = fields.get(field)
    if (value === undefined && OPTIONAL.includes(field)) return []
    check(typeof value === 'string', `seal: ${field}`, 'a string', value)
    check(value !== '' || !OPTIONAL.includes(field), `seal: ${field}`, 'a string that is not empty', value)
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
  const least = fields.filter((field) => !OPTIONAL.includes(field)).length
  if (!Array.isArray(values) || values.length < least || values.length > fields.length) return undefined
  if (!values.every((value, at) => typeof value === 'string' && (value !== '' || at < least))) return undefined
  // As many texts as the kind has fields, which the lines above have counted.
  return { kind, ...Object.fromEntries(values.map((value, at) => [fields[at], value])) } as unknown as Unsealed
}
