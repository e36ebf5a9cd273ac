import { SPECIAL, VOCABULARY_SIZE } from '../../../core/harmony/vocabulary.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { HarmonyResponsesError } from '../../../shared/errors.js'
import type { LlamaModel } from './node-llama-cpp.js'

/** Samples every 199th ordinary token: a thousand, in a millisecond. */
const STRIDE = 199

/**
 * Checks that a model's vocabulary is o200k_harmony: the ids of the special tokens, a sample of the ordinary ones, and
 * the size. Any other model would run too, and generate nonsense.
 *
 * @throws HarmonyResponsesError `bad_option` that names the first difference
 */
export function checkVocabulary(model: LlamaModel, table: TokenTable): void {
  for (const [name, id] of Object.entries(SPECIAL)) {
    const marker = `<|${name}|>`
    const ids = model.tokenize(marker, true)
    if (ids.length !== 1 || ids[0] !== id) fail(`${marker} as token ${id}`, ids.length === 1 ? `${ids[0]}` : 'no token')
  }
  for (let id = 0; id < table.size; id += STRIDE) {
    const text = table.text(id)
    // Only words, because detokenizers differ in blanks at the edges of a text.
    if (text === undefined || !/^[A-Za-z]{3,}$/.test(text)) continue
    const its = model.detokenize([id])
    if (its !== text) fail(`token ${id} to be ${JSON.stringify(text)}`, JSON.stringify(its))
  }
  let size = 0
  for (const _ of model.iterateAllTokens()) size += 1
  // 0 if the file's list of tokens was not read.
  if (size !== 0 && size !== VOCABULARY_SIZE) fail(`${VOCABULARY_SIZE} tokens`, `${size}`)
}

function fail(expected: string, got: string): never {
  const message = `modelPath: expected a gpt-oss model with the o200k_harmony vocabulary: ${expected}, got ${got}`
  throw new HarmonyResponsesError('bad_option', message)
}
