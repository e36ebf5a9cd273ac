/**
 * A store in Postgres, which survives the process and which processes of several machines share. docs/durability.md explains
 * it.
 *
 * @packageDocumentation
 */

export type { DeletedOwner, StoreAdministration, StoreStatus } from '../database/administration.js'
export { type ContentCipher, createContentCipher } from '../database/cipher.js'
export { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from './postgres-store.js'
