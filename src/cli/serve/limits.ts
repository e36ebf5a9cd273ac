import { REQUEST_LIMITS, type RequestLimits } from '../../endpoint/request/limits.js'
import { APP_LIMITS } from '../../endpoint/server/check-app-options.js'
import type { ResponsesAppOptions } from '../../endpoint/server/index.js'
import { didYouMean } from '../../shared/did-you-mean.js'
import { UsageError } from '../io.js'

type AppLimits = NonNullable<ResponsesAppOptions['limits']>

/** The limits of the server and those of a request's body, which an app takes in two places. */
export interface ServeLimits {
  readonly app: AppLimits
  readonly request: RequestLimits
}

const TABLES = { app: APP_LIMITS, request: REQUEST_LIMITS }

export const LIMIT_NAMES: readonly string[] = Object.values(TABLES).flatMap(Object.keys)

/**
 * Parses `NAME=VALUE`. The server validates the values.
 *
 * @throws UsageError
 */
export function limitsOf(given: readonly string[]): ServeLimits {
  const limits: { app: Record<string, number>; request: Record<string, number> } = { app: {}, request: {} }
  for (const text of given) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
    const place = (['app', 'request'] as const).find((each) => Object.hasOwn(TABLES[each], name))
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
