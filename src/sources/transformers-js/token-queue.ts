/** What Transformers.js calls as it generates: first with the prompt, then with each token. */
export interface TransformersStreamer {
  put(tokens: bigint[][]): void
  end(): void
}

/** Tokens that are pushed by one side, which cannot wait, and pulled by another. */
export interface TokenQueue {
  /** Drops what it is given first: the prompt. */
  readonly streamer: TransformersStreamer
  /** To be read once. */
  readonly ids: AsyncIterable<number>
  /** Nothing comes any more; what is there is read, and then the error is thrown. */
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
      // The end comes with the promise of the call, which also says what went wrong.
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
