import { type ResponseStreamEvent, type TranslateOptions, translate } from '../../src/index.js'
import type { Script } from './scenarios.js'
import { chunksOf } from './scripted-host.js'

/**
 * The events of any transcript, as `translate` makes them for a host with a loop of its own: with text in the place of ids,
 * results that nobody asked for, and a model that goes on behind the client's calls. No engine and tools make that.
 */
export function translatedEvents(
  { tokens, end }: Script,
  options: TranslateOptions,
): AsyncGenerator<ResponseStreamEvent, unknown> {
  if (typeof end === 'string') throw new Error(`a transcript is there as a whole: it never ${end}`)
  const chunks = tokens.flatMap((part) => {
    if (typeof part === 'object' && 'insert' in part) throw new Error('a transcript has no items of the host')
    return chunksOf(part)
  })
  return translate(
    (async function* () {
      yield* chunks
      return end
    })(),
    options,
  )
}
