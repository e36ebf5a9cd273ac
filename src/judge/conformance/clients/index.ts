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

/** The model for a client profile; undefined for any other profile. */
export function modelFor(profile: Profile): ClientModel | undefined {
  return profile.startsWith('client:') ? MODELS[profile.slice('client:'.length) as Client] : undefined
}

const models = Object.values(MODELS)

/** The rules of all clients. Their models check them, because the rules depend on the state of the client. */
export const CLIENT_INVARIANTS: readonly Invariant[] = [
  ...LOSSES.map((rule) => ({ ...rule, neededBy: models.map(({ client }) => `client:${client}` as const) })),
  ...models.flatMap(({ client, rules }) => rules.map((rule) => ({ ...rule, neededBy: [`client:${client}` as const] }))),
].map((rule) => ({ ...rule, on: () => false, begin: () => ({}) }))
