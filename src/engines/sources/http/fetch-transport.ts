import type { TextSink } from '../../contract/engine-server.js'
import type { Answer, Transport } from './answer.js'

/** Sends requests with `fetch`. @param given - default: the runtime's, when a request is sent */
export function fetchTransport(given: typeof globalThis.fetch | undefined): Transport {
  return async (url, request) => new FetchAnswer(await (given ?? globalThis.fetch)(url, request))
}

class FetchAnswer implements Answer {
  readonly #response: Response
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  #isCancelled = false
  #resume: () => void = () => {}

  constructor(response: Response) {
    this.#response = response
  }

  get status(): number {
    return this.#response.status
  }

  get statusText(): string {
    return this.#response.statusText
  }

  header(name: string): string | null {
    return this.#response.headers.get(name)
  }

  read(sink: TextSink): void {
    this.#pump(sink).catch((error: unknown) => {
      if (!this.#isCancelled) sink.fail(error)
    })
  }

  resume(): void {
    this.#resume()
  }

  cancel(): void {
    this.#isCancelled = true
    this.#resume()
    // No effect if the body has ended.
    const cancelled = this.#reader === undefined ? this.#response.body?.cancel() : this.#reader.cancel()
    cancelled?.catch(() => {})
  }

  release(): void {
    this.cancel()
  }

  async #pump(sink: TextSink): Promise<void> {
    const reader = this.#response.body?.getReader()
    this.#reader = reader
    const utf8 = new TextDecoder()
    for (let step = await reader?.read(); step !== undefined && !step.done; step = await reader?.read()) {
      if (this.#isCancelled) return
      const takesMore = sink.text(utf8.decode(step.value, { stream: true }))
      if (this.#isCancelled) return
      if (takesMore) continue
      await new Promise<void>((resolve) => {
        this.#resume = resolve
      })
    }
    if (this.#isCancelled) return
    const rest = utf8.decode()
    if (rest !== '') sink.text(rest)
    if (!this.#isCancelled) sink.end()
  }
}
