import { type EarlierPrompt, KnownConversation, type Reading, readingOf } from '../prompt/known-conversation.js'
import type { RenderPromptOptions } from '../prompt/render-prompt.js'
import { RequestError } from '../request-error.js'
import type { ResponseRequest } from '../responses/request.js'
import type { FirstPrompt } from './prompt-ids.js'

/**
 * The first prompt of a response that goes on from others: what came before is read and rendered once for all of them.
 *
 * @returns undefined if it has to be rendered as a whole, or cannot be
 */
export function promptFromEarlier(
  request: ResponseRequest,
  options: RenderPromptOptions,
  earlier: EarlierPrompt,
): FirstPrompt | undefined {
  try {
    const reading = readingOf(request, options)
    const known = reading && settled(reading, earlier)
    if (reading === undefined || known === undefined) return undefined
    earlier.give(known)
    const prompt = known.render(request as never, reading, options)
    // Whether one message is all that there is decides what may be compacted. Reasoning may be it.
    if (prompt === undefined || prompt.said < 2) return undefined
    const { tokens: ids, said, placeholders } = prompt
    return { ids, said, untaught: reading.tools.untaught, placeholders }
  } catch (error) {
    // Who renders the whole says what is wrong in the terms of the whole.
    if (error instanceof RequestError) return undefined
    throw error
  }
}

/** What is known of all that came earlier. */
function settled(reading: Reading, { items, history, take }: EarlierPrompt): KnownConversation | undefined {
  const before = take()
  if (before?.key === reading.key && before.settle(reading, { items, history })) return before
  const anew = new KnownConversation(reading.key)
  return anew.settle(reading, { items, history }) ? anew : undefined
}
