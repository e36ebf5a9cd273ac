import type { HarmonyHeader } from '../../src/core/harmony/events.js'
import { eventHandler } from '../../src/core/harmony/handler.js'
import { createNativeParser } from '../../src/core/harmony/parser.js'
import type { StreamEnd } from '../../src/core/tokens/token-source.js'
import type { TokenEngine, TokenStream } from '../../src/engines/contract/index.js'
import { tokenStream } from '../../src/engines/contract/token-stream.js'
import { createChatEngine } from '../../src/engines/sources/chat.js'
import { loadTokenTable } from '../../src/index.js'
import { chunk, ends, piece } from '../engines/sources/chat/chunks.js'
import type { ChatRequest } from './chat-server.js'
import { frame } from './scripted-server.js'

const tokenTable = await loadTokenTable()

/**
 * The engine of Chat Completions in front of a server that says what another engine samples, a chunk for each of its tokens.
 * The server goes on only when the reader asks for more, so that what the other engine does between two tokens happens between
 * them here, too.
 */
export function chatInFrontOf(inner: TokenEngine): TokenEngine {
  return {
    health: async () => {},
    capabilities: async () => (await engineOf(async () => new Response()).capabilities?.()) ?? {},
    generate(prompt, options = {}): TokenStream {
      return tokenStream(async function* (closed) {
        let allow = (): void => {}
        let asked = new Promise<void>((resolve) => {
          allow = resolve
        })
        const next = async (): Promise<void> => {
          await asked
          asked = new Promise((resolve) => {
            allow = resolve
          })
        }
        const fetch = async (_: unknown, { body }: RequestInit = {}): Promise<Response> => {
          const stream = inner.generate(prompt, { signal: closed })
          return new Response(bodyOf(stream, JSON.parse(String(body)) as ChatRequest, next))
        }
        const given = engineOf(fetch).generate(prompt, { ...options, signal: closed })
        for (;;) {
          allow()
          const { done, value } = await given.next()
          if (done) return value
          yield value
        }
      }, options.signal)
    },
  }
}

const engineOf = (fetch: typeof globalThis.fetch): TokenEngine =>
  createChatEngine({ url: 'http://chat.invalid', model: 'm', fetch, retries: 0 })

/** The events of a server, from what an engine samples. */
function bodyOf(stream: TokenStream, request: ChatRequest, next: () => Promise<void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const writer = new ChunkWriter(request)
  return new ReadableStream(
    {
      async pull(controller) {
        const send = (some: readonly unknown[]): void => controller.enqueue(encoder.encode(some.map(frame).join('')))
        await next()
        for (;;) {
          try {
            const { done, value } = await stream.next()
            const chunks = done ? writer.end(value) : [value].flat().flatMap((one) => writer.push(one))
            if (chunks.length > 0) send(chunks)
            if (done) return controller.close()
            if (chunks.length > 0) return
          } catch (error) {
            send([{ error: { message: String(error), code: 500 } }])
            return controller.close()
          }
        }
      },
      async cancel() {
        await stream.return()
      },
    },
    // Nothing is made before it is read.
    { highWaterMark: 0 },
  )
}

/** Writes what a model says in Harmony as chunks of Chat Completions. */
class ChunkWriter {
  readonly #request: ChatRequest
  readonly #parser
  #chunks: unknown[] = []
  #header: HarmonyHeader | undefined
  #calls = 0
  #sampled = 0

  constructor(request: ChatRequest) {
    this.#request = request
    this.#parser = createNativeParser(
      { tokenTable },
      eventHandler((event) => {
        if (event.type === 'message_start') this.#begin(event.header)
        else if (event.type === 'message_text') this.#text(event.text)
        else if (event.type === 'message_end' && this.#argument !== undefined) this.#arguments('"}')
      }),
    )
  }

  push(token: unknown): unknown[] {
    const id = typeof token === 'object' ? (token as { id: number }).id : token
    this.#sampled += 1
    if (typeof id === 'string') this.#parser.pushText(id, 'model')
    else this.#parser.push(id as number, 'model')
    return this.#taken()
  }

  end({ reason = 'stop', usage }: StreamEnd = {}): unknown[] {
    const isCut = reason !== 'stop'
    if (!isCut) this.#parser.end()
    const words = { stop: 'stop', max_output_tokens: 'length', content_filter: 'content_filter' } as const
    const counts = {
      prompt_tokens: usage?.inputTokens ?? 1,
      completion_tokens: usage?.outputTokens ?? this.#sampled,
      prompt_tokens_details: { cached_tokens: usage?.cachedTokens ?? 0 },
    }
    return [...this.#taken(), ends(words[reason]), { choices: [], usage: counts }, '[DONE]']
  }

  #begin(header: HarmonyHeader): void {
    this.#header = header
    if (header.recipient === undefined) return
    this.#calls += 1
    const name = header.recipient.replace(/^functions\./, '').replaceAll('.', '__')
    this.#chunks.push(piece(this.#calls, '', { id: `call_${this.#calls}`, name }))
    const argument = this.#argument
    if (argument !== undefined) this.#arguments(`{"${argument}":"`)
  }

  #text(text: string): void {
    const { recipient, channel } = this.#header as HarmonyHeader
    if (recipient !== undefined) {
      this.#arguments(this.#argument === undefined ? text : JSON.stringify(text).slice(1, -1))
    } else this.#chunks.push(chunk({ [channel === 'analysis' ? 'reasoning_content' : 'content']: text }))
  }

  #arguments(text: string): void {
    this.#chunks.push(piece(this.#calls, text))
  }

  /** The only argument of a tool that takes text or code. */
  get #argument(): string | undefined {
    const { recipient = '' } = this.#header ?? {}
    const name = recipient.replace(/^functions\./, '').replaceAll('.', '__')
    const tools: { function: { name: string; parameters: { properties?: object } } }[] = this.#request['tools'] ?? []
    const { properties = {} } = tools.find((tool) => tool.function.name === name)?.function.parameters ?? {}
    const [only, ...others] = Object.keys(properties)
    return others.length === 0 && (only === 'input' || only === 'code') ? only : undefined
  }

  #taken(): unknown[] {
    const chunks = this.#chunks
    this.#chunks = []
    return chunks
  }
}
