// The subject of the measurements: the built library, as its users import it, with its token table.

import { createEncoder } from '../dist/core/tokens/index.js'
import { loadTokenTable } from '../dist/index.js'
import { createInputs } from './inputs.mjs'

export * from '../dist/index.js'

export const tokenTable = await loadTokenTable()
// Looks every token up once: the table is as it is in a server that has run for a while.
export const inputs = createInputs(tokenTable, createEncoder(tokenTable))
