/**
 * The vocabulary of gpt-oss: ids to text and text to ids.
 *
 * @packageDocumentation
 */

export { createDetokenizer, type Detokenizer } from './detokenizer.js'
export { createEncoder, type Encoder } from './encoder.js'
export { loadTokenTable } from './load-token-table.js'
export type * from './token-source.js'
export { createTokenTable, type TokenHashes, type TokenTable } from './token-table.js'
