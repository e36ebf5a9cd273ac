/*
 * The content of a thinking block's `signature`, and of the `data` of a `redacted_thinking` block: the seals of
 * reasoning items, each with its place. The place is a number of blocks, so that it does not depend on where a client
 * puts the block that carries it: a seal that records how a call was sampled belongs after the call, but is sent before
 * it.
 */

/** A seal, and the index, among the message's other blocks (text, calls), of the one that follows its item. */
export interface PlacedSeal {
  readonly before: number
  readonly sealed: string
}

/** Writes `0.SEAL~1.SEAL`. Seals contain neither separator. */
export function writeSignature(seals: readonly PlacedSeal[]): string {
  return seals.map(({ before, sealed }) => `${before}.${sealed}`).join('~')
}

/** No seal is shorter, and no message has more blocks: a short text must not become a long list of items. */
const PLACED = /^\d{1,6}\.[\w.-]{40,}$/
const MOST_SEALS = 512

/** Parses the seals of a signature; undefined for another server's. */
export function readSignature(signature: string): readonly PlacedSeal[] | undefined {
  const parts = signature.split('~', MOST_SEALS + 1)
  if (parts.length > MOST_SEALS || !parts.every((part) => PLACED.test(part))) return undefined
  return parts.map((part) => {
    const dot = part.indexOf('.')
    return { before: Number(part.slice(0, dot)), sealed: part.slice(dot + 1) }
  })
}
