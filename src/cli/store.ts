import { existsSync } from 'node:fs'
import type { StoreAdministration } from '../endpoint/stores/database/store-status.js'
import { type Io, UsageError } from './io.js'
import { openedBy, type StoreAddress, storeAddress } from './serve/open-store.js'
import { STORE_VARIABLE, variableSecret } from './serve/secrets.js'

/** What the command does. */
export type StoreAction = 'status' | 'delete-owner'

interface Values {
  readonly store: string | undefined
  readonly owner: string | undefined
}

type OpenStore = StoreAdministration & { close(): Promise<void> }

/** Opens the store, does one thing with it, and prints what came of it. @throws UsageError */
export async function administer(action: StoreAction, { store: given, owner }: Values, io: Io): Promise<number> {
  if (action === 'delete-owner' && owner === undefined)
    throw new UsageError('store delete-owner: expected --owner NAME')
  if (action === 'status' && owner !== undefined) throw new UsageError('--owner: expected only with delete-owner')
  const secret = given === undefined ? variableSecret(STORE_VARIABLE, io.env) : { name: '--store', text: given }
  if (secret === undefined) throw new UsageError(`store ${action}: expected --store STORE, or ${STORE_VARIABLE}`)
  const store = await open(await storeAddress(secret, io))
  try {
    const rows = owner === undefined ? await statusRows(store) : Object.entries(await store.deleteOwner(owner))
    const width = rows.reduce((max, [name]) => Math.max(max, name.length), 0)
    await io.print(rows.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join(''))
    return 0
  } finally {
    await store.close()
  }
}

/** Opens a store that is there: a mistyped name makes no new one. @throws UsageError */
async function open(address: StoreAddress): Promise<OpenStore> {
  const { name, file } = address
  if (file !== undefined) {
    if (!existsSync(file)) throw new UsageError(`${name} ${file}: expected a store, got no such file`)
    const { createSqliteStore } = await import('../endpoint/stores/sqlite/index.js')
    return await openedBy(`${name} ${file}`, () => createSqliteStore({ file }))
  }
  const { url, kind } = address
  return await openedBy(name, () => kind.open({ url }))
}

async function statusRows(store: OpenStore): Promise<[name: string, value: string | number][]> {
  const { responses, running, conversations, owners, bytes, oldest, version } = await store.status()
  return [
    ...Object.entries({ responses, running, conversations, owners, bytes }),
    ['oldest', oldest === undefined ? 'none' : `${new Date(oldest * 1000).toISOString().slice(0, 19)}Z`],
    ['version', version],
  ]
}
