import { fieldsOf } from '../../stream-event.js'
import { Thrown } from '../thrown.js'

/** Usage is of numbers alone, as far as there is any. Throws `Thrown` otherwise. */
export function requireUsage(usage: unknown): void {
  const { input_tokens, output_tokens, total_tokens, input_tokens_details, output_tokens_details } = fieldsOf(usage)
  for (const [name, count] of Object.entries({ input_tokens, output_tokens, total_tokens })) {
    const isCount = count === undefined || count === null || typeof count === 'number'
    if (!isCount) throw new Thrown('openai-agents-usage', `usage.${name} as a number`, count)
  }
  for (const [name, details] of Object.entries({ input_tokens_details, output_tokens_details })) {
    // It spreads them: a string becomes an entry for each of its characters.
    const counts = typeof details === 'object' || typeof details === 'string' ? Object.values(details ?? {}) : []
    for (const count of counts) {
      if (typeof count !== 'number') throw new Thrown('openai-agents-usage', `numbers in usage.${name}`, count)
    }
  }
}
