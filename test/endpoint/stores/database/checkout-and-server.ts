import { afterAll, beforeAll } from 'vitest'
import { type Checkout, createCheckout } from '../../../docs/checkout.js'
import type { OwnServer } from '../../../support/server-program.mjs'

/** A built checkout, and a server of a store. */
export interface CheckoutAndServer<Server extends OwnServer> {
  readonly folder: string
  readonly server: Server
}

/** Keys that processes share on one store. */
export const SEAL: NodeJS.ProcessEnv = { HARMONY_RESPONSES_SEAL_KEYS: Buffer.alloc(32, 1).toString('base64') }

/** Builds a checkout and starts a server, both for the tests of a suite. Returns what is there once they begin. */
export function checkoutAndServer<Server extends OwnServer>(
  start: () => Promise<Server>,
): () => CheckoutAndServer<Server> {
  let checkout: Checkout
  let server: Server
  beforeAll(async () => {
    ;[checkout, server] = await Promise.all([createCheckout(), start()])
  })
  afterAll(async () => {
    checkout.remove()
    await server.remove()
  })
  return () => ({ folder: checkout.folder, server })
}
