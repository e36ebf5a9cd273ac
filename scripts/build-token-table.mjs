// Makes src/tokens/generated/o200k-harmony.ts, the token table as a module, from gpt-tokenizer's copy of OpenAI's
// o200k_base. The folder is git-ignored; `npm run table` brings it back, and does nothing where it is up to date.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const SOURCE = 'gpt-tokenizer/data/o200k_base.tiktoken'
const SOURCE_SHA256 = '446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d'
const TOKEN_COUNT = 199_998
const MAX_MODULE_BYTES = 1_400_000

const target = fileURLToPath(new URL('../src/tokens/generated/o200k-harmony.ts', import.meta.url))
// This file fixes the source by its hash, so its own hash says all that the output depends on.
const stamp = `// build-token-table ${sha256(readFileSync(fileURLToPath(import.meta.url)))}\n`

if (!isUpToDate()) {
  const module = tableModule(gzipSync(rawTable(readTokens()), { level: 9 }))
  if (module.length > MAX_MODULE_BYTES) fail(`the table takes ${module.length} bytes, more than ${MAX_MODULE_BYTES}`)
  mkdirSync(dirname(target), { recursive: true })
  // Written aside and renamed, so that a build that runs at the same time never reads half a table.
  writeFileSync(`${target}.${process.pid}`, module)
  renameSync(`${target}.${process.pid}`, target)
  console.log(`token table: ${TOKEN_COUNT} tokens, ${module.length} bytes`)
}

function isUpToDate() {
  try {
    return readFileSync(target, 'latin1').startsWith(stamp)
  } catch {
    return false
  }
}

/** The bytes of all tokens, in rank order. */
function readTokens() {
  const source = readSource()
  if (sha256(source) !== SOURCE_SHA256) fail(`${SOURCE} has sha256 ${sha256(source)}, expected ${SOURCE_SHA256}`)
  const lines = source.toString('latin1').trimEnd().split('\n')
  if (lines.length !== TOKEN_COUNT) fail(`${SOURCE} has ${lines.length} tokens, expected ${TOKEN_COUNT}`)
  return lines.map((line, rank) => {
    const [base64, written] = line.split(' ')
    if (Number(written) !== rank) fail(`${SOURCE} has rank ${written} in the place of ${rank}`)
    return Buffer.from(base64, 'base64')
  })
}

function readSource() {
  try {
    return readFileSync(fileURLToPath(import.meta.resolve(SOURCE)))
  } catch (error) {
    return fail(`cannot read ${SOURCE}: ${error.message}`)
  }
}

/** `[one length byte per token][the bytes of all tokens]`, both in rank order: what `createTokenTable` reads. */
function rawTable(tokens) {
  return Buffer.concat([Uint8Array.from(tokens, (token) => token.length), ...tokens])
}

function tableModule(gzip) {
  return `${stamp}// Made by scripts/build-token-table.mjs from ${SOURCE}; not to be edited.
// The ${TOKEN_COUNT} ordinary tokens of o200k_harmony: [one length byte per token][the bytes of all tokens], both in
// rank order, as base64 of gzip.
export const compressedTable: string = '${gzip.toString('base64')}'
`
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}

function fail(reason) {
  console.error(`token table: ${reason}`)
  process.exit(1)
}
