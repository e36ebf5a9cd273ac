/**
 * A store in Redis or Valkey, which survives the process and which processes of several machines share. docs/durability.md
 * explains it.
 *
 * @packageDocumentation
 */

export { type ContentCipher, createContentCipher } from '../database/cipher.js'
export type { DeletedOwner, StoreAdministration, StoreStatus } from '../database/store-status.js'
export { createRedisStore, type RedisStore, type RedisStoreOptions } from './redis-store.js'
