import fc from 'fast-check'
import { urlCitations } from '../../src/core/citations/url-citations.js'
import type { Diagnostic } from '../../src/core/diagnostics/diagnostic.js'
import type { TranslatorOptions } from '../../src/core/options/options.js'
import type { ResponseStreamEvent } from '../../src/core/responses/events.js'
import type { McpListing } from '../../src/core/responses/mcp-listing.js'
import type { ResponseRequest } from '../../src/core/responses/request.js'
import type { Response } from '../../src/core/responses/response.js'
import { loadTokenTable } from '../../src/core/tokens/load-token-table.js'
import type { EndReason, TokenChunk } from '../../src/core/tokens/token-source.js'
import type { TokenTable } from '../../src/core/tokens/token-table.js'
import type { Trace } from '../../src/core/trace/tracer.js'
import { traceTo } from '../../src/core/trace/tracer.js'
import { malformedTranscript, tokenSoup, wellFormedTranscript } from '../support/arbitraries.js'
import { Translator } from '../support/translator.js'

export const tokenTable: TokenTable = await loadTokenTable()

/** A stream of any kind. */
interface SomeStream {
  readonly chunks: readonly TokenChunk[]
  readonly textChunks?: readonly TokenChunk[]
  readonly request: ResponseRequest
}

/** A stream for the laws, with its translator's options, including the request. */
export interface AnyStream extends SomeStream {
  readonly setup: Partial<TranslatorOptions> & { readonly request: ResponseRequest }
}

const soupRequest: ResponseRequest = {
  tools: [
    { type: 'function', name: 'x' },
    { type: 'mcp', server_label: 'code_interpreter', require_approval: 'never' },
    { type: 'custom', name: 'apply' },
  ] as never,
}

const soup = (): fc.Arbitrary<SomeStream> => tokenSoup().map((ids) => ({ chunks: [ids], request: soupRequest }))

/** Well-formed, malformed, or no Harmony at all, under any options. */
export function anyStream(): fc.Arbitrary<AnyStream> {
  const stream = fc.oneof<fc.WeightedArbitrary<SomeStream>[]>(
    { weight: 3, arbitrary: wellFormedTranscript() },
    { weight: 3, arbitrary: malformedTranscript() },
    { weight: 2, arbitrary: soup() },
  )
  return fc.tuple(stream, setup()).map(([stream, setupFor]) => {
    const shown = { ...stream, setup: setupFor(stream.request) }
    const show: unknown = (stream as { [fc.toStringMethod]?: unknown })[fc.toStringMethod]
    return show === undefined ? shown : Object.defineProperty(shown, fc.toStringMethod, { value: show })
  })
}

const INCLUDABLE = ['code_interpreter_call.outputs', 'web_search_call.action.sources', 'reasoning.encrypted_content']

/** The page that generated citation marks refer to, and one with every character that a link must escape. */
export const PAGES: ReadonlyMap<number, { url: string; title: string }> = new Map([
  [4, { url: 'https://www.example.com/a?q=1&b=2', title: 'A page' }],
  [5, { url: 'https://user@example.org:8080/wiki/Foo_(bar) baz', title: '' }],
])

/** The options of a server for a translator, and those of a request. */
function setup(): fc.Arbitrary<(request: ResponseRequest) => AnyStream['setup']> {
  return fc
    .record({
      approval: fc.constantFrom(
        undefined,
        'never',
        'never',
        'always',
        { always: { tool_names: ['ask'] } },
        { never: {} },
      ),
      isLocal: fc.boolean(),
      allowed: fc.constantFrom(undefined, undefined, ['ask', 'repo.search'], { read_only: true }),
      include: fc.subarray(INCLUDABLE),
      withMessages: fc.boolean(),
      asksForSummary: fc.boolean(),
      reasoning: fc.constantFrom(undefined, 'raw', 'summary', 'both', 'hidden'),
      seals: fc.boolean(),
      cites: fc.boolean(),
      lists: fc.boolean(),
      usageByTurn: fc.boolean(),
      isTraced: fc.boolean(),
    })
    .map(
      ({
        approval,
        isLocal,
        allowed,
        include,
        withMessages,
        asksForSummary,
        reasoning,
        seals,
        cites,
        lists,
        usageByTurn,
        isTraced,
      }) =>
        (request) => {
          const tools = (request.tools ?? []).map((tool) => {
            if (tool.type === 'shell' && isLocal) return { type: 'local_shell' }
            return tool.type === 'mcp' ? { ...tool, require_approval: approval, allowed_tools: allowed } : tool
          })
          const labels = tools.flatMap((tool) => ('server_label' in tool ? [String(tool.server_label)] : []))
          return {
            request: {
              ...request,
              tools,
              include,
              ...(withMessages ? { enable_response_messages: true } : {}),
              ...(asksForSummary ? { reasoning: { summary: 'auto' } } : {}),
            },
            responseMessages: withMessages,
            ...(reasoning === undefined ? {} : { reasoning }),
            ...(seals ? SEALING : {}),
            ...(cites ? { citations: urlCitations({ resolve: (cursor) => PAGES.get(cursor) }) } : {}),
            ...(lists ? { mcpListings: labels.map(listingOf) } : {}),
            usageByTurn,
            // Every law holds with and without a tracer.
            ...(isTraced ? { trace: traceTo(() => {}) } : {}),
          }
        },
    )
}

