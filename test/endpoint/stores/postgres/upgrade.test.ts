import { afterAll, beforeAll, describe, test } from 'vitest'
import { earlierObstacle, upgradeSuite } from '../database/upgrade.js'
import { describeWithPostgres, type PostgresCluster, startPostgres } from './cluster.js'

const obstacle = earlierObstacle()
const title = 'two versions on one Postgres'
if (obstacle === undefined) describeWithPostgres(title, suite)
else describe(title, () => test.skip(obstacle, () => {}))

function suite(): void {
  let cluster: PostgresCluster
  beforeAll(async () => {
    cluster = await startPostgres()
  })
  afterAll(() => cluster.remove())

  upgradeSuite(() => ({
    store: [],
    env: {
      HARMONY_RESPONSES_STORE: cluster.url,
      HARMONY_RESPONSES_SEAL_KEYS: Buffer.alloc(32, 1).toString('base64'),
    },
  }))
}
