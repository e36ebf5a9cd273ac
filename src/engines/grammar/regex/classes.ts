import { complement, type Range, rangesOf } from '../ranges.js'

const DIGIT: readonly Range[] = [[48, 57]]
const WORD: readonly Range[] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
]
/** White space and line ends, as JavaScript defines them. */
const SPACE: readonly Range[] = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]
/** `.`: all characters except line ends. */
export const DOT: readonly Range[] = complement(rangesOf('\n\r\u2028\u2029'))

/** Returns the class of `\d` and the like; undefined for any other letter. */
export function shorthand(letter: string): readonly Range[] | undefined {
  switch (letter) {
    case 'd':
      return DIGIT
    case 'D':
      return complement(DIGIT)
    case 'w':
      return WORD
    case 'W':
      return complement(WORD)
    case 's':
      return SPACE
    case 'S':
      return complement(SPACE)
    default:
      return undefined
  }
}
