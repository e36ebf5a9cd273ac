import { merges } from './generated/o200k-harmony.js'
import { createMergeTable } from './merge-table.js'
import type { TokenTable } from './token-table.js'

/**
 * The table of o200k_harmony. Only `loadTokenTable` imports this module, dynamically, so that the table costs nothing
 * unless it is used. The module cache makes it a singleton.
 */
export const tokenTable: TokenTable = createMergeTable(merges)
