import { postgresObstacle, startPostgres } from '../support/postgres-cluster.mjs'
import { redisObstacle, startRedis } from '../support/redis-server.mjs'
import type { OwnServer } from '../support/server-program.mjs'

/** A server that keeps the responses of several processes. */
export interface StoreServer {
  readonly name: string
  /** Why it cannot start on this machine. Undefined if it can. */
  readonly obstacle: string | undefined
  launch(): Promise<OwnServer>
}

export const POSTGRES: StoreServer = {
  ...{ name: 'Postgres', obstacle: postgresObstacle() },
  launch: startPostgres,
}
export const REDIS: StoreServer = {
  ...{ name: 'Redis', obstacle: redisObstacle() },
  // Otherwise it is refused for durability power.
  launch: () => startRedis({ settings: { appendonly: 'yes', appendfsync: 'always' } }),
}
