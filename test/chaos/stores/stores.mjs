import { sqlite } from './sqlite.mjs'

/*
 * The stores that chaos knows, by the names of `--store`. Each gives
 *
 *   unavailable()          why it cannot run here; undefined if it can
 *   place(folder)          where a new one is, as plain data
 *   open(place)            the store, in whichever process asks
 *   lock(place, ms)        holds up every writer for so long
 *   faults(place)          what of it belongs to nothing, and what still has a lease, when nothing is under way: sentences
 */
export const STORES = { sqlite }
