import type { OutputItem } from '../../../../core/responses/items.js'
import { createWork, type Pause, type Slices, type Work, withPauses } from '../../../../shared/slices.js'
import { createNonce, type Seal } from '../../../seal/index.js'
import { beginningOf } from '../../../seal/sealed-text.js'
import { isHostedItem } from './hosted-items.js'

/*
 * Calls that the server ran without showing them to its client: the client keeps them sealed, so that any process that
 * gets the next request can read them.
 */

/**
 * The limit of one call's JSON, and of all calls of one answer, in characters: a client sends them back with each
 * request.
 */
const CALL_CHARACTERS = 262_144
const ANSWER_CHARACTERS = 1_048_576

/**
 * Creates a function that seals the calls of one answer, each once, in the order of their results.
 *
 * @returns undefined for other items, and for calls without room
 */
export function callSealer(seal: Seal, owner: string): (item: OutputItem) => string | undefined {
  const { sealCall } = seal.forResponse({ caller: owner, nonce: createNonce() })
  /** The calls of a shell by their ids, kept until their output. */
  const shells = new Map<string, OutputItem>()
  let room = ANSWER_CHARACTERS
  return (item) => {
    if (!isHostedItem(item)) return undefined
    if (item.type === 'shell_call') {
      shells.set(item.call_id, item)
      return undefined
    }
    const called = item.type === 'shell_call_output' ? shells.get(item.call_id) : undefined
    const text = JSON.stringify(called === undefined ? [item] : [called, item])
    // No later call may take the room of a missing one.
    room = text.length > CALL_CHARACTERS ? 0 : room - text.length
    return room > 0 ? sealCall(text, item.id) : undefined
  }
}

/** Opens the sealed calls that a request brings back. Others are skipped: the reader of the request refuses them. */
export function openCalls(
  sealed: readonly string[],
  options: { readonly seal: Seal; readonly owner: string; readonly pause: Pause; readonly signal?: AbortSignal },
): Promise<ReadonlyMap<string, readonly object[]>> {
  const { seal, owner, pause, signal } = options
  return withPauses(openInSlices(sealed, { seal, owner }, createWork()), pause, signal)
}

/** How many characters are opened in the time that encoding one takes, like in `unsealInput`. */
const OPENED = 4

function* openInSlices(
  sealed: readonly string[],
  { seal, owner }: { readonly seal: Seal; readonly owner: string },
  work: Work,
): Slices<ReadonlyMap<string, readonly object[]>> {
  const opened = new Map<string, readonly object[]>()
  for (const each of sealed) {
    // Base64 has four characters for three bytes, and a character has at most three bytes.
    const isOne = beginningOf(each)?.kind === 'call' && each.length <= 4 * CALL_CHARACTERS + 256
    if (!isOne || seal.isForeign(each) || opened.has(each)) continue
    work.left -= each.length / OPENED
    if (work.left <= 0) yield* work.pause()
    const items = itemsOf(seal, each, owner)
    if (items !== undefined) opened.set(each, items)
  }
  return opened
}

function itemsOf(seal: Seal, sealed: string, owner: string): readonly object[] | undefined {
  try {
    return JSON.parse(seal.unseal(sealed, { caller: owner, kind: 'call' }).text) as readonly object[]
  } catch {
    return undefined
  }
}
