import { createHash } from 'node:crypto'
import { type TranslateOptions, translateBatches } from '../ambient.js'
import { replay } from '../sources/replay.js'
import type { TokenFixture } from '../sources/token-fixture.js'
import { encodeSse } from '../sse/encode.js'
import { loadTokenTable } from '../tokens/token-table.js'
import { timeline } from './timeline.js'
import type { Screen } from './timeline-layout.js'

/** What a replay can be printed as. */
export const FORMATS = ['jsonl', 'sse', 'timeline'] as const
export type Format = (typeof FORMATS)[number]

/** How to translate; the rest follows from the fixture. */
export type TranslationOptions = Pick<TranslateOptions, 'policy' | 'calls'>

/** A fixture's translation as text, in pieces of whole lines. The same fixture always gives the same text. */
export async function* printReplay(
  fixture: TokenFixture,
  format: Format,
  options: TranslationOptions,
  screen: Screen,
): AsyncGenerator<string> {
  const settled = { ...options, ...fixedOptions(fixture) }
  if (format === 'timeline') {
    yield* timeline(fixture, { ...settled, tokenTable: await loadTokenTable() }, screen)
    return
  }
  const print = format === 'sse' ? encodeSse : (event: object) => `${JSON.stringify(event)}\n`
  for await (const events of translateBatches(replay(fixture), settled)) yield events.map(print).join('')
}

/** What is random or read off a clock elsewhere, and follows from the fixture here. */
export function fixedOptions(fixture: TokenFixture): Pick<TranslateOptions, 'responseId' | 'clock' | 'request'> {
  const { name, created_at, request } = fixture
  return {
    responseId: `resp_${createHash('sha256').update(name).digest('hex').slice(0, 50)}`,
    clock: () => created_at ?? 0,
    ...(request === undefined ? {} : { request }),
  }
}
