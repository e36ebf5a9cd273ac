import type { MessagesClient } from '../../../../src/judge/conformance/messages/clients/client.js'
import { pythonReplayer } from '../python/replayer.js'
import type { Replayer } from '../replay.js'
import { aiSdkReplayer } from './ai-sdk.js'
import { anthropicReplayer } from './anthropic.js'
import { langchainReplayer } from './langchain.js'

/** The real clients that the judge of the Messages API is measured with. */
export const messagesReplayers: Readonly<Record<MessagesClient, Replayer<MessagesClient>>> = {
  anthropic: anthropicReplayer,
  'anthropic-python': pythonReplayer('anthropic-python', 'messages'),
  'ai-sdk': aiSdkReplayer,
  langchain: langchainReplayer,
}
