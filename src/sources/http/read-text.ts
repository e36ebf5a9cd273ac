/** An answer's text, as far as it is read. */
export interface AnswerText {
  readonly text: string
  /** There was more. */
  readonly isCut: boolean
  /** What broke it off. */
  readonly error?: unknown
}

/**
 * Reads an answer's body. Where it is larger than that, the rest is not taken: the request is cancelled.
 *
 * @param most - how many bytes are read
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
    // Without effect on a body that has ended.
    await reader.cancel().catch(() => {})
  }
}
