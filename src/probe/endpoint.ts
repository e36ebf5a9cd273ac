import { addressOf } from '../sources/http/address.js'

/** Where a Responses server takes what. */
export interface Endpoint {
  /** Where responses are made. */
  readonly responses: string
  readonly models: string
  /** Where a response lies, with a query. */
  response(id: string, query: string): string
  /** `responses`, without what no message may repeat. */
  readonly shown: string
  /** The `Authorization` that the URL's user and password stand for. */
  readonly authorization: string | undefined
  readonly secrets: readonly string[]
}

/**
 * Takes a server's URL in any of its forms: `http://host:8000`, `http://host:8000/v1`, `http://host:8000/v1/responses`.
 * A path that ends in no version gets `/v1`.
 *
 * @throws HarmonyResponsesError `bad_option`, which repeats nothing that may be a secret
 */
export function endpointOf(url: string): Endpoint {
  const given = addressOf(url)
  const path = given.path.replace(/\/responses$/, '')
  const isVersioned = /\/v\d+\w*$/.test(path) || path !== given.path
  const base = new URL(url)
  base.pathname = isVersioned ? path : `${path}/v1`
  const { endpoint, shown, authorization, secrets } = addressOf(base.href)
  return {
    responses: endpoint('/responses'),
    models: endpoint('/models'),
    response(id, query) {
      const address = new URL(endpoint(`/responses/${encodeURIComponent(id)}`))
      address.search += `${address.search === '' ? '?' : '&'}${query}`
      return address.href
    },
    shown: shown('/responses'),
    authorization,
    secrets,
  }
}
