import { textIn } from '../../../shared/request-fields.js'
import { readWindow } from '../compacted-window.js'
import type { ItemReader } from './item-reader.js'
import { unopened } from './reasoning.js'

/**
 * Reads compaction: its summary, once the host has opened it, and the user's unanswered messages. A model wrote the
 * summary, so it must not carry the weight of instructions.
 */
export const readCompaction: ItemReader = (item, { conversation, unsealed }, index, param) => {
  const text = unsealed(textIn(item, 'encrypted_content', param))?.text
  if (text === undefined) throw unopened(`${param}.encrypted_content`)
  const { before, summary, after } = readWindow(text) ?? { before: [], summary: text, after: [] }
  const addUserMessages = (texts: readonly string[]): void => {
    for (const content of texts) conversation.add({ role: 'user', content, item: index })
  }
  addUserMessages(before)
  conversation.add({ role: 'user', content: `${HEADING}\n\n${summary}`, item: index, isSummary: true })
  addUserMessages(after)
}

const HEADING = 'A summary of the conversation so far:'

/** Reads compaction_trigger: no message. The loop that answers the request has compacted the conversation before it. */
export const readCompactionTrigger: ItemReader = () => {}
