import { always, type ChatInvariant, type ChatProfile } from '../invariant.js'
import { aiSdk } from './ai-sdk.js'
import type { ChatClient, ChatClientModel } from './client.js'
import { CHAT_LOSSES } from './compare.js'
import { openai } from './openai.js'

/** The models of all clients of Chat Completions. */
export const CHAT_MODELS: Readonly<Record<ChatClient, ChatClientModel>> = { openai, 'ai-sdk': aiSdk }

/** The model for a client's profile; undefined for any other profile. */
export function chatModelFor(profile: ChatProfile): ChatClientModel | undefined {
  return profile.startsWith('chat:') ? CHAT_MODELS[profile.slice('chat:'.length) as ChatClient] : undefined
}

const models = Object.values(CHAT_MODELS)

/** The rules of all clients. Their models check them, because the rules depend on the state of the client. */
export const CHAT_CLIENT_INVARIANTS: readonly ChatInvariant[] = [
  ...CHAT_LOSSES.map((rule) => ({ ...rule, neededBy: models.map(({ client }): ChatProfile => `chat:${client}`) })),
  ...models.flatMap(({ client, rules }) =>
    rules.map((rule) => ({ ...rule, neededBy: [`chat:${client}`] as readonly ChatProfile[] })),
  ),
].map((rule) => ({ ...rule, begin: always({}) }))
