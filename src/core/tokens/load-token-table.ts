import type { TokenTable } from './token-table.js'

/**
 * Loads the table of o200k_harmony, the vocabulary of the gpt-oss models: 199,998 ordinary tokens. Takes some ten
 * milliseconds and a few megabytes, needs neither `fs` nor `fetch`, and returns the same table every time.
 *
 * @example
 * ```ts
 * import { loadTokenTable, Translator } from 'harmony-responses'
 *
 * const translator = new Translator({ request, tokenTable: await loadTokenTable() })
 * send(translator.push(ids))
 * ```
 */
export async function loadTokenTable(): Promise<TokenTable> {
  const { tokenTable } = await import('./o200k-harmony.js')
  return tokenTable
}
