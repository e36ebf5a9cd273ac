import { createHash } from 'node:crypto'
import { openResponses, vllm } from '../dialects/index.js'
import { type TranslateOptions, translateBatches } from '../index.js'
import { replay } from '../sources/replay.js'
import type { TokenFixture } from '../sources/token-fixture.js'
import { encodeSse, type SseEvent } from '../sse/encode.js'
import { loadTokenTable } from '../tokens/load-token-table.js'
import { urlCitations } from '../translate/citations/url-citations.js'
import { timeline } from './timeline.js'
import type { Screen } from './timeline-layout.js'

/** What a replay can be printed as. */
export const FORMATS = ['jsonl', 'sse', 'timeline'] as const
export type Format = (typeof FORMATS)[number]

/** The words in which a server may put the events. */
export const DIALECTS = ['openai', 'open-responses', 'vllm'] as const

/** How to translate; the rest follows from the fixture. */
export interface TranslationOptions extends Pick<TranslateOptions, 'policy' | 'calls' | 'reasoning'> {
  /** Turns citation marks into annotations, also where the fixture does not ask for it. */
  readonly citations?: boolean
  readonly dialect?: (typeof DIALECTS)[number]
}

/** A fixture's translation as text, in pieces of complete lines. The same fixture always gives the same text. */
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
  // What came before it is printed; the stream itself does not say what was wrong with the fixture.
  if (failures.length > 0) throw failures[0]
}

/** What is random or read off a clock elsewhere, and follows from the fixture here. */
export function fixedOptions(fixture: TokenFixture): TranslateOptions & { readonly responseId: string } {
  const { name, created_at, request, setup = {} } = fixture
  const { citations, ...given } = setup
  return {
    ...given,
    ...(citations === true ? { citations: urlCitations() } : {}),
    responseId: `resp_${createHash('sha256').update(name).digest('hex').slice(0, 50)}`,
    clock: () => created_at ?? 0,
    ...(request === undefined ? {} : { request }),
  }
}
