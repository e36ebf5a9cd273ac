/**
 * A store in a file, which survives the process and which several processes may share. docs/durability.md explains it.
 *
 * @packageDocumentation
 */

export type { StoreAdministration } from '../database/administration.js'
export { type ContentCipher, createContentCipher } from '../database/cipher.js'
export type { DeletedOwner, StoreStatus } from '../database/operation-types.js'
export type { Driver } from './driver.js'
export type { LeaseClock } from './lease-clock.js'
export { createSqliteStore, type SqliteStore, type SqliteStoreOptions } from './sqlite-store.js'
