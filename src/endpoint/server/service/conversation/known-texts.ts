import type { Reclaimable } from '../../../flow/byte-budget.js'
import { ExpiringBytes } from '../../../flow/expiring-bytes.js'
import { bytesOfText, SHORTEST_TEXT, type TextCache } from '../../../prompt/text-cache.js'
import { createTokenBuffer, type TokenBuffer } from '../../../prompt/token-buffer.js'

export interface KnownTextsOptions {
  readonly clock: () => number
  /** The limit in bytes, of which a response has a quarter at most. Default 16,777,216: some million tokens. */
  readonly max?: number | undefined
  /** How long a response's texts are kept after the last was added. Default 3600. */
  readonly seconds?: number
}

/** The texts of a response's first prompt, with their ids. */
interface Texts {
  /** One list for all texts: an array for each would be an allocation outside of the heap. */
  readonly ids: TokenBuffer
  readonly places: Map<string, readonly [start: number, end: number]>
  bytes: number
}

/**
 * The encoded texts of stored responses that begin a conversation: the next response reads the same messages. That one's
 * rendering is remembered as a whole (`KnownConversations`); most first ones are never continued.
 */
export class KnownTexts {
  readonly #kept: ExpiringBytes<Texts>
  readonly #largest: number

  constructor({ clock, max = 16_777_216, seconds = 3600 }: KnownTextsOptions) {
    this.#kept = new ExpiringBytes({ max, seconds, clock })
    this.#largest = max / 4
  }

  /** For the budget of the process to count. */
  get memory(): Reclaimable {
    return this.#kept
  }

  /** Returns the cache for a response that continues another one, the first of its conversation. */
  after(firstId: string): TextCache {
    const find = (text: string): Uint32Array | undefined => {
      const texts = this.#kept.get(firstId)
      const place = texts?.places.get(text)
      return place && texts?.ids.view().subarray(...place)
    }
    return { find, add() {} }
  }

  /** Returns the cache for a response that begins a conversation. It holds no text itself. */
  of(responseId: string): TextCache {
    return {
      ...this.after(responseId),
      add: (text, makeIds) => {
        const texts = this.#kept.get(responseId) ?? { ids: createTokenBuffer(), places: new Map(), bytes: 0 }
        if (text.length < SHORTEST_TEXT || texts.places.has(text)) return
        const ids = makeIds()
        const bytes = bytesOfText(text, ids)
        if (texts.bytes + bytes > this.#largest) return
        const start = texts.ids.length
        texts.ids.append(ids)
        texts.places.set(text, [start, texts.ids.length])
        texts.bytes += bytes
        this.#kept.keep(responseId, texts, texts.bytes)
      },
    }
  }

  /** Forgets the texts of a response, because it is deleted, or a later prompt is known as a whole. */
  forget(responseId: string): void {
    this.#kept.take(responseId)
  }
}
