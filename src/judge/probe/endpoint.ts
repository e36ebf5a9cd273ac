import { addressOf } from '../../engines/sources/http/address.js'

/** The URLs of a Responses server. */
export interface Endpoint {
  /** The URL to create responses. */
  readonly responses: string
  /** The URL of Chat Completions. */
  readonly chat: string
  /** The URL of the Messages API. */
  readonly messages: string
  /** The URL to count the tokens of a request of the Messages API. */
  readonly count: string
  readonly models: string
  /** The URL of a stored response, with a query. */
  response(id: string, query: string): string
  /** `responses` without secrets, for messages. */
  readonly shown: string
  /** `chat`, likewise. */
  readonly shownChat: string
  /** `messages`, likewise. */
  readonly shownMessages: string
  /** `count`, likewise. */
  readonly shownCount: string
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
  return {
    responses: endpoint('/responses'),
    chat: endpoint('/chat/completions'),
    messages: endpoint('/messages'),
    count: endpoint('/messages/count_tokens'),
    models: endpoint('/models'),
    response(id, query) {
      const address = new URL(endpoint(`/responses/${encodeURIComponent(id)}`))
      address.search += `${address.search === '' ? '?' : '&'}${query}`
      return address.href
    },
    shown: shown('/responses'),
    shownChat: shown('/chat/completions'),
    shownMessages: shown('/messages'),
    shownCount: shown('/messages/count_tokens'),
    authorization,
    secrets,
  }
}