const SEALING: Pick<TranslatorOptions, 'sealReasoning' | 'sealApproval'> = {
  sealReasoning: (text, id) => `sealed ${id} ${text.length}`,
  sealApproval: (call, id) => `sealed ${id} ${call.serverLabel} ${call.name} ${call.arguments.length}`,
}

function listingOf(serverLabel: string): McpListing {
  if (serverLabel === 'acme') return { serverLabel, error: 'no answer' }
  return {
    serverLabel,
    tools: [
      { name: 'ask', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
      { name: 'read-file' },
    ],
  }
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
}

export const fixed: { readonly responseId: string; readonly clock: () => number } = {
  responseId: 'resp_law',
  clock: () => 1_700_000_000,
}

/** Pushes a complete stream and ends it, with a tracer that records what it observes. */
export function runTraced(
  chunks: readonly TokenChunk[],
  options: Partial<TranslatorOptions> = {},
  reason?: EndReason,
): Outcome & { readonly traces: Trace[] } {
  const traces: Trace[] = []
  const outcome = run(chunks, { ...options, trace: traceTo((trace) => traces.push(trace)) }, reason)
  return { ...outcome, traces }
}

/** Pushes a complete stream and ends it. */
export function run(
  chunks: readonly TokenChunk[],
  options: Partial<TranslatorOptions> = {},
  reason?: EndReason,
): Outcome {
  const diagnostics: Diagnostic[] = []
  const translator = new Translator({
    ...fixed,
    tokenTable,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...options,
  })
  const events = chunks.flatMap((chunk) => translator.push(chunk))
  events.push(...translator.end(reason))
  return { events, response: translator.response, diagnostics }
}

/** How a response breaks off: the engine fails, the host gives up, or the client leaves. */
export type Break = 'fails' | 'aborts' | 'cancels'

export const breaks: fc.Arbitrary<Break> = fc.constantFrom('fails', 'aborts', 'cancels')

/** A stream that stops at a token. */
export function runBroken({ chunks, setup }: AnyStream, at: number, how: Break): Pick<Outcome, 'events' | 'response'> {
  const translator = new Translator({ ...fixed, tokenTable, ...setup })
  const events = oneByOne(chunks)
    .slice(0, at)
    .flatMap((chunk) => translator.push(chunk))
  if (how === 'fails') events.push(...translator.fail({ message: 'engine died' }))
  else events.push(...(how === 'aborts' ? translator.abort() : translator.cancel()))
  return { events, response: translator.response }
}

/** A stream cut into single tokens, the host's too. */
export function oneByOne(chunks: readonly TokenChunk[]): TokenChunk[] {
  return chunks.flatMap((chunk): TokenChunk[] => {
    if (typeof chunk === 'number' || typeof chunk === 'string') return [chunk]
    if (chunk instanceof Uint32Array || Array.isArray(chunk)) return [...(chunk as Iterable<TokenChunk>)]
    if ('host' in chunk)
      return typeof chunk.host === 'string' || 'author' in chunk.host
        ? [chunk]
        : Array.from(chunk.host, (id) => ({ host: [id] }))
    return [chunk]
  })
}

/**
 * Everything that chunking must not change: items, texts, ids, the order of all events, but not the borders between
 * deltas.
 */
export function withoutDeltaBorders(events: readonly ResponseStreamEvent[]): unknown[] {
  const out: Record<string, unknown>[] = []
  for (const event of events) {
    const { sequence_number: _, ...rest } = event as unknown as Record<string, unknown>
    // Reasoning that is shown in two forms has a delta of each for every push.
    const isTwofold =
      String(out.at(-1)?.['type']).startsWith('response.reasoning_') && rest['type'] !== out.at(-1)?.['type']
    const last = out.at(isTwofold ? -2 : -1)
    if (
      typeof rest['delta'] === 'string' &&
      typeof out.at(-1)?.['delta'] === 'string' &&
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
