import type { Answer } from './answer.js'

/** The part of an answer's text that was read. */
export interface AnswerText {
  readonly text: string
  /** Whether there was more. */
  readonly isCut: boolean
  /** The error that ended reading early. */
  readonly error?: unknown
}

/**
 * Reads an answer's body. If it is larger than the limit, cancels the request. Never rejects.
 *
 * @param max - the limit in UTF-16 units
 */
export function readText(answer: Answer, max: number): Promise<AnswerText> {
  return new Promise((resolve) => {
    let text = ''
    answer.read({
      text(piece) {
        text += piece
        if (text.length <= max) return true
        answer.cancel()
        resolve({ text: text.slice(0, max), isCut: true })
        return false
      },
      end: () => resolve({ text, isCut: false }),
      fail: (error) => resolve({ text, isCut: false, error }),
    })
  })
}
