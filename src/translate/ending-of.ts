import type { Logprob } from '../responses/items.js'
import type { ScoredText } from './citation-stage.js'

/** The last tokens, as many as spell a text. In bytes: a token may be a part of a character. */
export function endingOf(logprobs: readonly Logprob[], text: string): ScoredText[] {
  const ending: ScoredText[] = []
  const bytes = new TextEncoder().encode(text)
  const unitsBefore = (at: number): number => new TextDecoder().decode(bytes.subarray(0, at)).length
  const isInCharacter = (at: number): boolean => ((bytes[at] ?? 0) & 0xc0) === 0x80
  let start = bytes.length
  for (let next = logprobs.length; start > 0 && next > 0; ) {
    const logprob = logprobs[--next] as Logprob
    let end = start
    start = Math.max(0, start - logprob.bytes.length)
    let from = start
    while (isInCharacter(from)) from--
    while (isInCharacter(end)) end++
    ending.unshift({ logprob, start: unitsBefore(from), end: unitsBefore(end) })
  }
  return ending
}
