import type { InputItem } from '../../../../core/responses/input-items.js'
import { RequestError } from '../../../../shared/request-error.js'
import type { FinishedResponse } from '../../../stores/store.js'

/** How large a conversation may become. */
export interface ConversationSizeLimits {
  /** Items of a conversation that `conversation` names. Default 10,000. */
  readonly conversationItems?: number
  /** The JSON of its items, in characters. Default 33,554,432. */
  readonly conversationCharacters?: number
}

/**
 * Creates a check of a conversation's size before items are added. It measures each response once, as long as the store
 * keeps it in memory.
 *
 * @throws RequestError `conversation_full`
 */
export function createSizeCheck({
  conversationItems: maxItems = 10_000,
  conversationCharacters: maxCharacters = 33_554_432,
}: ConversationSizeLimits): (responses: readonly FinishedResponse[], added: readonly InputItem[]) => void {
  const known = new WeakMap<FinishedResponse, number>()

  function charactersOf(response: FinishedResponse): number {
    const there = known.get(response)
    if (there !== undefined) return there
    const characters = lengthOf(response.added) + lengthOf(response.response.output)
    known.set(response, characters)
    return characters
  }

  return (responses, added) => {
    let [items, characters] = [added.length, lengthOf(added)]
    for (const response of responses) {
      items += response.added.length + response.response.output.length
      characters += charactersOf(response)
    }
    if (items > maxItems) throw full(items, maxItems, 'items', 'conversationItems')
    if (characters > maxCharacters) throw full(characters, maxCharacters, 'characters', 'conversationCharacters')
  }
}

function lengthOf(items: readonly object[]): number {
  let length = 0
  for (const item of items) length += JSON.stringify(item).length
  return length
}

function full(count: number, most: number, what: string, limit: string): RequestError {
  const message = `The conversation would have ${count} ${what}; at most ${most} are allowed (${limit}).`
  return new RequestError(message, { param: 'conversation', code: 'conversation_full' })
}
