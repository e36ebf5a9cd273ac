import type { InputItem } from '../../../core/responses/input-items.js'
import type { Slices, Work } from '../../../shared/slices.js'
import type { ConversationFacts, EntryBlock, FinishedResponse, StoredBlock } from '../store.js'
import type { ContentCipher } from './cipher.js'
import type { Became } from './operation-types.js'
import { type Part, packed, partsOf } from './packed-parts.js'

/** Converts content to its stored form and back. */
export interface StoredContent {
  encryptBlock(block: EntryBlock, responseId: string, owner: string, at: number): EntryBlock
  decryptBlock(block: StoredBlock, responseId: string, owner: string): StoredBlock
  /** Stores the items separately, so that each is found by its id and none is stored twice. */
  becameOf(finished: FinishedResponse, responseId: string, owner: string, work: Work): Slices<Became>
  finishedOf(became: Became, responseId: string, owner: string, work: Work): Slices<FinishedResponse>
  encryptFacts(facts: ConversationFacts, conversationId: string, owner: string): Uint8Array
  decryptFacts(bytes: Uint8Array, conversationId: string, owner: string): ConversationFacts
  /** Opens an item for any of its holders: a response's own item takes the place of a client's copy. */
  itemOf(bytes: Uint8Array, owner: string): InputItem
}

/** The cost of an item, and how many of its bytes are written or read in the time that encoding a character takes. */
const ITEM = 4
const WRITTEN = 16

/** Encrypts content for its place in the store, if there is a cipher. */
export function contentOf(cipher: ContentCipher | undefined): StoredContent {
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()
  const encrypt = (bytes: Uint8Array, ...place: readonly (string | number)[]): Uint8Array =>
    cipher === undefined ? bytes : cipher.encrypt(bytes, JSON.stringify(place))
  const decrypt = (bytes: Uint8Array, ...place: readonly (string | number)[]): Uint8Array =>
    cipher === undefined ? bytes : cipher.decrypt(bytes, JSON.stringify(place))
  const idOf = (item: InputItem): string | null => {
    const { id } = item as { readonly id?: unknown }
    return typeof id === 'string' ? id : null
  }
  return {
    encryptBlock({ count, bytes }: EntryBlock, responseId: string, owner: string, at: number): EntryBlock {
      return { count, bytes: encrypt(bytes, 'entries', owner, responseId, at) }
    },
    decryptBlock({ at, count, bytes }: StoredBlock, responseId: string, owner: string): StoredBlock {
      return { at, count, bytes: decrypt(bytes, 'entries', owner, responseId, at) }
    },
    *becameOf({ response, added, history }, responseId, owner, work) {
      const head = { response: { ...response, output: [] }, history }
      const parts: Part[] = []
      for (const [list, isOutput] of [
        [added, false] as const,
        [response.output as readonly InputItem[], true] as const,
      ]) {
        for (const item of list) {
          const bytes = encrypt(encoder.encode(JSON.stringify(item)), 'item', owner)
          parts.push({ itemId: idOf(item), isOutput, bytes })
          work.left -= ITEM + bytes.length / WRITTEN
          if (work.left <= 0) yield* work.pause()
        }
      }
      return {
        head: encrypt(encoder.encode(JSON.stringify(head)), 'response', owner, responseId),
        parts: packed(parts),
      }
    },
    *finishedOf({ head, parts }, responseId, owner, work) {
      const { response, history } = JSON.parse(decoder.decode(decrypt(head, 'response', owner, responseId)))
      const added: InputItem[] = []
      const output: InputItem[] = []
      for (const { isOutput, bytes } of partsOf(parts)) {
        ;(isOutput ? output : added).push(this.itemOf(bytes, owner))
        work.left -= ITEM + bytes.length / WRITTEN
        if (work.left <= 0) yield* work.pause()
      }
      return { response: { ...response, output }, added, history }
    },
    encryptFacts(facts, conversationId, owner) {
      return encrypt(encoder.encode(JSON.stringify(facts)), 'conversation', owner, conversationId)
    },
    decryptFacts(bytes, conversationId, owner) {
      return JSON.parse(decoder.decode(decrypt(bytes, 'conversation', owner, conversationId)))
    },
    itemOf(bytes: Uint8Array, owner: string): InputItem {
      return JSON.parse(decoder.decode(decrypt(bytes, 'item', owner)))
    },
  }
}
