import type { TokenTable } from './token-table.js'

/**
 * The table of o200k_harmony, the vocabulary of the gpt-oss models: 199,998 ordinary tokens. Loads in some ten
 * milliseconds and a few megabytes, without `fs` or `fetch`, and gives the same table every time.
 */
export async function loadTokenTable(): Promise<TokenTable> {
  const { tokenTable } = await import('./o200k-harmony.js')
  return tokenTable
}
