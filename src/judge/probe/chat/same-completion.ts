import { type Difference, firstDifferingField } from '../same-shape.js'
import type { ChatReply } from './chat-server.js'

/** Fields that only one of the two forms has at OpenAI. */
const OPTIONAL_FIELDS: readonly string[] = [
  'object',
  'choices',
  'usage',
  'service_tier',
  'system_fingerprint',
  'obfuscation',
]

/**
 * The first difference between a streamed completion and one that was not: in their fields, and in the kinds of their
 * content.
 */
export function completionDifference(streamed: ChatReply, whole: ChatReply): Difference | undefined {
  const [first = {}] = streamed.chunks
  const fields = firstDifferingField('', first, whole.completion, OPTIONAL_FIELDS)
  if (fields !== undefined) return { ...fields, expected: `as in the stream, ${fields.expected}` }
  // A model may reason in only one of the two, but its field has one name.
  const [ones, others] = [streamed.reasoningFields.join(', '), whole.reasoningFields.join(', ')]
  if (ones !== '' && others !== '' && ones !== others) {
    return { expected: `as in the stream, reasoning in ${ones}`, got: `in ${others}` }
  }
  if (streamed.text !== '' && whole.text === '' && whole.ending === 'stop') {
    return { expected: 'as in the stream, a text', got: 'none' }
  }
  const [counts, otherCounts] = [streamed.usage, whole.usage]
  if (counts !== undefined && otherCounts !== undefined) {
    return firstDifferingField('usage.', counts, otherCounts, [])
  }
  return undefined
}
