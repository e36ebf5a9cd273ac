import { join } from 'node:path'
import { beforeAll } from 'vitest'
import { type Checkout, createCheckout } from '../../../docs/checkout.js'
import { workersSuite } from '../database/workers.js'
import { describeWithSqlite } from './program.js'

describeWithSqlite('serve --workers on SQLite', () => {
  let checkout: Checkout
  beforeAll(async () => {
    checkout = await createCheckout()
    return () => checkout.remove()
  })

  workersSuite(() => ({
    folder: checkout.folder,
    store: ['--store', join(checkout.folder, 'workers.db')],
    env: { NODE_NO_WARNINGS: '1' },
  }))
})
