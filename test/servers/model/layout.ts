import { HISTORY } from './scripts.js'

/** Digits of a token's code: its id in binary, 1 and -1. */
export const CODE_BITS = 18
export const HIDDEN = 256
export const HEADS = 16
export const KEY_VALUE_HEADS = 2
export const HEAD_SIZE = 64
export const EXPERTS = 4
export const LAYERS = 2
export const WINDOW = 128
export const NORM_EPSILON = 1e-5

/** The channel of the code of the token at a distance. */
export const slotOf = (distance: number): number => distance * CODE_BITS
/** Three channels that are the same for every token. Their squares and the code's make 64, a quarter of the channels: exact. */
export const CONSTANTS = [1, 3, 6] as const
export const ONE: number = HISTORY * CODE_BITS
/** Where the code of the next token is written. */
export const NEXT: number = ONE + CONSTANTS.length

export const codeBit = (id: number, digit: number): number => ((id >> digit) & 1 ? 1 : -1)
