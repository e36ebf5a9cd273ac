export { type ContentCipher, createContentCipher } from './cipher.js'
export type { Driver } from './driver.js'
export type { LeaseClock } from './lease-clock.js'
export { createSqliteStore, type SqliteStore, type SqliteStoreOptions } from './sqlite-store.js'
