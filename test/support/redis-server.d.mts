/** A server that runs. */
export interface RedisServer {
  readonly port: number
  readonly folder: string
  readonly password: string
  /** Its address, with the password. */
  readonly url: string
  start(): Promise<void>
  /** Ends in order. */
  stop(): Promise<void>
  kill(): Promise<void>
  pause(): void
  wake(): void
  /** Sends commands, one after another. Returns their answers. */
  send(...commands: readonly (readonly string[])[]): Promise<readonly unknown[]>
  remove(): Promise<void>
}

/** A port of this machine on which nothing listens. */
export function freePort(): Promise<number>
/** Why no server can be started here; undefined if one can. */
export function redisObstacle(): string | undefined
/** Starts a server. @param options - `settings`: as in redis.conf */
export function startRedis(options?: { readonly settings?: Readonly<Record<string, string>> }): Promise<RedisServer>
