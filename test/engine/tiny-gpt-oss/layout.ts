/** Bits of a token's code: 2^18 is more than there are tokens. */
export const CODE_BITS = 18

/** A bit of a token's code: the binary digits of its id, lowest first, with -1 for 0. */
export function codeBit(id: number, bit: number): 1 | -1 {
  return (id >> bit) & 1 ? 1 : -1
}

/** Channel counts are whole blocks of the quantized formats. */
const BLOCK = 32

/** The layout of the residual stream's channels: codes of 18 channels each, and one constant. */
export interface Layout {
  /** How many tokens a rule sees: the current one and those that attention heads copy. */
  readonly history: number
  /** All channels, filled up to whole blocks. */
  readonly channels: number
  /** The first channel of the code of the token so many positions back; 0 is the current token. */
  codeAt(distance: number): number
  /** The channel that is always 1. */
  readonly one: number
  /** The first channel of the code of the token that follows. */
  readonly next: number
}

/** The layout for a model that looks back on so many tokens. */
export function layoutFor(history: number): Layout {
  const one = history * CODE_BITS
  const next = one + 1
  return {
    history,
    channels: roundUp(next + CODE_BITS),
    codeAt: (distance) => distance * CODE_BITS,
    one,
    next,
  }
}

/** The next whole number of blocks. */
export function roundUp(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK
}
