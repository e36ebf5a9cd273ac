import { Translator, type TranslatorOptions } from '../index.js'
import type { FixtureChunk, TokenFixture } from '../sources/token-fixture.js'
import type { TokenChunk } from '../tokens/token-source.js'
import type { Diagnostic } from '../translate/diagnostics.js'
import { traceTo } from '../translate/tracer.js'
import { createLayout, type Moment, type Screen } from './timeline-layout.js'

/**
 * A fixture's translation for people: per token who wrote it, where the parser stood, what the parser told, and the
 * events that came of it. The tokens are pushed one by one, however they were captured.
 *
 * @returns pieces of text, each of whole lines
 */
export function* timeline(fixture: TokenFixture, options: TranslatorOptions, screen: Screen): Generator<string> {
  const layout = createLayout(screen)
  const diagnostics: Diagnostic[] = []
  let eventCount = 0
  let moment: Moment

  const translator = new Translator({
    ...options,
    trace: traceTo((trace) => {
      if (trace.type === 'token') moment.cause = trace
      else if (trace.type === 'harmony') moment.harmony.push(trace.event)
      else {
        moment.news.push(trace)
        eventCount++
      }
    }),
    onDiagnostic(diagnostic) {
      moment.news.push(diagnostic)
      diagnostics.push(diagnostic)
    },
  })
  const show = (cause: string, step: () => void): string => {
    moment = { cause, harmony: [], news: [] }
    step()
    return layout.moment(moment)
  }

  yield layout.legend(fixture)
  yield show('start', () => translator.start())
  for (const chunk of fixture.tokens) {
    for (const token of singly(chunk)) yield show('token', () => translator.push(token))
  }
  const { reason, usage } = fixture.end ?? {}
  yield show(`end ${reason ?? ''}`.trimEnd(), () => {
    if (usage !== undefined) translator.addUsage(usage)
    translator.end(reason)
  })
  yield layout.summary(translator.response, eventCount, diagnostics)
}

/** A chunk's tokens, each as a chunk. Text stays whole: it was cut where the engine cut it. */
function singly(chunk: FixtureChunk): readonly TokenChunk[] {
  if (typeof chunk !== 'object') return [chunk]
  if (!('host' in chunk)) return 'id' in chunk ? [chunk] : chunk
  return typeof chunk.host === 'string' || 'author' in chunk.host ? [chunk] : chunk.host.map((id) => ({ host: [id] }))
}
