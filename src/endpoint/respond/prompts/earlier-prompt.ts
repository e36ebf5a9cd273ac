import type { ResponseRequest } from '../../../core/responses/request.js'
import type { Fields } from '../../../shared/fields.js'
import { RequestError } from '../../../shared/request-error.js'
import type { Slices, Work } from '../../../shared/slices.js'
import { type EarlierPrompt, KnownConversation, type Reading, readingOf } from '../../prompt/known-conversation.js'
import { type RenderOptions, turnStart } from '../../prompt/render-prompt.js'
import type { FirstPrompt } from './prompt-ids.js'

/**
 * Renders the first prompt of a response that continues others: the earlier part is read and rendered once for all of
 * them.
 *
 * @param max - the maximum number of new tokens
 * @returns undefined if it has to be rendered as a whole, or cannot be
 */
export function* promptFromEarlier(
  request: ResponseRequest,
  options: RenderOptions,
  earlier: EarlierPrompt,
  work: Work,
  max: number,
): Slices<FirstPrompt | undefined> {
  try {
    const reading = readingOf(request, options)
    const known = reading && (yield* settled(reading, earlier, work, max))
    if (reading === undefined || known === undefined) return undefined
    const prompt = yield* renderAndGive(known, request, { reading, options, earlier, work, max })
    // A single message affects what may be compacted, and that message may be reasoning.
    if (prompt === undefined || prompt.messageCount < 2) return undefined
    const { tokens: ids, messageCount, placeholders } = prompt
    const size = ids.length + turnStart(options.tokenTable).length
    return { size, ids, messageCount, untaught: reading.tools.untaught, placeholders }
  } catch (error) {
    // Rendering the whole prompt reports the error with its own paths.
    if (error instanceof RequestError) return undefined
    throw error
  }
}

interface RenderAndGive {
  readonly reading: Reading
  readonly options: RenderOptions
  readonly earlier: EarlierPrompt
  readonly work: Work
  readonly max: number
}

/** Returned only at the end: another response that continues from here would change it meanwhile. */
function* renderAndGive(
  known: KnownConversation,
  request: ResponseRequest,
  { reading, options, earlier, work, max }: RenderAndGive,
): ReturnType<KnownConversation['render']> {
  try {
    return yield* known.render(request as object as Fields, reading, options, work, max)
  } finally {
    earlier.give(known)
  }
}

/** Returns the known prompt of the earlier conversation. */
function* settled(
  reading: Reading,
  { items, history, take }: EarlierPrompt,
  work: Work,
  max: number,
): Slices<KnownConversation | undefined> {
  const before = take()
  if (before?.key === reading.key && (yield* before.settle(reading, { items, history }, work, max))) return before
  const anew = new KnownConversation(reading.key)
  return (yield* anew.settle(reading, { items, history }, work, max)) ? anew : undefined
}
