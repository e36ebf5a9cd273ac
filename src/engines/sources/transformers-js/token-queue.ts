/** The callbacks of Transformers.js during generation: first with the prompt, then with each token. */
export interface TransformersStreamer {
  /** Takes the ids of each sequence; there is one. */
  put(tokens: bigint[][]): void
  /** Called when the generation is over. */
  end(): void
}

/** A queue of tokens between a producer that cannot wait and a consumer that pulls. */
export interface TokenQueue {
  /** Drops its first input, which is the prompt. */
  readonly streamer: TransformersStreamer
  /** The ids. Can be iterated only once. */
  readonly ids: AsyncIterable<number>
  /** Ends the queue. The consumer gets the queued tokens, then the error is thrown. */
  close(error?: Error): void
}

export function createTokenQueue(): TokenQueue {
  const waiting: number[] = []
  let isPrompt = true
  let isClosed = false
  let failure: Error | undefined
  let wake: (() => void) | undefined

  async function* ids(): AsyncGenerator<number> {
    for (;;) {
      for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) yield id
      if (failure) throw failure
      if (isClosed) return
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  return {
    streamer: {
      put([tokens = []]) {
        if (isPrompt) {
          isPrompt = false
          return
        }
        for (const token of tokens) waiting.push(Number(token))
        wake?.()
      },
      // The promise of the call signals the end, with the error if it failed.
      end() {},
    },
    ids: ids(),
    close(error) {
      isClosed = true
      failure = error
      wake?.()
    },
  }
}
