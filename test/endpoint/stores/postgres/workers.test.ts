import { afterAll, beforeAll } from 'vitest'
import { type Checkout, createCheckout } from '../../../docs/checkout.js'
import { workersSuite } from '../database/workers.js'
import { describeWithPostgres, type PostgresCluster, startPostgres } from './cluster.js'

describeWithPostgres('serve --workers on Postgres', suite)

function suite(): void {
  let checkout: Checkout
  let cluster: PostgresCluster
  beforeAll(async () => {
    const [made, started] = await Promise.all([createCheckout(), startPostgres()])
    checkout = made
    cluster = started
  })
  afterAll(async () => {
    checkout.remove()
    await cluster.remove()
  })

  workersSuite(() => ({
    folder: checkout.folder,
    store: [],
    env: {
      HARMONY_RESPONSES_STORE: cluster.url,
      HARMONY_RESPONSES_SEAL_KEYS: Buffer.alloc(32, 1).toString('base64'),
    },
  }))
}
