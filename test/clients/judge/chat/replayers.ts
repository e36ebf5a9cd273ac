import type { ChatClient } from '../../../../src/judge/conformance/chat/clients/client.js'
import { pythonReplayer } from '../python/replayer.js'
import type { Replayer } from '../replay.js'
import { aiSdkReplayer } from './ai-sdk.js'
import { openaiReplayer } from './openai.js'

/** The real clients that the judge of Chat Completions is measured with. */
export const chatReplayers: Readonly<Record<ChatClient, Replayer<string>>> = {
  openai: openaiReplayer,
  'openai-python': pythonReplayer('openai-python', 'chat'),
  'ai-sdk': aiSdkReplayer,
}
