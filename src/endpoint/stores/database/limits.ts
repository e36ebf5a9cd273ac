import type { OptionTable } from '../../../shared/options/check-options.js'
import { having, oneOf, wholeNumber } from '../../../shared/options/checks.js'
import type { Durability } from '../store.js'
import type { ContentCipher } from './cipher.js'

/** The limits of a store in a database. */
export interface DatabaseLimits {
  /** How long a conversation is kept after its last use, in seconds. Default 2,592,000: 30 days. */
  readonly seconds?: number
  /**
   * The limit of one owner's conversations, in bytes, above which the least recently used are evicted. Default
   * 1,073,741,824: 1 GiB.
   */
  readonly ownerBytes?: number
  /**
   * The limit of the conversations that are kept in memory, too, so that the next request of one does not read it again, in
   * bytes. Default 134,217,728: 128 MiB.
   */
  readonly cacheBytes?: number
}

export const SECONDS = 2_592_000
export const OWNER_BYTES = 1_073_741_824
export const CACHE_BYTES = 134_217_728

/** The options that all stores in databases have. */
interface DatabaseOptions extends DatabaseLimits {
  readonly durability?: Exclude<Durability, 'memory'>
  readonly cipher?: ContentCipher
}

export const DATABASE_OPTIONS: OptionTable<DatabaseOptions> = {
  durability: oneOf('process', 'power'),
  seconds: wholeNumber(1),
  ownerBytes: wholeNumber(1),
  cacheBytes: wholeNumber(),
  cipher: having(['encrypt', 'decrypt'], 'a cipher'),
}
