import { type Explanation, explainAnswer } from '../explanation.js'
import type { StreamChunk } from '../violation.js'
import { createMessagesChecker } from './check-events.js'
import type { MessagesClient } from './clients/client.js'
import { MESSAGES_MODELS } from './clients/index.js'

/** Explains how a client reads a stream of the Messages API. `explain` does it for `messages:NAME`. */
export const explainMessages = (events: Iterable<StreamChunk>, client: MessagesClient): Explanation =>
  explainAnswer(events, createMessagesChecker(`messages:${client}`), MESSAGES_MODELS[client], {
    event: 'event',
    cutOff: 'max_tokens',
    open: ({ reason, ending }) =>
      reason === undefined || ending !== undefined
        ? 'and never learns that the answer has ended'
        : `and ends with the stop_reason ${JSON.stringify(reason)}, which says nothing to it`,
  })
