import { clientRules } from '../../clients/client.js'
import { type MessagesInvariant, messagesRules } from '../invariant.js'
import { aiSdk } from './ai-sdk.js'
import { anthropic } from './anthropic.js'
import { anthropicPython } from './anthropic-python.js'
import type { MessagesClient, MessagesClientModel } from './client.js'
import { MESSAGES_LOSSES } from './compare.js'
import { langchain } from './langchain.js'

/** The models of all clients of the Messages API. */
export const MESSAGES_MODELS: Readonly<Record<MessagesClient, MessagesClientModel>> = {
  anthropic,
  'anthropic-python': anthropicPython,
  'ai-sdk': aiSdk,
  langchain,
}

/** The rules of all clients. */
export const MESSAGES_CLIENT_INVARIANTS: readonly MessagesInvariant[] = messagesRules(
  clientRules(MESSAGES_LOSSES, 'messages:', MESSAGES_MODELS),
)
