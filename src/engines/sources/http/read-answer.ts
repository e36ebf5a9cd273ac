import { sleep } from '../../../shared/system/sleep.js'
import type { Answer } from './answer.js'
import { EventReader } from './event-reader.js'
import { lostConnection } from './http-client.js'
import type { TokenReader } from './token-reader.js'

/** How long to wait for counts after the finish reason. They come last, and some servers never close the stream. */
const FINAL_COUNTS_MS = 2000

export interface ReadAnswerOptions {
  /** Receives each event, in the step in which it arrives. May throw. */
  readonly take: (event: unknown) => void
  /** Whether more may be read now; if not, `answer.resume()` follows. */
  readonly takesMore: () => boolean
  /** Aborts when the call is over. */
  readonly signal: AbortSignal
}

/**
 * Reads an answer's events, to its end or to the end of the call.
 *
 * @returns whether the server has said that it is done
 * @throws EngineError; whatever `take` throws
 */
export function readAnswer(answer: Answer, tokens: TokenReader, options: ReadAnswerOptions): Promise<boolean> {
  const { take, takesMore, signal } = options
  return new Promise((resolve, reject) => {
    let isOver = false
    let isEnding = false
    const over = (how: 'cancel' | 'release', done: () => void): void => {
      if (isOver) return
      isOver = true
      answer[how]()
      done()
    }
    const events = new EventReader((event) => {
      if (!tokens.isOver) take(event)
    })
    const end = (): void => resolve(events.isDone)
    const step = (read: () => void): void => {
      try {
        read()
      } catch (error) {
        over('cancel', () => reject(error))
        return
      }
      // An engine that continues after the end has to be stopped.
      if (tokens.isOver) over('cancel', end)
      else if (events.isDone) over('release', end)
      else if (tokens.isEnding && !isEnding) {
        isEnding = true
        sleep(FINAL_COUNTS_MS, signal).then(() => over('cancel', end))
      }
    }
    answer.read({
      text(piece) {
        step(() => events.feed(piece))
        return takesMore()
      },
      end() {
        step(() => events.end())
        over('release', end)
      },
      fail: (cause) => over('cancel', () => reject(lostConnection(cause))),
    })
  })
}
