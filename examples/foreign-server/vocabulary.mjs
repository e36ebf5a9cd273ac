// Writes the vocabulary that the official Harmony parser in Python would fetch: node vocabulary.mjs FOLDER
// It reads FOLDER where TIKTOKEN_ENCODINGS_BASE names it.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadTokenTable } from 'harmony-responses/tokens'

/** Where the special tokens begin. */
const ORDINARY = 199_998

const [folder = 'vocabulary'] = process.argv.slice(2)
const table = await loadTokenTable()
const lines = Array.from({ length: ORDINARY }, (_, id) => `${Buffer.from(table.bytes(id)).toString('base64')} ${id}\n`)
mkdirSync(folder, { recursive: true })
writeFileSync(join(folder, 'o200k_base.tiktoken'), lines.join(''))
