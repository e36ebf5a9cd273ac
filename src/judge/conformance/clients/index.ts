import { type Invariant, responseRules } from '../invariant.js'
import { aiSdk } from './ai-sdk.js'
import { type Client, type ClientModel, clientRules } from './client.js'
import { codex } from './codex.js'
import { LOSSES } from './compare.js'
import { langchain } from './langchain.js'
import { openai } from './openai.js'
import { openaiAgents } from './openai-agents.js'
import { openaiPython } from './openai-python.js'

/** The models of all clients. */
export const MODELS: Readonly<Record<Client, ClientModel>> = {
  openai,
  'openai-python': openaiPython,
  'ai-sdk': aiSdk,
  'openai-agents': openaiAgents,
  langchain,
  codex,
}

/** The rules of all clients. */
export const CLIENT_INVARIANTS: readonly Invariant[] = responseRules(
  clientRules(LOSSES, 'client:', MODELS).map((rule) => ({ ...rule, on: () => false })),
)
