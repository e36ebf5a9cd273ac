import { asFields } from '../../stream-event.js'
import { Thrown } from '../thrown.js'

/** Requires that all counts in usage are numbers. Throws `Thrown` otherwise. */
export function requireUsage(usage: unknown): void {
  const { input_tokens, output_tokens, total_tokens, input_tokens_details, output_tokens_details } = asFields(usage)
  for (const [name, count] of Object.entries({ input_tokens, output_tokens, total_tokens })) {
    const isCount = count === undefined || count === null || typeof count === 'number'
    if (!isCount) throw new Thrown('openai-agents-usage', `usage.${name} as a number`, count)
  }
  for (const [name, details] of Object.entries({ input_tokens_details, output_tokens_details })) {
    // The SDK spreads the details, which turns a string into one entry per character.
    const counts = typeof details === 'object' || typeof details === 'string' ? Object.values(details ?? {}) : []
    for (const count of counts) {
      if (typeof count !== 'number') throw new Thrown('openai-agents-usage', `numbers in usage.${name}`, count)
    }
  }
}
