/** A server that runs. */
export interface PostgresCluster {
  readonly port: number
  readonly folder: string
  readonly password: string
  /** The folder of the programs of Postgres. */
  readonly programs: string
  /** The address of its superuser's database, with the password. */
  readonly url: string
  start(): Promise<void>
  /** Ends in order, without waiting for its clients. */
  stop(): Promise<void>
  /** A crash of the server and of all of its processes. */
  kill(): Promise<void>
  pause(): void
  wake(): void
  remove(): Promise<void>
}

/** Why no server can be started here; undefined if one can. */
export function postgresObstacle(): string | undefined
/** Starts a server. @param options - `settings`: as in postgresql.conf */
export function startPostgres(options?: {
  readonly settings?: Readonly<Record<string, string>>
}): Promise<PostgresCluster>

export function freePort(): Promise<number>
