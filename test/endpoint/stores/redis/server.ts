import { describe, test } from 'vitest'
import { redisObstacle } from '../../../support/redis-server.mjs'
import { TOO_SHORT } from '../../../support/runs.js'

export { type RedisServer, startRedis } from '../../../support/redis-server.mjs'
export { freePort } from '../../../support/server-program.mjs'

/** A `describe` for suites that need Redis, which run in CI, and where runs are as long; else one skipped test says why. */
export function describeWithRedis(name: string, fn: () => void): void {
  const obstacle = redisObstacle() ?? TOO_SHORT
  if (obstacle === undefined) describe(name, fn)
  else describe(name, () => test.skip(obstacle, () => {}))
}
