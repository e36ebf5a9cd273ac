import type { Fields } from '../../shared/fields.js'
import { emptyArray } from '../../shared/request-error.js'
import { objectsAt, textIn } from '../../shared/request-fields.js'
import { createWork, type Slices, type Work } from '../../shared/slices.js'

/** How many messages are read in some milliseconds. */
const MESSAGES_PER_SLICE = 1_000

/** Reads a message. `param` is its path. */
export type ReadMessage = (message: Fields, role: string, param: string, work: Work) => Slices<void> | undefined

/** Reads the messages of a body in order. @throws RequestError if there is none, or one has no role */
export function* eachMessage(value: unknown, read: ReadMessage): Slices<void> {
  const messages = objectsAt(value, 'messages')
  if (messages.length === 0) throw emptyArray('messages')
  const work = createWork(MESSAGES_PER_SLICE)
  for (const [index, message] of messages.entries()) {
    work.left -= 1
    if (work.left <= 0) yield* work.pause()
    const param = `messages[${index}]`
    const slices = read(message, textIn(message, 'role', param), param, work)
    if (slices !== undefined) yield* slices
  }
}
