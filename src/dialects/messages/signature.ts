/*
 * What a thinking block's `signature`, and the `data` of a `redacted_thinking` block, hold: the seals of reasoning items, each
 * with its place. The place is a number of blocks, so that it is the same wherever a client puts the block that carries it: a
 * seal that tells how a call was sampled stands behind the call, and is sent in front of it.
 */

/** A seal, and in front of which of the message's other blocks (text, calls) its item stands, from 0. */
export interface PlacedSeal {
  readonly before: number
  readonly sealed: string
}

/** `0.SEAL~1.SEAL`. Seals have neither character. */
export function writeSignature(seals: readonly PlacedSeal[]): string {
  return seals.map(({ before, sealed }) => `${before}.${sealed}`).join('~')
}

/** No seal is shorter, and no message has more: a short text must not become a long list of items. */
const PLACED = /^\d{1,6}\.[\w.-]{40,}$/
const MOST_SEALS = 512

/** The seals of a signature; undefined for one of another server. */
export function readSignature(signature: string): readonly PlacedSeal[] | undefined {
  const parts = signature.split('~', MOST_SEALS + 1)
  if (parts.length > MOST_SEALS || !parts.every((part) => PLACED.test(part))) return undefined
  return parts.map((part) => {
    const dot = part.indexOf('.')
    return { before: Number(part.slice(0, dot)), sealed: part.slice(dot + 1) }
  })
}
