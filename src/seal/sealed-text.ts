import { NONCE_BYTES } from './aead.js'
import { decodeBase64url, encodeBase64url } from './base64url.js'

/**
 * What is sealed: the text of a reasoning item, a call that the user has to approve, the summary of a compaction, or calls
 * that the server ran and that its client is not shown.
 */
export type SealedKind = 'reasoning' | 'approval' | 'compaction' | 'call'

/** The format's name and version. */
export const FORMAT = 'hr1'

/** How each kind begins. An approval's is an item's id, and has the prefix of one. */
const PREFIXES: Readonly<Record<SealedKind, string>> = {
  reasoning: `${FORMAT}.rs.`,
  approval: `mcpr_${FORMAT}.`,
  compaction: `${FORMAT}.cmp.`,
  call: `${FORMAT}.call.`,
}
const KINDS = Object.keys(PREFIXES) as SealedKind[]

/** Of the key's tag and of the nonce, in characters. Each is a whole number of bytes. */
const TAG = 8
const NONCE = (NONCE_BYTES * 4) / 3

/**
 * The longest text that is opened, in characters. It holds 12 MB, more than the model's context, and bounds the time
 * that a client can ask for: a third of a second.
 */
export const MAX_LENGTH: number = 2 ** 24

/** Sealed content by its parts. */
export interface SealedText {
  readonly kind: SealedKind
  /** {@link Key.tag} */
  readonly tag: string
  readonly nonce: Uint8Array
  /** The ciphertext and its authentication tag. */
  readonly bytes: Uint8Array
}

/** `PREFIX TAG NONCE CIPHERTEXT`, without the blanks: letters, digits, `-`, `_` and `.` only. */
export function writeSealedText({ kind, tag, nonce, bytes }: SealedText): string {
  return `${PREFIXES[kind]}${tag}${encodeBase64url(nonce)}${encodeBase64url(bytes)}`
}

/** The kind and the key's tag alone; undefined for a text that is not of this format. */
export function beginningOf(text: string): Pick<SealedText, 'kind' | 'tag'> | undefined {
  const kind = KINDS.find((each) => text.startsWith(PREFIXES[each]))
  return kind && { kind, tag: text.slice(PREFIXES[kind].length).slice(0, TAG) }
}

/** Undefined for a text that is not of this format, or too long. */
export function readSealedText(text: string): SealedText | undefined {
  const beginning = text.length > MAX_LENGTH ? undefined : beginningOf(text)
  if (beginning === undefined) return undefined
  const body = text.slice(PREFIXES[beginning.kind].length + TAG)
  const nonce = decodeBase64url(body.slice(0, NONCE))
  const bytes = decodeBase64url(body.slice(NONCE))
  return nonce?.length === NONCE_BYTES && bytes ? { ...beginning, nonce, bytes } : undefined
}
