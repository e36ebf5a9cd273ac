import { describe, test } from 'vitest'
import { redisObstacle } from '../../../support/redis-server.mjs'
import { TOO_SHORT } from '../../../support/runs.js'

export { freePort, type RedisServer, startRedis } from '../../../support/redis-server.mjs'

/**
 * A `describe` for suites that need Redis; without it, one skipped test says so.
 *
 * @param options - `isLong`: it starts servers again and again, and runs in CI alone
 */
export function describeWithRedis(
  name: string,
  fn: () => void,
  { isLong = false }: { readonly isLong?: boolean } = {},
): void {
  const obstacle = redisObstacle() ?? (isLong ? TOO_SHORT : undefined)
  if (obstacle === undefined) describe(name, fn)
  else describe(name, () => test.skip(obstacle, () => {}))
}
