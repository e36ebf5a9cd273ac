import { always, type MessagesInvariant, type MessagesProfile } from '../invariant.js'
import { aiSdk } from './ai-sdk.js'
import { anthropic } from './anthropic.js'
import type { MessagesClient, MessagesClientModel } from './client.js'
import { MESSAGES_LOSSES } from './compare.js'
import { langchain } from './langchain.js'

/** The models of all clients of the Messages API. */
export const MESSAGES_MODELS: Readonly<Record<MessagesClient, MessagesClientModel>> = {
  anthropic,
  'ai-sdk': aiSdk,
  langchain,
}

/** The model for a client's profile; undefined for any other profile. */
export function messagesModelFor(profile: MessagesProfile): MessagesClientModel | undefined {
  // Cast: the text after `messages:` in a profile is the name of a client.
  return profile === 'messages' ? undefined : MESSAGES_MODELS[profile.slice('messages:'.length) as MessagesClient]
}

const models = Object.values(MESSAGES_MODELS)

/** The rules of all clients. Their models check them, because the rules depend on the state of the client. */
export const MESSAGES_CLIENT_INVARIANTS: readonly MessagesInvariant[] = [
  ...MESSAGES_LOSSES.map((rule) => ({
    ...rule,
    neededBy: models.map(({ client }): MessagesProfile => `messages:${client}`),
  })),
  ...models.flatMap(({ client, rules }) =>
    rules.map((rule) => ({ ...rule, neededBy: [`messages:${client}`] as readonly MessagesProfile[] })),
  ),
].map((rule) => ({ ...rule, begin: always({}) }))
