import { type Explanation, explainAnswer } from '../explanation.js'
import type { StreamChunk } from '../violation.js'
import { createChatChecker } from './check-chunks.js'
import type { ChatClient } from './clients/client.js'
import { CHAT_MODELS } from './clients/index.js'

/** Explains how a client reads a stream of Chat Completions. `explain` does it for `chat:NAME`. */
export const explainChat = (chunks: Iterable<StreamChunk>, client: ChatClient): Explanation =>
  explainAnswer(chunks, createChatChecker(`chat:${client}`), CHAT_MODELS[client], {
    event: 'chunk',
    cutOff: 'length',
    open: ({ reason = null }) => `and ends with the finish_reason ${JSON.stringify(reason)}, which says nothing to it`,
  })
