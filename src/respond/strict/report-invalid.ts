import type { ResponseStreamEvent } from '../../responses/events.js'
import type { OutputItem } from '../../responses/items.js'
import { callSafely } from '../../translate/call-safely.js'
import type { InvalidOutput } from '../options.js'
import { checkOutput } from './check-output.js'
import { partOfItem, type StrictPart } from './strict-parts.js'

/** Reports complete items that violate a schema or format of the request to the host. Never throws. */
export function reportInvalid(
  events: readonly ResponseStreamEvent[],
  parts: readonly StrictPart[],
  onInvalidOutput: (invalid: InvalidOutput) => void,
  onError: (error: unknown) => void,
): void {
  if (parts.length === 0) return
  for (const event of events) {
    if (event.type !== 'response.output_item.done') continue
    const item = event.item as OutputItem
    const found = partOfItem(item, parts)
    if (found === undefined) continue
    const { part, text } = found
    try {
      const errors = checkOutput(text, part.constraint)
      if (errors.length > 0) callSafely(onInvalidOutput, { itemId: item.id ?? '', what: part.param, errors }, onError)
    } catch (error) {
      onError(new Error(`${part.param}: the output of the model cannot be checked`, { cause: error }))
    }
  }
}
