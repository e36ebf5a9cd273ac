import { aiSdkReplayer } from './ai-sdk.js'
import { codexReplayer } from './codex.js'
import { langchainReplayer } from './langchain.js'
import { openaiReplayer } from './openai.js'
import { openaiAgentsReplayer } from './openai-agents.js'
import { pythonReplayer } from './python/replayer.js'
import type { Replayer } from './replay.js'

/** The real clients that the judge is measured with. */
export const replayers: readonly Replayer[] = [
  openaiReplayer,
  pythonReplayer('openai-python', 'responses'),
  aiSdkReplayer,
  openaiAgentsReplayer,
  langchainReplayer(),
  codexReplayer(),
]
