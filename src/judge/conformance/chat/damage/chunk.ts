import type { Fields } from '../../../../shared/fields.js'
import { type Family, type FamilyDamage, fieldsOf, listOf, textOf } from '../../damage/family.js'

/** A chunk of a stream, as JSON. */
export type Chunk = Fields

/** A kind of mistake that servers of Chat Completions make. */
export type ChatFamily = Family<Chunk>

export type ChatDamage = FamilyDamage<Chunk>

// The subject of a chunk: its first choice, and the first call in it.

export const choiceOf = (chunk: Chunk): Fields => listOf(chunk['choices'])[0] ?? {}

export const deltaOf = (chunk: Chunk): Fields => fieldsOf(choiceOf(chunk)['delta'])

export const callOf = (chunk: Chunk): Fields => listOf(deltaOf(chunk)['tool_calls'])[0] ?? {}

export const hasCall = (chunk: Chunk): boolean => listOf(deltaOf(chunk)['tool_calls']).length > 0

export const beginsCall = (chunk: Chunk): boolean => textOf(callOf(chunk)['id']) !== ''

export const hasText = (chunk: Chunk): boolean => textOf(deltaOf(chunk)['content']) !== ''

export const hasReasoning = (chunk: Chunk): boolean =>
  textOf(deltaOf(chunk)['reasoning_content'] ?? deltaOf(chunk)['reasoning']) !== ''

export const isEnd = (chunk: Chunk): boolean => typeof choiceOf(chunk)['finish_reason'] === 'string'

export const isUsage = (chunk: Chunk): boolean =>
  listOf(chunk['choices']).length === 0 && fieldsOf(chunk)['usage'] !== undefined

// A chunk with other fields.

export const withChoice = (chunk: Chunk, fields: Fields): Chunk => ({
  ...chunk,
  choices: [{ ...choiceOf(chunk), ...fields }],
})

export const withDelta = (chunk: Chunk, fields: Fields): Chunk =>
  withChoice(chunk, { delta: { ...deltaOf(chunk), ...fields } })

export const withCall = (chunk: Chunk, fields: Fields): Chunk =>
  withDelta(chunk, { tool_calls: [{ ...callOf(chunk), ...fields }] })

/** A chunk like another one, with another delta. */
export const says = (like: Chunk, delta: Fields, reason: string | null = null): Chunk =>
  withChoice(like, { delta, finish_reason: reason })

/** The number of the chunk with the finish_reason; -1 if there is none. */
export const endOf = (chunks: readonly Chunk[]): number => chunks.findIndex(isEnd)

/** A call that no other chunk of a stream knows. */
export const CALL = { id: 'call_late', type: 'function', function: { name: 'late_tool', arguments: '{"late":true}' } }

/** Returns the number of calls in a stream. */
export function countOf(chunks: readonly Chunk[]): number {
  return chunks.filter(beginsCall).length
}
