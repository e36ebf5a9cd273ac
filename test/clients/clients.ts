import { aiSdkOpenResponses } from './clients/ai-sdk-open-responses.js'
import { aiSdkOpenai } from './clients/ai-sdk-openai.js'
import { codex } from './clients/codex.js'
import { langchain } from './clients/langchain.js'
import { openaiAgents } from './clients/openai-agents.js'
import { openaiRaw } from './clients/openai-raw.js'
import { openaiStream6, openaiStream7 } from './clients/openai-stream.js'
import type { Client } from './play.js'

export const clients: readonly Client[] = [
  openaiRaw,
  openaiStream7,
  openaiStream6,
  aiSdkOpenai,
  aiSdkOpenResponses,
  openaiAgents,
  langchain,
  codex,
]
