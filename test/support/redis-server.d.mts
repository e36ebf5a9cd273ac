import type { OwnServer } from './server-program.mjs'

/** A server that runs. */
export interface RedisServer extends OwnServer {
  /** Sends commands, one after another. Returns their answers. */
  send(...commands: readonly (readonly string[])[]): Promise<readonly unknown[]>
}

/** Why no server can be started here; undefined if one can. */
export function redisObstacle(): string | undefined
/** Starts a server. @param options - `settings`: as in redis.conf */
export function startRedis(options?: { readonly settings?: Readonly<Record<string, string>> }): Promise<RedisServer>
