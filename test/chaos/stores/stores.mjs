import { postgres } from './postgres.mjs'
import { redis } from './redis.mjs'
import { sqlite } from './sqlite.mjs'

/*
 * The stores that chaos knows, by the names of `--store`. Each gives
 *
 *   servers                how many processes share it
 *   unavailable()          why it cannot run here; undefined if it can
 *   place(folder)          where a new one is, as plain data
 *   open(place)            the store, in whichever process asks
 *   lock(place, ms)        holds up every writer for so long
 *   harms                  what happens to the store's own server, by name: functions of milliseconds
 *   remove()               ends that server
 *   faults(place)          what of it belongs to nothing, and what still has a lease, when nothing is under way: sentences
 */
export const STORES = { sqlite, postgres, redis }
