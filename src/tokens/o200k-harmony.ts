import { merges } from './generated/o200k-harmony.js'
import { createMergeTable } from './merge-table.js'
import type { TokenTable } from './token-table.js'

/**
 * The table of o200k_harmony. This module is only ever imported dynamically, by `loadTokenTable`: nobody pays for the
 * table who does not ask for it, and the module cache is what makes it one per process.
 */
export const tokenTable: TokenTable = createMergeTable(merges)
