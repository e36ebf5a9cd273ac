export { createDetokenizer, type Detokenizer } from './detokenizer.js'
export { createEncoder } from './encoder.js'
export type * from './token-source.js'
export { createTokenTable, loadTokenTable, type TokenTable } from './token-table.js'
