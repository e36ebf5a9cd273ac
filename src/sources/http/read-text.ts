/** The part of an answer's text that was read. */
export interface AnswerText {
  readonly text: string
  /** Whether there was more. */
  readonly isCut: boolean
  /** The error that ended reading early. */
  readonly error?: unknown
}

/**
 * Reads an answer's body. If it is larger than the limit, cancels the request.
 *
 * @param most - the limit in bytes
 */
export async function readText(response: Response, most: number): Promise<AnswerText> {
  const reader = response.body?.getReader()
  if (reader === undefined) return { text: '', isCut: false }
  const utf8 = new TextDecoder()
  let text = ''
  let left = most
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { text: text + utf8.decode(), isCut: false }
      text += utf8.decode(value.subarray(0, left), { stream: true })
      if (value.length > left) return { text, isCut: true }
      left -= value.length
    }
  } catch (error) {
    return { text, isCut: false, error }
  } finally {
    // No effect if the body has ended.
    await reader.cancel().catch(() => {})
  }
}
