const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const CODES: readonly number[] = [...ALPHABET].map((digit) => digit.charCodeAt(0))
/** The value of each ASCII character; 64 for non-digits. */
const VALUES: readonly number[] = Array.from({ length: 128 }, (_, code) => (CODES.indexOf(code) + 65) % 65)

/** Encodes bytes as base64url without padding. */
export function encodeBase64url(bytes: Uint8Array): string {
  const codes = new Uint8Array(Math.ceil((bytes.length * 4) / 3))
  let length = 0
  let held = 0
  let bits = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 6; ) {
      bits -= 6
      codes[length++] = CODES[(held >> bits) & 63] as number
    }
  }
  if (bits > 0) codes[length] = CODES[(held << (6 - bits)) & 63] as number
  return new TextDecoder().decode(codes)
}

/**
 * Decodes base64url without padding; undefined for any other text. No two texts give the same bytes: a text whose last
 * digit has surplus bits is rejected, so that no character can be changed unnoticed.
 */
export function decodeBase64url(text: string): Uint8Array | undefined {
  if (text.length % 4 === 1) return undefined
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4))
  let length = 0
  let held = 0
  let bits = 0
  for (let at = 0; at < text.length; at++) {
    const value = VALUES[text.charCodeAt(at)] ?? 64
    if (value === 64) return undefined
    held = (held << 6) | value
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes[length++] = held >> bits
  }
  return (held & ((1 << bits) - 1)) === 0 ? bytes : undefined
}
