import { createDatabaseStore, type DatabaseStore, type StoreDatabase } from './database-store.js'
import { createFollowers } from './followers.js'
import type { Lanes } from './lanes.js'
import { createListener, type Listening } from './listener.js'

export interface ServerStoreOptions extends Omit<StoreDatabase, 'followers'> {
  /** The address of the server, without credentials. */
  readonly address: string
  readonly lanes: Lanes
  /** Opens the connection that listens. @param notified - is called with each notification */
  readonly listen: (notified: () => void) => Promise<Listening>
  /** Ends the connections. */
  readonly end: () => Promise<void> | void
}

/** A store in a server that processes share: operations in lanes, and one connection that listens for all followers. */
export function createServerStore({
  address,
  lanes,
  listen,
  end,
  ...options
}: ServerStoreOptions): DatabaseStore & { readonly address: string; close(): Promise<void> } {
  const listener = createListener(listen, () => followers)
  const followers = createFollowers(listener.watch)
  let closing: Promise<void> | undefined
  return {
    ...createDatabaseStore({ ...options, followers }),
    address,
    close() {
      closing ??= close()
      return closing
    },
  }

  async function close(): Promise<void> {
    await lanes.close()
    await listener.close()
    await end()
  }
}
