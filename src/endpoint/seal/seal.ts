import type { RequestedCall } from '../../core/options/options.js'
import { check } from '../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { anything, aString, aText, oneOf, that } from '../../shared/options/checks.js'
import { decrypt, digest, encrypt, NONCE_BYTES } from './aead.js'
import { encodeBase64url } from './base64url.js'
import { aCaller } from './caller.js'
import { readContent, type Unsealed, writeContent } from './content.js'
import { invalidEncryptedContent } from './invalid-encrypted-content.js'
import { type Key, readKeys, type SealKey } from './keys.js'
import { beginningOf, FORMAT, readSealedText, type SealedKind, writeSealedText } from './sealed-text.js'

/** The response that a seal is for. */
export interface SealedResponse {
  /**
   * The owner of the response: a user, a tenant, the holder of an API key. Requests of other callers cannot open its
   * seals.
   */
  readonly caller: string
  /** A random string of at least 16 characters, unique to the response: {@link createNonce}. */
  readonly nonce: string
  /** The key to seal with, to replay a response that was sealed with an older one. Default: the first. */
  readonly keyId?: string
}

/**
 * Seals the content that one response hands to its client. Every method is synchronous, needs no `this`, and is a pure
 * function of its arguments, the response's caller and nonce, and the key: a response that is replayed, or resumed from
 * a snapshot, is sealed to the same bytes.
 */
export interface ResponseSeal {
  /**
   * Returns, for the translator's `sealReasoning`, the `encrypted_content` of a reasoning item.
   *
   * @param form - from `respond`: how the response's messages up to the item were sampled
   */
  seal(text: string, itemId: string, form?: string): string
  /**
   * Returns, for `sealForm` of `respond`, the `encrypted_content` of a reasoning item that carries nothing but its
   * form.
   */
  sealForm(form: string, itemId: string): string
  /** Returns, for the translator's `sealApproval`, the `id` of an `mcp_approval_request`, `mcpr_...`. */
  sealApproval(call: RequestedCall, itemId: string): string
  /**
   * Returns the `encrypted_content` of a `compaction` item.
   *
   * @param itemId - the item's id, if it is known. Without one, only the texts distinguish the compactions of a
   * response
   */
  sealCompaction(text: string, itemId?: string): string
  /**
   * Returns, for `sealCall` of a Messages answer, the seal of a call that the server ran and no block shows.
   *
   * @param text - the host's form of the call; opaque to the seal
   */
  sealCall(text: string, itemId: string): string
}

/** The conditions for opening sealed content. */
export interface UnsealOptions<Kind extends SealedKind = SealedKind> {
  /** The owner of the request that brings it. */
  readonly caller: string
  /** The required kind. Default: any kind. */
  readonly kind?: Kind
  /** The id that the client sent with it, if any. */
  readonly itemId?: string | null
  /** Its place in the request, for the error: `input[3].encrypted_content`. */
  readonly param?: string
}

const SEALED_RESPONSE: OptionTable<SealedResponse> = {
  caller: aCaller,
  nonce: that(
    (value) => typeof value === 'string' && value.length >= 16,
    'createNonce() or another string of 16 characters or more',
  ),
  keyId: aString,
}

const UNSEAL_OPTIONS: OptionTable<UnsealOptions> = {
  caller: aCaller,
  kind: oneOf('reasoning', 'approval', 'compaction', 'call'),
  itemId: anything,
  param: aText,
}

/** Seals with the first of its keys, and opens with any of them. */
export interface Seal {
  /** The id of the key that seals. */
  readonly keyId: string
  /** @throws HarmonyResponsesError `bad_option` */
  forResponse(response: SealedResponse): ResponseSeal
  /**
   * @param blob - an `encrypted_content`, or the `id` of an approval request
   * @throws RequestError `invalid_encrypted_content` if it cannot be opened, whatever the reason; HarmonyResponsesError
   *   `bad_option` if there is no caller
   */
  unseal<Kind extends SealedKind>(blob: string, options: UnsealOptions<Kind>): Extract<Unsealed, { kind: Kind }>
  /** Whether something else sealed it: another server, or this one with a key that it has dropped. */
  isForeign(blob: string): boolean
}

