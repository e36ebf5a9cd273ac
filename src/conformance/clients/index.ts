import type { Invariant, Profile } from '../invariant.js'
import { aiSdk } from './ai-sdk.js'
import type { Client, ClientModel } from './client.js'
import { codex } from './codex.js'
import { LOSSES } from './compare.js'
import { langchain } from './langchain.js'
import { openai } from './openai.js'
import { openaiAgents } from './openai-agents.js'

/** The models of all clients. */
export const MODELS: Readonly<Record<Client, ClientModel>> = {
  openai,
  'ai-sdk': aiSdk,
  'openai-agents': openaiAgents,
  langchain,
  codex,
}

/** The model of the client that a profile is about. */
export function modelFor(profile: Profile): ClientModel | undefined {
  return profile.startsWith('client:') ? MODELS[profile.slice('client:'.length) as Client] : undefined
}

const models = Object.values(MODELS)

/** What is said of clients, as invariants: their models judge it, because it depends on what they read before. */
export const CLIENT_INVARIANTS: readonly Invariant[] = [
  ...LOSSES.map((rule) => ({ ...rule, neededBy: models.map(({ client }) => `client:${client}` as const) })),
  ...models.flatMap(({ client, rules }) => rules.map((rule) => ({ ...rule, neededBy: [`client:${client}` as const] }))),
].map((rule) => ({ ...rule, on: () => false, begin: () => ({}) }))
