import type { RequestLimits } from '../../endpoint/request/limits.js'
import type { ResponsesAppOptions } from '../../endpoint/server/index.js'
import { didYouMean } from '../../shared/did-you-mean.js'
import { UsageError } from '../io.js'

type AppLimits = NonNullable<ResponsesAppOptions['limits']>

/** The limits of the server and those of a request's body, which an app takes in two places. */
export interface ServeLimits {
  readonly app: AppLimits
  readonly request: RequestLimits
}

/** The place of each limit. The compiler requires a line for each limit of the server. */
const PLACES: Readonly<Record<keyof Required<AppLimits>, 'app'> & Record<keyof Required<RequestLimits>, 'request'>> = {
  concurrency: 'app',
  concurrencyPerOwner: 'app',
  queue: 'app',
  turns: 'app',
  responseSeconds: 'app',
  statusSeconds: 'app',
  firstTokenSeconds: 'app',
  tokenSeconds: 'app',
  healthSeconds: 'app',
  storeSeconds: 'app',
  leaseSeconds: 'app',
  memoryBytes: 'app',
  passedBytes: 'app',
  bodyBytes: 'app',
  bodyRatio: 'app',
  bodySeconds: 'app',
  connections: 'app',
  waitingRequests: 'app',
  waitingMessages: 'app',
  countedTokens: 'app',
  knownTextBytes: 'app',
  rememberedResponses: 'app',
  items: 'request',
  tools: 'request',
  depth: 'request',
  values: 'request',
  names: 'request',
  stringLength: 'request',
}

export const LIMIT_NAMES: readonly string[] = Object.keys(PLACES)

/**
 * Parses `NAME=VALUE`. The server validates the values.
 *
 * @throws UsageError
 */
export function limitsOf(given: readonly string[]): ServeLimits {
  const limits: { app: Record<string, number>; request: Record<string, number> } = { app: {}, request: {} }
  for (const text of given) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
    const place = Object.hasOwn(PLACES, name) ? PLACES[name as keyof typeof PLACES] : undefined
    if (place === undefined) {
      const hint = didYouMean(name, LIMIT_NAMES) || `: one of ${LIMIT_NAMES.join(', ')}`
      throw new UsageError(`--limit: expected NAME=VALUE, got ${JSON.stringify(text)}${hint}`)
    }
    if (!/^\d+(\.\d+)?$/.test(value)) {
      throw new UsageError(`--limit ${name}: expected a number, got ${JSON.stringify(value)}`)
    }
    if (Object.hasOwn(limits[place], name))
      throw new UsageError(`--limit ${name}: expected once, got it more than once`)
    limits[place][name] = Number(value)
  }
  return limits
}
