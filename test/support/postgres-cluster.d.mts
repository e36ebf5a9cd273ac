import type { OwnServer } from './server-program.mjs'

/** A server that runs. Its address is that of its superuser's database. */
export interface PostgresCluster extends OwnServer {
  /** The folder of the programs of Postgres. */
  readonly programs: string
}

/** Why no server can be started here; undefined if one can. */
export function postgresObstacle(): string | undefined
/** Starts a server. @param options - `settings`: as in postgresql.conf */
export function startPostgres(options?: {
  readonly settings?: Readonly<Record<string, string>>
}): Promise<PostgresCluster>
