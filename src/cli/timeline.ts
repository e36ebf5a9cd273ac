import type { TokenChunk } from '../core/tokens/token-source.js'
import type { FixtureChunk, TokenFixture } from '../engines/sources/token-fixture.js'
import { Translator, type TranslatorOptions } from '../index.js'
import { createMomentLog } from './moment-log.js'
import { createLayout, type Moment, type Screen } from './timeline-layout.js'

/**
 * Prints a fixture's translation for people: for each token its author, the parser's position, the parser's events, and
 * the resulting events. The tokens are pushed one by one, however they were captured.
 *
 * @returns pieces of text, each of whole lines
 */
export function* timeline(fixture: TokenFixture, options: TranslatorOptions, screen: Screen): Generator<string> {
  const layout = createLayout(screen)
  const log = createMomentLog()
  const { observe } = log
  const translator = new Translator({ ...options, ...log.options })
  function* tokenMoments(): Generator<Moment> {
    for (const chunk of fixture.tokens) {
      for (const token of singly(chunk)) yield* observe('token', () => translator.push(token))
    }
  }

  yield layout.legend(fixture)
  yield* observe('start', () => translator.start()).map(layout.moment)
  for (const run of layout.foldsHost ? hostRuns(tokenMoments()) : alone(tokenMoments())) {
    yield run.length > 1 ? layout.hostRun(run) : run.map(layout.moment).join('')
  }
  const { reason, usage } = fixture.end ?? {}
  const end = (): void => {
    if (usage !== undefined) translator.addUsage(usage)
    translator.end(reason)
  }
  yield* observe(`end ${reason ?? ''}`.trimEnd(), end).map(layout.moment)
  yield layout.summary(translator.response, log.eventCount, log.diagnostics)
}

function* alone(moments: Iterable<Moment>): Generator<readonly Moment[]> {
  for (const moment of moments) yield [moment]
}

/** Groups consecutive tokens of the host, up to the end of a message; the model's tokens stay separate. */
function* hostRuns(moments: Iterable<Moment>): Generator<readonly Moment[]> {
  let run: Moment[] = []
  for (const moment of moments) {
    const { cause, harmony } = moment
    const isHost = typeof cause !== 'string' && cause.origin === 'host'
    if (!isHost && run.length > 0) {
      yield run
      run = []
    }
    run.push(moment)
    if (isHost && !harmony.some(({ type }) => type === 'message_end')) continue
    yield run
    run = []
  }
  if (run.length > 0) yield run
}

/** Splits a chunk into tokens, each as a chunk. Text stays in one piece, as the engine cut it. */
function singly(chunk: FixtureChunk): readonly TokenChunk[] {
  if (typeof chunk !== 'object') return [chunk]
  if (!('host' in chunk)) return 'id' in chunk ? [chunk] : chunk
  return typeof chunk.host === 'string' || 'author' in chunk.host ? [chunk] : chunk.host.map((id) => ({ host: [id] }))
}
