import fc from 'fast-check'
import type { ResponseStreamEvent } from '../../src/responses/events.js'
import type { ResponseRequest } from '../../src/responses/request.js'
import type { Response } from '../../src/responses/response.js'
import type { EndReason, TokenChunk } from '../../src/tokens/token-source.js'
import { loadTokenTable, type TokenTable } from '../../src/tokens/token-table.js'
import type { Diagnostic } from '../../src/translate/diagnostics.js'
import type { TranslatorOptions } from '../../src/translate/options.js'
import type { Trace } from '../../src/translate/tracer.js'
import { traceTo } from '../../src/translate/tracer.js'
import { Translator } from '../../src/translate/translator.js'
import { malformedTranscript, tokenSoup, wellFormedTranscript } from '../support/arbitraries.js'

/** How often each law is tried. CI uses the default; `npm run test:laws` tries 100,000. */
export const RUNS: number = Number(process.env['LAW_RUNS'] ?? 1000)

export const tokenTable: TokenTable = await loadTokenTable()

/** A stream of whatever kind, as the laws take it. */
export interface AnyStream {
  readonly chunks: readonly TokenChunk[]
  readonly textChunks?: readonly TokenChunk[]
  readonly request: ResponseRequest
}

const soupRequest: ResponseRequest = {
  tools: [
    { type: 'function', name: 'x' },
    { type: 'mcp', server_label: 'code_interpreter' },
    { type: 'custom', name: 'apply' },
  ] as never,
}

const soup = (): fc.Arbitrary<AnyStream> => tokenSoup().map((ids) => ({ chunks: [ids], request: soupRequest }))

/** Well-formed, malformed, or no Harmony at all. */
export function anyStream(): fc.Arbitrary<AnyStream> {
  return fc.oneof(
    { weight: 3, arbitrary: wellFormedTranscript() },
    { weight: 3, arbitrary: malformedTranscript() },
    { weight: 2, arbitrary: soup() },
  )
}

export const endReason: fc.Arbitrary<EndReason | undefined> = fc.constantFrom(
  undefined,
  'stop',
  'max_output_tokens',
  'content_filter',
)

/** Everything that comes out of one response. */
export interface Outcome {
  readonly events: ResponseStreamEvent[]
  readonly response: Response
  readonly diagnostics: Diagnostic[]
  readonly traces: Trace[]
}

export const fixed: { readonly responseId: string; readonly clock: () => number } = {
  responseId: 'resp_law',
  clock: () => 1_700_000_000,
}

/** Pushes a whole stream and ends it. */
export function run(
  chunks: readonly TokenChunk[],
  options: Partial<TranslatorOptions> = {},
  reason?: EndReason,
): Outcome {
  const diagnostics: Diagnostic[] = []
  const traces: Trace[] = []
  const translator = new Translator({
    ...fixed,
    tokenTable,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    trace: traceTo((trace) => traces.push(trace)),
    ...options,
  })
  const events = chunks.flatMap((chunk) => translator.push(chunk))
  events.push(...translator.end(reason))
  return { events, response: translator.response, diagnostics, traces }
}

/** A stream that stops at a token because the engine failed there, or the client left. */
export function runBroken(
  { chunks, request }: AnyStream,
  at: number,
  isAbort: boolean,
): Pick<Outcome, 'events' | 'response'> {
  const translator = new Translator({ ...fixed, tokenTable, request })
  const events = oneByOne(chunks)
    .slice(0, at)
    .flatMap((chunk) => translator.push(chunk))
  events.push(...(isAbort ? translator.abort() : translator.fail({ message: 'engine died' })))
  return { events, response: translator.response }
}

/** A stream cut into single tokens, the host's too. */
export function oneByOne(chunks: readonly TokenChunk[]): TokenChunk[] {
  return chunks.flatMap((chunk): TokenChunk[] => {
    if (typeof chunk === 'number' || typeof chunk === 'string') return [chunk]
    if (chunk instanceof Uint32Array || Array.isArray(chunk)) return [...(chunk as Iterable<TokenChunk>)]
    if ('host' in chunk)
      return typeof chunk.host === 'string' ? [chunk] : Array.from(chunk.host, (id) => ({ host: [id] }))
    return [chunk]
  })
}

/** What no chunking may change: items, texts, ids, the order of everything but the borders between deltas. */
export function withoutDeltaBorders(events: readonly ResponseStreamEvent[]): unknown[] {
  const out: Record<string, unknown>[] = []
  for (const event of events) {
    const { sequence_number: _, ...rest } = event as unknown as Record<string, unknown>
    const last = out.at(-1)
    if (
      typeof rest['delta'] === 'string' &&
      last !== undefined &&
      last['type'] === rest['type'] &&
      last['item_id'] === rest['item_id']
    ) {
      last['delta'] = `${last['delta']}${rest['delta']}`
      if (Array.isArray(rest['logprobs'])) last['logprobs'] = [...(last['logprobs'] as unknown[]), ...rest['logprobs']]
    } else out.push({ ...rest })
  }
  return out
}
