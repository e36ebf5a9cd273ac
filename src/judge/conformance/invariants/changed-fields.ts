import type { PossibleCauses } from '../causes.js'
import type { Violation } from '../violation.js'
import { ITEM_DIFFERS, MISNAMED, MISPLACED, PART_MISPLACED } from './cause-groups.js'

/** Fields of an item that its own events build, so that any fault of these may have changed them. */
const BUILT: ReadonlySet<string> = new Set([
  'content',
  'summary',
  'arguments',
  'input',
  'code',
  'output',
  'outputs',
  'results',
  'action',
  'queries',
  'operation',
  'tools',
  'id',
])

/** Within an item every fault has this name, so that it would explain a change of any field. */
const ANY_FAULT = 'event-shape:item'

/**
 * Returns the possible causes of an item's fields that differ between the terminal response and its `output_item.done`:
 * for a field that no event of its own builds (a status, a phase), only faults of that field, or of the item's
 * position. Otherwise a null in one field would seem to explain every other field.
 */
export function causesOfChange({ got }: Violation): PossibleCauses {
  const fields = /^a different (.+)$/.exec(got)?.[1]?.split(', ') ?? []
  if (fields.length === 0 || fields.some((field) => BUILT.has(field)))
    return { item: [...ITEM_DIFFERS, ...MISPLACED, ...MISNAMED, ...PART_MISPLACED] }
  const ofFields = fields.flatMap((field) => [`event-shape:item.${field}`, `event-keys:item.${field}`])
  return { item: [...MISPLACED, ...MISNAMED, 'item-constant', ...ofFields].filter((name) => name !== ANY_FAULT) }
}
