import { filesMarkedIn } from '../../core/recipients/builtins/file-search.js'
import type { RequestTools } from '../../core/recipients/request-tools.js'
import { RequestError } from '../../shared/request-error.js'
import { readOutput } from '../prompt/read-input.js'
import { writeSampledForm } from '../prompt/sampled-form.js'
import { type FormOptions, sampledMessages } from '../prompt/sampled-messages.js'
import type { TranscriptMessage } from '../prompt/transcript.js'

/**
 * Returns how the messages of a response's items were sampled, for a seal; undefined if their items render to the same
 * ids and it replaces no other record.
 *
 * @param items - the items that the seal records, in order. The last is the sealed one, unless that stands alone
 * @param transcript - the messages that the model and the host wrote meanwhile
 */
export function formOfItems(
  items: readonly object[],
  transcript: readonly TranscriptMessage[],
  options: FormOptions,
): string | undefined {
  const messages = messagesIn(items, options.tools)
  const sampled = sampledMessages(messages, transcript, options)
  const { isAlone, replaces = 0, files = {} } = options
  if (sampled.length === 0 && replaces === 0) return undefined
  const recorded = new Set(sampled.map(({ tokens }) => tokens))
  const texts = transcript.flatMap(({ tokens, message }) => (recorded.has(tokens) ? [message.content] : []))
  const marked = filesMarkedIn(texts, files)
  return writeSampledForm({ isAlone, replaces, messages: sampled, ...(marked && { files: marked }) })
}

function messagesIn(items: readonly object[], tools: RequestTools) {
  try {
    const reading = { attachments: 'placeholder', unsealed: () => undefined, onPlaceholder: () => {} } as const
    return readOutput(items, { ...reading, tools })
  } catch (error) {
    // A host's item that no prompt can contain: the client is told when it sends the item back.
    if (error instanceof RequestError) return []
    throw error
  }
}
