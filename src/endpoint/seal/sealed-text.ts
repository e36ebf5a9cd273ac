import { NONCE_BYTES } from './aead.js'
import { decodeBase64url, encodeBase64url } from './base64url.js'

/**
 * The kinds of sealed content: the text of a reasoning item, a call that the user has to approve, the summary of a
 * compaction, or calls that the server ran and no block shows.
 */
export type SealedKind = 'reasoning' | 'approval' | 'compaction' | 'call'

/** The format's name and version. */
export const FORMAT = 'hr1'

/** The prefix of each kind. An approval's is that of an item's id. */
const PREFIXES: Readonly<Record<SealedKind, string>> = {
  reasoning: `${FORMAT}.rs.`,
  approval: `mcpr_${FORMAT}.`,
  compaction: `${FORMAT}.cmp.`,
  call: `${FORMAT}.call.`,
}
const KINDS = Object.keys(PREFIXES) as SealedKind[]

/** The lengths of the key's tag and of the nonce, in characters. Each is a whole number of bytes. */
const TAG = 8
const NONCE = (NONCE_BYTES * 4) / 3

/**
 * The longest text that is opened, in characters. It holds 12 MB, more than the model's context, and bounds the work
 * that a client can cause to a third of a second.
 */
export const MAX_LENGTH: number = 2 ** 24

/** The parts of sealed content. */
export interface SealedText {
  readonly kind: SealedKind
  /** {@link Key.tag} */
  readonly tag: string
  readonly nonce: Uint8Array
  /** The ciphertext and its authentication tag. */
  readonly bytes: Uint8Array
}

/** Writes `PREFIX TAG NONCE CIPHERTEXT` without the blanks: letters, digits, `-`, `_` and `.` only. */
export function writeSealedText({ kind, tag, nonce, bytes }: SealedText): string {
  return `${PREFIXES[kind]}${tag}${encodeBase64url(nonce)}${encodeBase64url(bytes)}`
}

/** Reads only the kind and the key's tag; undefined for a text that is not of this format. */
export function beginningOf(text: string): Pick<SealedText, 'kind' | 'tag'> | undefined {
  const kind = KINDS.find((each) => text.startsWith(PREFIXES[each]))
  return kind && { kind, tag: text.slice(PREFIXES[kind].length).slice(0, TAG) }
}

/** Parses sealed content; undefined for a text that is too long or not of this format. */
export function readSealedText(text: string): SealedText | undefined {
  const beginning = text.length > MAX_LENGTH ? undefined : beginningOf(text)
  if (beginning === undefined) return undefined
  const body = text.slice(PREFIXES[beginning.kind].length + TAG)
  const nonce = decodeBase64url(body.slice(0, NONCE))
  const bytes = decodeBase64url(body.slice(NONCE))
  return nonce?.length === NONCE_BYTES && bytes ? { ...beginning, nonce, bytes } : undefined
}
