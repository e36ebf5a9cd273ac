import type { DatabaseStore } from '../../endpoint/stores/database/database-store.js'
import { type Io, messageOf, UsageError } from '../io.js'
import { readSecret, type Secret } from './secrets.js'
import type { ServeSettings } from './settings.js'
import { keyFileOf, keysBeside } from './store-keys.js'

/** A store that is opened from its file or its address. */
export interface OpenedStore {
  readonly store: DatabaseStore
  /** How it is named where anyone may read it: without credentials. */
  readonly shown: string
  /** The keys beside it; undefined if they are elsewhere. */
  readonly seal: Secret | undefined
  /** The file of those. */
  readonly keyFile: string | undefined
  close(): Promise<void>
}

/** The command that generates a key, for the message when keys are missing. */
const GENERATES = 'openssl rand -base64 32'

/** Where a store is: in a file, or behind a URL of the kind. */
export type StoreAddress = {
  /** The option or the variable that says so. */
  readonly name: string
} & (
  | { readonly file: string; readonly url?: undefined }
  | { readonly file?: undefined; readonly url: string; readonly kind: SharedKind }
)

/** The options that all databases have. */
interface CommonOptions {
  readonly url: string
  readonly durability?: 'process' | 'power'
  readonly seconds?: number
  readonly ownerBytes?: number
}

/** A kind of store that machines share. */
interface SharedKind {
  /** The schemes of its URLs. */
  readonly schemes: RegExp
  /** As a URL of it is written. */
  readonly form: string
  open(options: CommonOptions): Promise<DatabaseStore & { readonly address: string; close(): Promise<void> }>
}

const SHARED_KINDS: readonly SharedKind[] = [
  {
    schemes: /^postgres(ql)?$/i,
    form: 'postgres://USER:PASSWORD@HOST/DATABASE',
    open: async (options) => (await import('../../endpoint/stores/postgres/index.js')).createPostgresStore(options),
  },
  {
    schemes: /^rediss?$/i,
    form: 'redis://USER:PASSWORD@HOST',
    open: async (options) => (await import('../../endpoint/stores/redis/index.js')).createRedisStore(options),
  },
]

const EXPECTED = `expected a file, ${SHARED_KINDS.map(({ form }) => form).join(' or ')}`

/** Reads where the store of `--store` is, or that of its variable. @throws UsageError */
export async function storeAddress(secret: Secret, io: Io): Promise<StoreAddress> {
  const given = await readSecret(secret, io)
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(given) ?? []
  const { name } = secret
  // Quotes around a URL, which some files of variables keep, would make it the name of a file, and a password a part of it.
  if (scheme === undefined && given.includes('://')) {
    throw new UsageError(`${name}: ${EXPECTED}, without quotes or blanks around it`)
  }
  if (scheme === undefined && given === '-') throw new UsageError(`${name}: expected a file, got "-"`)
  if (scheme === undefined) return { name, file: given }
  const kind = SHARED_KINDS.find(({ schemes }) => schemes.test(scheme))
  if (kind === undefined) throw new UsageError(`${name}: ${EXPECTED}, got ${scheme}://`)
  return { name, url: given, kind }
}

/** Opens the store of `--store`, or of its variable. @throws UsageError */
export async function openStore(secret: Secret, settings: ServeSettings, io: Io): Promise<OpenedStore> {
  const address = await storeAddress(secret, io)
  if (address.file !== undefined) return await openFile(address.name, address.file, settings, io)
  return await openShared(address, settings, io)
}

/** Returns the options that all databases have. */
function optionsOf({ durability, keep, keepBytes }: ServeSettings) {
  return {
    durability,
    ...(keep !== undefined && { seconds: keep * SECONDS_A_DAY }),
    ...(keepBytes !== undefined && { ownerBytes: keepBytes }),
  }
}

const SECONDS_A_DAY = 86_400

async function openFile(name: string, file: string, settings: ServeSettings, io: Io): Promise<OpenedStore> {
  const { createSqliteStore } = await import('../../endpoint/stores/sqlite/index.js')
  const store = await openedBy(`${name} ${file}`, () => createSqliteStore({ file, ...optionsOf(settings) }))
  try {
    // After the store: a file that cannot be one gets no keys beside it.
    const seal = settings.keys.seal === undefined ? await keysBeside(name, file, io) : undefined
    return { store, shown: file, seal, keyFile: seal && keyFileOf(file), close: () => store.close() }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function openShared(
  { name, url, kind }: Extract<StoreAddress, { readonly url: string }>,
  settings: ServeSettings,
  io: Io,
): Promise<OpenedStore> {
  if (settings.keys.seal === undefined) {
    const ways = '--seal-keys FILE or HARMONY_RESPONSES_SEAL_KEYS'
    throw new UsageError(`${name}: machines that share a store need the same keys: ${ways}, from ${GENERATES}`)
  }
  const store = await openedBy(name, () => kind.open({ url, ...optionsOf(settings) }))
  if (name === '--store' && /:\/\/[^@/]*:[^@/]+@/.test(url)) {
    io.complain(`--store: other users of this machine see its password (ps): HARMONY_RESPONSES_STORE hides it\n`)
  }
  return {
    store,
    shown: `${url.slice(0, url.indexOf(':'))}://${store.address}`,
    seal: undefined,
    keyFile: undefined,
    close: () => store.close(),
  }
}

/** Says what is wrong in one line, which begins with the option. */
export async function openedBy<Store>(begin: string, open: () => Promise<Store>): Promise<Store> {
  try {
    return await open()
  } catch (error) {
    throw new UsageError(`${begin}: ${messageOf(error).replace(/^create\w+Store: (url: )?/, '')}`, { cause: error })
  }
}
