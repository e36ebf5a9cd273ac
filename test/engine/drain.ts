import type { TokenStream } from '../../src/engines/contract/index.js'
import {
  type Diagnostic,
  type Response,
  type ResponseStreamEvent,
  type ScoredToken,
  type StreamEnd,
  type TokenChunk,
  type TranslateOptions,
  translate,
} from '../../src/index.js'
import { checkEvents } from '../../src/judge/conformance/index.js'

/** The whole output of a stream of tokens. */
export interface Drained {
  readonly tokens: readonly ScoredToken[]
  readonly ids: readonly number[]
  readonly end: StreamEnd | undefined
}

/** Reads a stream to its end. */
export async function drain(stream: TokenStream): Promise<Drained> {
  const tokens: ScoredToken[] = []
  for (;;) {
    const { done, value } = await stream.next()
    if (done) return { tokens, ids: tokens.map(({ id }) => id), end: value }
    tokens.push(tokenOf(value))
  }
}

/** Reads so many tokens, and no further. */
export async function take(stream: TokenStream, count: number): Promise<number[]> {
  const ids: number[] = []
  while (ids.length < count) {
    const { done, value } = await stream.next()
    if (done) throw new Error(`the stream ended after ${ids.length} tokens`)
    ids.push(tokenOf(value).id)
  }
  return ids
}

/** An engine's chunk, which is one token. */
function tokenOf(chunk: TokenChunk): ScoredToken {
  if (typeof chunk === 'number') return { id: chunk }
  if (typeof chunk === 'object' && 'id' in chunk) return chunk
  throw new Error(`no token: ${JSON.stringify(chunk)}`)
}

/** The whole stream of a response. */
export interface Streamed {
  readonly events: readonly ResponseStreamEvent[]
  readonly response: Response
  readonly diagnostics: readonly Diagnostic[]
}

/** Translates a stream to its end. The events have to be as the Responses API has them. */
export async function streamed(source: TokenStream, options: TranslateOptions = {}): Promise<Streamed> {
  const events: ResponseStreamEvent[] = []
  const diagnostics: Diagnostic[] = []
  const stream = translate(source, { ...options, onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) })
  for (;;) {
    const { done, value } = await stream.next()
    if (!done) {
      events.push(value)
      continue
    }
    const [violation] = checkEvents(events)
    if (violation !== undefined) throw new Error(`no valid stream: ${JSON.stringify(violation)}`)
    return { events, response: value, diagnostics }
  }
}
