/**
 * A store in Postgres, which survives the process and which processes of several machines share. docs/durability.md explains
 * it.
 *
 * @packageDocumentation
 */

export type { StoreAdministration } from '../database/administration.js'
export { type ContentCipher, createContentCipher } from '../database/cipher.js'
export type { DeletedOwner, StoreStatus } from '../database/operation-types.js'
export { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from './postgres-store.js'
