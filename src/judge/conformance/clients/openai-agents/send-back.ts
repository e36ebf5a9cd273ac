import { type Fields, isFields } from '../../../../shared/fields.js'
import { Thrown } from '../thrown.js'

/**
 * Requires that an item can be sent back, as the Agents SDK does in a run that continues. It then accepts fewer
 * statuses of hosted calls than when it reads them.
 */
export function requireSendable({ type, status, action }: Fields, place: string): void {
  const known = typeof type === 'string' && Object.hasOwn(STATUSES, type) ? STATUSES[type] : undefined
  if (known === undefined) return
  if (!known.includes((status ?? 'failed') as string)) {
    const expected = `${place}.status: ${known.map((one) => JSON.stringify(one)).join(', ')}`
    throw new Thrown('openai-agents-sends-back', expected, status)
  }
  if (type === 'web_search_call' && action !== undefined && !(isFields(action) && typeof action['type'] === 'string')) {
    throw new Thrown('openai-agents-sends-back', `${place}.action with a type, or none`, action)
  }
}

const STATUSES: Readonly<Record<string, readonly string[]>> = {
  web_search_call: ['in_progress', 'completed', 'searching', 'failed'],
  file_search_call: ['in_progress', 'completed', 'searching', 'failed', 'incomplete'],
  code_interpreter_call: ['in_progress', 'completed', 'interpreting'],
  image_generation_call: ['in_progress', 'completed', 'generating', 'failed'],
}
