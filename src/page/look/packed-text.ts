/** The most characters of a link's text: no browser opens links that are much longer. */
export const MAX_LINK = 1_000_000

/** The most bytes that the text of a link may have once it is unpacked. */
export const MAX_UNPACKED: number = 32 * 1024 * 1024

/** How many bytes are unpacked at a time: a thousand times as many may come out of them. */
const SLICE = 1024

/** What stands in an address before the text. A browser sends no server what follows the `#`. */
export const LINK = '#look='

/** A link that is none of this page, or too large. */
export class LinkError extends Error {}

/** Returns a text as that of a link; undefined if it is too large. */
export async function pack(text: string): Promise<string | undefined> {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length > MAX_UNPACKED) return undefined
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  const packed = new Uint8Array(await new Response(stream).arrayBuffer())
  let binary = ''
  for (let from = 0; from < packed.length; from += SLICE) {
    binary += String.fromCharCode(...packed.subarray(from, from + SLICE))
    if (binary.length > MAX_LINK) return undefined
  }
  const base64 = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
  return base64.length > MAX_LINK ? undefined : base64
}

/**
 * Returns the text of a link, whoever made it.
 *
 * @throws LinkError if it is none, or too large
 */
export async function unpack(packed: string): Promise<string> {
  if (packed.length > MAX_LINK) throw new LinkError('This link is too long: it has more than 1,000,000 characters.')
  const bytes = bytesOf(packed)
  let from = 0
  // In slices, or all that comes out would be in memory before it is counted.
  const slices = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (from >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(from, from + SLICE))
      from += SLICE
    },
  })
  const texts: string[] = []
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let length = 0
  try {
    const stream = slices.pipeThrough<Uint8Array>(new DecompressionStream('deflate-raw'))
    for (const reader = stream.getReader(); ; ) {
      const { done, value } = await reader.read()
      if (done) break
      length += value.length
      if (length > MAX_UNPACKED) {
        await reader.cancel()
        break
      }
      texts.push(decoder.decode(value, { stream: true }))
    }
    texts.push(decoder.decode())
  } catch {
    throw damaged()
  }
  if (length > MAX_UNPACKED) throw new LinkError('This link holds more than 32 MiB.')
  return texts.join('')
}

function bytesOf(packed: string): Uint8Array<ArrayBuffer> {
  try {
    const binary = atob(packed.replaceAll('-', '+').replaceAll('_', '/'))
    return Uint8Array.from(binary, (character) => character.charCodeAt(0))
  } catch {
    throw damaged()
  }
}

function damaged(): LinkError {
  return new LinkError('This link is damaged: a part of it may be missing.')
}
