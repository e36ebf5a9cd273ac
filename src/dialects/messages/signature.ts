import { isFields } from '../../shared/fields.js'

/*
 * The content of a thinking block's `signature`, and of the `data` of a `redacted_thinking` block: the seals of
 * reasoning items, and of calls that the client is not shown, each with its place. The place is a number of blocks, so
 * that it does not depend on where a client puts the block that carries it: a seal that records how a call was sampled
 * belongs after the call, but is sent before it. Seals of one place stand in the order of their items: the result of a
 * call may come after reasoning behind the call.
 */

/** A seal, and where its item stands. */
export interface PlacedSeal {
  /** The number of the message's other blocks (text, calls) before it. */
  readonly before: number
  /** The item's position in the output of its response. */
  readonly at: number
  readonly sealed: string
}

/** `0-0.SEAL~1-2.SEAL`. Seals have neither `~` nor a blank. */
export function writeSignature(seals: readonly PlacedSeal[]): string {
  return seals.map(({ before, at, sealed }) => `${before}-${at}.${sealed}`).join('~')
}

/** The seals of a turn in the order of their items. */
export function inItemOrder<Placed>(seals: readonly Placed[], seal: (placed: Placed) => PlacedSeal): Placed[] {
  return [...seals].sort((a, b) => seal(a).before - seal(b).before || seal(a).at - seal(b).at)
}

/** No seal is shorter, and no message has more: a short text must not become a long list of items. */
const PLACED = /^(\d{1,6})-(\d{1,6})\.([\w.-]{40,})$/
const MAX_SEALS = 512

/**
 * Returns the seals in the messages of a body, without those of other servers. A value that is not a message has none.
 */
export function sealsIn(body: unknown): readonly string[] {
  const messages = listOf(body, 'messages')
  const blocks = messages.flatMap((message) => listOf(message, 'content')).filter(isFields)
  return blocks.flatMap(({ type, signature, data }) => {
    const carrier = type === 'thinking' ? signature : type === 'redacted_thinking' ? data : undefined
    return typeof carrier === 'string' ? (readSignature(carrier) ?? []).map(({ sealed }) => sealed) : []
  })
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = isFields(value) ? value[name] : undefined
  return Array.isArray(list) ? list : []
}

/** The seals of a signature; undefined for one of another server. */
export function readSignature(signature: string): readonly PlacedSeal[] | undefined {
  const parts = signature.split('~', MAX_SEALS + 1)
  if (parts.length > MAX_SEALS) return undefined
  const seals: PlacedSeal[] = []
  for (const part of parts) {
    const [, before, at, sealed] = PLACED.exec(part) ?? []
    if (sealed === undefined) return undefined
    seals.push({ before: Number(before), at: Number(at), sealed })
  }
  return seals
}
