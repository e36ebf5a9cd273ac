import { setTimeout as wait } from 'node:timers/promises'
import { createRedisStore } from '../../../dist/endpoint/stores/redis/index.js'
import { redisFaults, redisRunning } from '../../support/redis-faults.mjs'
import { redisObstacle, startRedis } from '../../support/redis-server.mjs'
import { harmsOf } from './harms.mjs'

let server

export const redis = {
  servers: 3,
  unavailable: redisObstacle,
  async place() {
    server = await startRedis({ settings: { appendonly: 'yes', appendfsync: 'always' } })
    return { url: server.url }
  },
  open: ({ url }) => createRedisStore({ url, durability: 'power' }),
  async lock(_place, ms) {
    await server.send(['CLIENT', 'PAUSE', String(ms), 'WRITE'])
    await wait(ms)
  },
  harms: {
    ...harmsOf(() => server),
    disconnect: () =>
      server.send(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'], ['CLIENT', 'KILL', 'TYPE', 'pubsub']),
  },
  async faults({ url }) {
    return [...(await redisFaults(url)), ...(await redisRunning(url))]
  },
  remove: () => server?.remove(),
}
