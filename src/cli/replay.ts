import { createHash } from 'node:crypto'
import { urlCitations } from '../core/citations/url-citations.js'
import { encodeSse, type SseEvent } from '../core/sse/encode.js'
import { loadTokenTable } from '../core/tokens/load-token-table.js'
import { openResponses, vllm } from '../dialects/index.js'
import { fixtureOptions, fixtureResponseId } from '../engines/sources/fixture-options.js'
import { replay } from '../engines/sources/replay.js'
import type { TokenFixture } from '../engines/sources/token-fixture.js'
import { type TranslateOptions, translateBatches } from '../index.js'
import { timeline } from './timeline.js'
import type { Screen } from './timeline-layout.js'

/** The output formats of a replay. */
export type Format = 'jsonl' | 'sse' | 'timeline'

/** The dialects of the events. */
export const DIALECTS = ['openai', 'open-responses', 'vllm'] as const
export type Dialect = (typeof DIALECTS)[number]

/** Options of the translation; everything else is derived from the fixture. */
export interface TranslationOptions extends Pick<TranslateOptions, 'policy' | 'calls' | 'reasoning'> {
  /** Turns citation marks into annotations even if the fixture does not request it. */
  readonly citations?: boolean
  readonly dialect?: Dialect
}

/** Prints a fixture's translation in pieces of complete lines. The same fixture always gives the same text. */
export async function* printReplay(
  fixture: TokenFixture,
  format: Format,
  { citations = false, dialect = 'openai', ...options }: TranslationOptions,
  screen: Screen,
): AsyncGenerator<string> {
  const resolved = { ...fixedOptions(fixture), ...(citations ? { citations: urlCitations() } : {}), ...options }
  if (format === 'timeline') {
    yield* timeline(fixture, { ...resolved, tokenTable: await loadTokenTable() }, screen)
    return
  }
  const print = format === 'sse' ? encodeSse : (event: SseEvent) => `${JSON.stringify(event)}\n`
  const encode = [openResponses, vllm].find(({ name }) => name === dialect)?.encoder() ?? ((event) => event)
  const failures: unknown[] = []
  const onError = (error: unknown): unknown => failures.push(error)
  for await (const events of translateBatches(replay(fixture), { ...resolved, onError })) {
    yield events.map((event) => print(encode(event))).join('')
  }
  // Everything before it is printed; the stream itself does not report the fixture's error.
  if (failures.length > 0) throw failures[0]
}

/** Derives from the fixture the values that are otherwise random or read from a clock. */
export function fixedOptions(fixture: TokenFixture): TranslateOptions & { readonly responseId: string } {
  const hash = createHash('sha256').update(fixture.name).digest('hex')
  return { ...fixtureOptions(fixture), responseId: fixtureResponseId(hash) }
}
