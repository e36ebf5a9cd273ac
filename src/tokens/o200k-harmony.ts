import { compressedTable } from './generated/o200k-harmony.js'
import { createTokenTable, type TokenTable } from './token-table.js'

/**
 * The table of o200k_harmony. This module is only ever imported dynamically, by `loadTokenTable`: nobody pays for the
 * table who does not ask for it, and the module cache is what makes it one per process. A promise, as top-level await
 * would close the module to bundlers and runtimes that lack it.
 */
export const tokenTable: Promise<TokenTable> = gunzip(fromBase64(compressedTable)).then(createTokenTable)

async function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')).getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) chunks.push(chunk.value)
  // Collected by hand, as `new Response(stream)` would load Node's fetch for it: 20 ms and 2 MB more.
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

function fromBase64(base64: string): Uint8Array<ArrayBuffer> {
  // Built into newer runtimes; TypeScript 5.9 does not know it yet.
  const { fromBase64 }: { fromBase64?: (base64: string) => Uint8Array<ArrayBuffer> } & typeof Uint8Array = Uint8Array
  if (fromBase64) return fromBase64(base64)
  const binary = atob(base64)
  const bytes = new Uint8Array(binary.length)
  // A plain loop, as Uint8Array.from with a mapper takes ten times as long.
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}
