import { describe, test } from 'vitest'
import { postgresObstacle } from '../../../support/postgres-cluster.mjs'
import { TOO_SHORT } from '../../../support/runs.js'

export { type PostgresCluster, startPostgres } from '../../../support/postgres-cluster.mjs'

/**
 * A `describe` for suites that need Postgres; without it, one skipped test says so.
 *
 * @param options - `isLong`: it starts servers again and again, and runs in CI alone
 */
export function describeWithPostgres(
  name: string,
  fn: () => void,
  { isLong = false }: { readonly isLong?: boolean } = {},
): void {
  const obstacle = postgresObstacle() ?? (isLong ? TOO_SHORT : undefined)
  if (obstacle === undefined) describe(name, fn)
  else describe(name, () => test.skip(obstacle, () => {}))
}
