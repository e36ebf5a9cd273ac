import { textIn } from '../../recipients/request-fields.js'
import { readWindow } from '../compacted-window.js'
import type { ItemReader } from './item-reader.js'
import { unopened } from './reasoning.js'

/**
 * compaction: the summary that it holds, once the host opened it, and what the user said that was not answered. A model
 * wrote the summary, so it gives no instructions.
 */
export const readCompaction: ItemReader = (item, { conversation, unsealed }, index, param) => {
  const text = unsealed(textIn(item, 'encrypted_content', param))?.text
  if (text === undefined) throw unopened(`${param}.encrypted_content`)
  const { before, summary, after } = readWindow(text) ?? { before: [], summary: text, after: [] }
  const said = (texts: readonly string[]): void => {
    for (const content of texts) conversation.add({ role: 'user', content, item: index })
  }
  said(before)
  conversation.add({ role: 'user', content: `${HEADING}\n\n${summary}`, item: index, isSummary: true })
  said(after)
}

const HEADING = 'A summary of the conversation so far:'

/** compaction_trigger: no message. The loop that answers the request compacts the conversation before it. */
export const readCompactionTrigger: ItemReader = () => {}
