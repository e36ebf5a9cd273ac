import { describe, test } from 'vitest'
import { postgresObstacle } from '../../../support/postgres-cluster.mjs'

export { type PostgresCluster, startPostgres } from '../../../support/postgres-cluster.mjs'

/** A `describe` for suites that need Postgres; without it, one skipped test says so. */
export function describeWithPostgres(name: string, fn: () => void): void {
  const obstacle = postgresObstacle()
  if (obstacle === undefined) describe(name, fn)
  else describe(name, () => test.skip(obstacle, () => {}))
}
