import type { HarmonyToken, StreamEnd, TokenChunk } from '../../src/core/tokens/token-source.js'

/** All tokens of a source, its chunks joined. Text stays text. */
export async function readTokens(
  source: AsyncIterable<TokenChunk, unknown>,
): Promise<{ tokens: (HarmonyToken | string)[]; end: StreamEnd | undefined }> {
  const tokens: (HarmonyToken | string)[] = []
  const iterator = source[Symbol.asyncIterator]()
  for (;;) {
    const step = await iterator.next()
    if (step.done) return { tokens, end: step.value as StreamEnd | undefined }
    if (Array.isArray(step.value)) tokens.push(...step.value)
    else tokens.push(step.value as HarmonyToken | string)
  }
}
