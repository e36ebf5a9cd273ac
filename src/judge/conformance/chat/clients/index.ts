import { clientRules } from '../../clients/client.js'
import { type ChatInvariant, chatRules } from '../invariant.js'
import { aiSdk } from './ai-sdk.js'
import type { ChatClient, ChatClientModel } from './client.js'
import { CHAT_LOSSES } from './compare.js'
import { openai } from './openai.js'
import { openaiPython } from './openai-python.js'

/** The models of all clients of Chat Completions. */
export const CHAT_MODELS: Readonly<Record<ChatClient, ChatClientModel>> = {
  openai,
  'openai-python': openaiPython,
  'ai-sdk': aiSdk,
}

/** The rules of all clients. */
export const CHAT_CLIENT_INVARIANTS: readonly ChatInvariant[] = chatRules(
  clientRules(CHAT_LOSSES, 'chat:', CHAT_MODELS),
)
