import { RequestError } from '../../../shared/request-error.js'
import { fieldOf, optionalTextIn } from '../../../shared/request-fields.js'
import { textOfContent } from '../content.js'
import { readSampledForm } from '../sampled-form.js'
import type { ItemReader } from './item-reader.js'

/**
 * Reads reasoning: its sealed text if the host opened it, else its raw text, else its summary. An item with only an id
 * is found in the history or dropped. Its seal may record how it and the messages before it were sampled.
 */
export const readReasoning: ItemReader = (item, { conversation, attach, unsealed }, index, param) => {
  const sealed = optionalTextIn(item, 'encrypted_content', param)
  const { text: opened, form } = (sealed === undefined ? undefined : unsealed(sealed)) ?? {}
  const sampled = form === undefined ? undefined : readSampledForm(form)
  if (sampled?.isAlone) return conversation.recall(sampled)
  const parts = fieldOf(item, 'content') ?? []
  const raw = textOfContent(parts, `${param}.content`, attach)
  const summary = textOfContent(fieldOf(item, 'summary') ?? [], `${param}.summary`, attach)
  const content = opened ?? (raw || summary)
  if (content === '' && sealed !== undefined && opened === undefined) throw unopened(`${param}.encrypted_content`)
  conversation.add({
    role: 'assistant',
    channel: 'analysis',
    content,
    item: index,
    ...(content === '' && opened === undefined && !isGiven(parts) && { missing: 'omitted' }),
  })
  if (sampled !== undefined) conversation.recall(sampled)
}

/** Whether there is a text, even an empty one: the model may have reasoned nothing. */
function isGiven(content: unknown): boolean {
  return Array.isArray(content) && content.length > 0
}

/** Returns the error for sealed content that the host did not open. */
export function unopened(param: string): RequestError {
  const message = 'The encrypted content could not be verified.'
  return new RequestError(message, { param, code: 'invalid_encrypted_content' })
}
