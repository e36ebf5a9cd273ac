import type { ResponseRequest } from '../responses/request.js'
import { plainCopy } from './plain-copy.js'

/** What of a request is kept, as a copy and without secrets. The input is the host's alone. */
export function echoable({ input: _, ...request }: ResponseRequest): ResponseRequest {
  return withoutSecrets(request)
}

/**
 * A request as a copy without secrets: nothing that is echoed, recorded or written into a snapshot may hold a token, a
 * header's value or a container's secrets.
 *
 * @throws HarmonyResponsesError `bad_option` where the request is not plain data
 */
export function withoutSecrets(request: ResponseRequest): ResponseRequest {
  const copy = plainCopy('request', request) as ResponseRequest & { tools?: Record<string, unknown>[] | null }
  for (const tool of copy.tools ?? []) {
    delete tool['authorization']
    if ('headers' in tool) tool['headers'] = null
    const container = tool['container'] as { network_policy?: { domain_secrets?: unknown } } | null | undefined
    if (typeof container === 'object') delete container?.network_policy?.domain_secrets
  }
  return copy
}
