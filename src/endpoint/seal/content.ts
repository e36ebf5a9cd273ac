import type { RequestedCall } from '../../core/options/options.js'
import { check } from '../../shared/errors.js'
import type { SealedKind } from './sealed-text.js'

/** The sealed text of a reasoning item or a compaction, or the JSON of calls. */
export interface UnsealedText<Kind extends 'reasoning' | 'compaction' | 'call'> {
  /** What was sealed: reasoning, a compaction, or a call. */
  readonly kind: Kind
  /** Empty for a compaction that was sealed without one. */
  readonly itemId: string
  /** The sealed text. */
  readonly text: string
  /**
   * How the response's messages up to it were sampled, as `respond` recorded it. Only for reasoning, and often absent.
   */
  readonly form?: string
}

/** The call of an approval request. */
export interface UnsealedApproval extends RequestedCall {
  readonly kind: 'approval'
  /** The id that the item would have had, short and unique: hosts can record it to mark the approval as used. */
  readonly itemId: string
}

/** Content that was sealed. `kind` narrows it. */
export type Unsealed = UnsealedText<'reasoning'> | UnsealedText<'compaction'> | UnsealedText<'call'> | UnsealedApproval

/** The fields of each kind, in the order in which they are sealed. The last one may be absent. */
const FIELDS: Readonly<Record<SealedKind, readonly string[]>> = {
  reasoning: ['itemId', 'text', 'form'],
  approval: ['itemId', 'serverLabel', 'name', 'arguments'],
  compaction: ['itemId', 'text'],
  call: ['itemId', 'text'],
}
/** Fields that may be absent, and are never empty. */
const OPTIONAL: readonly string[] = ['form']

/**
 * Serializes the content as JSON, which preserves any string, including lone surrogates.
 *
 * @throws HarmonyResponsesError `bad_option` if a field is not a string
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

/** Parses the output of {@link writeContent}; undefined for anything else. */
export function readContent(kind: SealedKind, json: string): Unsealed | undefined {
  let values: unknown
  try {
    values = JSON.parse(json)
  } catch {
    return undefined
  }
  const fields = FIELDS[kind]
  const min = fields.filter((field) => !OPTIONAL.includes(field)).length
  if (!Array.isArray(values) || values.length < min || values.length > fields.length) return undefined
  if (!values.every((value, at) => typeof value === 'string' && (value !== '' || at < min))) return undefined
  // The lines above have checked that there are as many texts as the kind has fields.
  return { kind, ...Object.fromEntries(values.map((value, at) => [fields[at], value])) } as Unsealed
}
