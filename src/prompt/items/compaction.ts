import { textIn } from '../fields.js'
import type { ItemReader } from './item-reader.js'
import { unopened } from './reasoning.js'

/** compaction: the summary that it holds, once the host opened it. A model wrote it, so it gives no instructions. */
export const readCompaction: ItemReader = (item, { conversation, unsealed }, index, param) => {
  const summary = unsealed(textIn(item, 'encrypted_content', param))?.text
  if (summary === undefined) throw unopened(`${param}.encrypted_content`)
  conversation.add({ role: 'user', content: `${HEADING}\n\n${summary}`, item: index })
}

const HEADING = 'A summary of the conversation so far:'

/** compaction_trigger: no message. Whoever answers the request compacts the conversation before it. */
export const readCompactionTrigger: ItemReader = () => {}
