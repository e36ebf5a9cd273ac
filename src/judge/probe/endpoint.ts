import { addressOf } from '../../engines/sources/http/address.js'

/** What a probe creates or counts by POST, and where. */
export const PATHS = {
  responses: '/responses',
  chat: '/chat/completions',
  messages: '/messages',
  count: '/messages/count_tokens',
} as const

/** The responses, Chat Completions and messages of a server, or its counts of the tokens of a message. */
export type Posted = keyof typeof PATHS

/** The URLs of a Responses server. */
export interface Endpoint {
  /** By what is posted there. `shown`: the URL without secrets, for messages. */
  readonly posts: Readonly<Record<Posted, { readonly url: string; readonly shown: string }>>
  readonly models: string
  /** The URL of a stored response, with a query, or of what is done with it. */
  response(id: string, query: string, action?: 'cancel'): string
  /** The `Authorization` header for the URL's user and password. */
  readonly authorization: string | undefined
  readonly secrets: readonly string[]
}

/**
 * Reads the URL of a server: `http://host:8000`, `http://host:8000/v1`, `http://host:8000/v1/responses`,
 * `http://host:8000/v1/chat/completions` or `http://host:8000/v1/messages`. Appends `/v1` to a path without a version at its end.
 *
 * @throws HarmonyResponsesError `bad_option`, with a message that contains no secrets
 */
export function endpointOf(url: string): Endpoint {
  const given = addressOf(url)
  const path = given.path.replace(/\/(responses|chat\/completions|messages)$/, '')
  const isVersioned = /\/v\d+\w*$/.test(path) || path !== given.path
  const base = new URL(url)
  base.pathname = isVersioned ? path : `${path}/v1`
  const { endpoint, shown, authorization, secrets } = addressOf(base.href)
  const at = (path: string): Endpoint['posts'][Posted] => ({ url: endpoint(path), shown: shown(path) })
  return {
    posts: {
      responses: at(PATHS.responses),
      chat: at(PATHS.chat),
      messages: at(PATHS.messages),
      count: at(PATHS.count),
    },
    models: endpoint('/models'),
    response(id, query, action) {
      const path = `/responses/${encodeURIComponent(id)}${action === undefined ? '' : `/${action}`}`
      const address = new URL(endpoint(path))
      if (query !== '') address.search += `${address.search === '' ? '?' : '&'}${query}`
      return address.href
    },
    authorization,
    secrets,
  }
}
