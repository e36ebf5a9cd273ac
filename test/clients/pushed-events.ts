import { EngineError } from '../../src/engine/engine-error.js'
import {
  loadTokenTable,
  type ResponseStreamEvent,
  type StreamEnd,
  type TokenChunk,
  type TokenSource,
  type TranslateOptions,
  Translator,
  translate,
} from '../../src/index.js'
import { hostItem } from '../../src/items.js'
import { encodeHarmony } from '../support/tokens.js'
import { HOST_ERROR, type Insertion, type Script } from './scenarios.js'

const tokenTable = await loadTokenTable()

/** What a source tells the test. */
export interface SourceHooks {
  readonly onHangs: () => void
  readonly onClosed: () => void
}

/** The events of a script whose host does more than answer calls: it puts its own items in, or plays any transcript. */
export function pushedEvents(
  script: Script,
  options: TranslateOptions,
  { onHangs, onClosed }: SourceHooks,
): AsyncGenerator<ResponseStreamEvent, unknown> {
  return script.tokens.some(isInsertion) ? pushed(script, options) : translate(play(script, onHangs, onClosed), options)
}

export const isInsertion = (part: Script['tokens'][number]): part is Insertion =>
  typeof part === 'object' && 'insert' in part

/** A part of a script as the engine gives it: text a token at a time. */
export const chunksOf = (part: TokenChunk): readonly TokenChunk[] =>
  typeof part === 'string' ? encodeHarmony(part) : [part]

/** A host that has items of its own to put in pushes. */
async function* pushed({ tokens, end }: Script, options: TranslateOptions): AsyncGenerator<ResponseStreamEvent> {
  if (typeof end === 'string') throw new Error(`a host that pushes does not play an engine that ${end}`)
  const translator = new Translator({ ...options, tokenTable })
  yield* translator.start()
  for (const part of tokens) {
    if (isInsertion(part)) yield* translator.insert(hostItem(part.insert))
    else for (const chunk of chunksOf(part)) yield* translator.push(chunk)
  }
  if (end.usage !== undefined) translator.addUsage(end.usage)
  yield* translator.end(end.reason)
}

/** An engine: a token at a time. Closing it reaches it even while it is waited for, which a generator cannot do. */
function play(script: Script, onHangs: () => void, onClosed: () => void): TokenSource {
  const chunks = script.tokens.flatMap((part) => (isInsertion(part) ? [] : chunksOf(part)))
  let at = 0
  const source: AsyncIterableIterator<TokenChunk, StreamEnd | undefined> = {
    [Symbol.asyncIterator]: () => source,
    async next() {
      const chunk = chunks[at++]
      if (chunk !== undefined) return { done: false, value: chunk }
      if (script.end === 'throws') throw new EngineError('server_error', HOST_ERROR)
      if (script.end === 'breaks') throw new Error(HOST_ERROR)
      if (script.end === 'hangs') {
        onHangs()
        return new Promise(() => {})
      }
      return { done: true, value: script.end }
    },
    async return() {
      onClosed()
      return { done: true, value: undefined }
    },
  }
  return source
}
