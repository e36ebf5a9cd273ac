// Makes src/core/tokens/generated/o200k-harmony.ts, the token table as a module, from gpt-tokenizer's copy of OpenAI's
// o200k_base. The folder is git-ignored; `npm run table` creates it, and does nothing if it is up to date.

import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const SOURCE = 'gpt-tokenizer/data/o200k_base.tiktoken'
const SOURCE_SHA256 = '446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d'
const TOKEN_COUNT = 199_998
const MAX_MODULE_BYTES = 1_400_000
/** A token's length is one byte in the pool of `createMergeTable`. */
const MAX_TOKEN_BYTES = 255
/** Below this, lower ids hardly compress better: found by experiment. */
const COMMON = 2000

const target = fileURLToPath(new URL('../src/core/tokens/generated/o200k-harmony.ts', import.meta.url))
// This file pins the source by its hash, so its own hash covers everything that the output depends on.
const stamp = `// build-token-table ${sha256(readFileSync(fileURLToPath(import.meta.url)))}\n`

if (!isUpToDate()) {
  const module = tableModule(mergesOf(readTokens()))
  if (module.length > MAX_MODULE_BYTES) fail(`the table takes ${module.length} bytes, more than ${MAX_MODULE_BYTES}`)
  mkdirSync(dirname(target), { recursive: true })
  // Written to another file and renamed, so that a concurrent build never reads half a table.
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

/** Each token as the two shorter tokens that make it up: what `createMergeTable` reads, in its format. */
function mergesOf(tokens) {
  const ids = new Map(tokens.map((token, id) => [token.toString('latin1'), id]))
  const merges = tokens.map((token, id) => numbersOf(token, id, ids).map(digits).join(''))
  return [0, 1, 2, 3, 4, 5].map((place) => merges.map((digits) => digits[place]).join('')).join('')
}

/**
 * The ids of a token's two parts: of all cuts into tokens the one with the lowest ids, since digits that come often pack
 * best. There are eleven steps down to the bytes at most; where the longest token is cut off in front, eighteen.
 */
function numbersOf(token, id, ids) {
  if (token.length > MAX_TOKEN_BYTES) fail(`token ${id} has ${token.length} bytes, more than ${MAX_TOKEN_BYTES}`)
  if (token.length === 1) return [id, token[0]]
  const text = token.toString('latin1')
  let best
  const rareness = ([first, second]) => (first + COMMON) * (second + COMMON)
  for (let cut = 1; cut < text.length; cut++) {
    const parts = [ids.get(text.slice(0, cut)), ids.get(text.slice(cut))]
    if (parts.includes(undefined) || Math.max(...parts) >= id) continue
    if (best === undefined || rareness(parts) < rareness(best)) best = parts
  }
  if (best === undefined) fail(`token ${id} is not made of two tokens before it`)
  return best
}

/** Three digits of base 64, the highest first: the characters from `(` to `h` without the backslash. */
function digits(number) {
  const values = [number >> 12, (number >> 6) & 63, number & 63]
  return String.fromCharCode(...values.map((value) => (value < 52 ? value + 40 : value + 41)))
}

function tableModule(merges) {
  return `${stamp}// Made by scripts/build-token-table.mjs from ${SOURCE}; not to be edited.
// The ${TOKEN_COUNT} ordinary tokens of o200k_harmony, in rank order, as src/core/tokens/merge-table.ts reads them.
export const merges: string = '${merges}'
`
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}

function fail(reason) {
  console.error(`token table: ${reason}`)
  process.exit(1)
}
