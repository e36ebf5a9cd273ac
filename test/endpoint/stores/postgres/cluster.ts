import { postgresObstacle } from '../../../support/postgres-cluster.mjs'
import { TOO_SHORT } from '../../../support/runs.js'
import { describeUnless } from '../../../support/slow-suites.js'

export { type PostgresCluster, startPostgres } from '../../../support/postgres-cluster.mjs'

/** A `describe` for suites that need Postgres, which run in CI, and where runs are as long. */
export function describeWithPostgres(name: string, fn: () => void): void {
  describeUnless(postgresObstacle() ?? TOO_SHORT, name, fn)
}