/**
 * Creates a seal for content that clients keep for the server: reasoning, approval requests, compactions, calls.
 *
 * @param keys - the first one seals, all of them open. To rotate, prepend a new one
 * @throws HarmonyResponsesError `bad_option`. Its message never contains a key
 *
 * @example
 * ```ts
 * import { createSeal, createNonce } from 'harmony-responses/seal'
 *
 * const seal = createSeal([{ id: '2026-11', key: sealKey }])
 * const sealed = seal.forResponse({ caller: userId, nonce: createNonce() }).seal('Hm.', 'rs_1')
 * console.log(seal.unseal(sealed, { caller: userId, kind: 'reasoning' }).text) // Hm.
 * ```
 */
export function createSeal(keys: readonly SealKey[]): Seal {
  const known = readKeys(keys)
  const first = known[0] as Key
  const byTag = new Map(known.map((key) => [key.tag, key]))

  return {
    keyId: first.id,

    forResponse(response) {
      checkOptions('forResponse', response, SEALED_RESPONSE, ['caller', 'nonce'])
      const { caller, nonce, keyId = first.id } = response
      const key = known.find(({ id }) => id === keyId)
      check(key !== undefined, 'keyId', `one of ${known.map(({ id }) => id).join(', ')}`, keyId)
      const sealed = (content: Unsealed): string => sealContent(content, key, caller, nonce)
      return {
        seal: (text, itemId, form) => sealed({ kind: 'reasoning', itemId, text, ...(form !== undefined && { form }) }),
        sealForm: (form, itemId) => sealed({ kind: 'reasoning', itemId, text: '', form }),
        sealApproval: ({ serverLabel, name, arguments: text }, itemId) =>
          sealed({ kind: 'approval', itemId, serverLabel, name, arguments: text }),
        sealCompaction: (text, itemId = '') => sealed({ kind: 'compaction', itemId, text }),
        sealCall: (text, itemId) => sealed({ kind: 'call', itemId, text }),
      }
    },

    unseal<Kind extends SealedKind>(blob: string, options: UnsealOptions<Kind>) {
      checkOptions('unseal', options, UNSEAL_OPTIONS, ['caller'])
      const { caller, kind, itemId, param } = options
      const content = unsealContent(blob, byTag, caller)
      const isWanted = kind === undefined || kind === content?.kind
      if (content === undefined || !isWanted || isOfAnotherItem(content, itemId)) throw invalidEncryptedContent(param)
      return content as Extract<Unsealed, { kind: Kind }>
    },

    isForeign(blob) {
      const beginning = typeof blob === 'string' ? beginningOf(blob) : undefined
      return beginning === undefined || !byTag.has(beginning.tag)
    },
  }
}

function sealContent(content: Unsealed, key: Key, caller: string, nonce: string): string {
  const { kind, itemId } = content
  // Not a counter, which would restart in a process that resumes from a snapshot, so that an item would be sealed
  // differently.
  const item = kind === 'compaction' && itemId === '' ? ['text', content.text] : ['id', itemId]
  const bytes = digest(key.bytes, [FORMAT, 'nonce', key.id, caller, kind, nonce, ...item])
  const own = bytes.subarray(0, NONCE_BYTES)
  const encrypted = encrypt(key.bytes, own, aboutOf(key, caller, kind), writeContent(content))
  return writeSealedText({ kind, tag: key.tag, nonce: own, bytes: encrypted })
}

function unsealContent(blob: unknown, keys: ReadonlyMap<string, Key>, caller: string): Unsealed | undefined {
  const sealed = typeof blob === 'string' ? readSealedText(blob) : undefined
  if (sealed === undefined) return undefined
  const { kind, tag, nonce, bytes } = sealed
  const key = keys.get(tag)
  const json = key && decrypt(key.bytes, nonce, aboutOf(key, caller, kind), bytes)
  return json === undefined ? undefined : readContent(kind, json)
}

/** Returns the associated data: facts outside the content that have to be the same on opening. */
function aboutOf(key: Key, caller: string, kind: SealedKind): readonly string[] {
  return [FORMAT, 'content', key.id, caller, kind]
}

/** Whether the client sent it with the id of another item. Many clients send none. */
function isOfAnotherItem(content: Unsealed, itemId: string | null | undefined): boolean {
  const isKnown = content.itemId !== '' && itemId !== undefined && itemId !== null && itemId !== ''
  return isKnown && content.itemId !== itemId
}

/**
 * Returns 128 random bits as 22 characters, for one response. Store it with a response that may have to be replayed.
 *
 * @example
 * ```ts
 * import { createNonce } from 'harmony-responses/seal'
 *
 * console.log(createNonce().length) // 22
 * ```
 */
export function createNonce(): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(16)))
}
