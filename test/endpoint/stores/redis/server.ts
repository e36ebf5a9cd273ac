import { redisObstacle } from '../../../support/redis-server.mjs'
import { TOO_SHORT } from '../../../support/runs.js'
import { describeUnless } from '../../../support/slow-suites.js'

export { type RedisServer, startRedis } from '../../../support/redis-server.mjs'
export { freePort } from '../../../support/server-program.mjs'

/** A `describe` for suites that need Redis, which run in CI, and where runs are as long. */
export function describeWithRedis(name: string, fn: () => void): void {
  describeUnless(redisObstacle() ?? TOO_SHORT, name, fn)
}
