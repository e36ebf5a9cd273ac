import { describe, test } from 'vitest'
import { postgresObstacle } from '../../../support/postgres-cluster.mjs'
import { TOO_SHORT } from '../../../support/runs.js'

export { type PostgresCluster, startPostgres } from '../../../support/postgres-cluster.mjs'

/** A `describe` for suites that need Postgres, which run in CI, and where runs are as long; else one skipped test says why. */
export function describeWithPostgres(name: string, fn: () => void): void {
  const obstacle = postgresObstacle() ?? TOO_SHORT
  if (obstacle === undefined) describe(name, fn)
  else describe(name, () => test.skip(obstacle, () => {}))
}
