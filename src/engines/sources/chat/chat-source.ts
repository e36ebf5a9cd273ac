import { encoderOf } from '../../../core/tokens/encoder.js'
import { loadTokenTable } from '../../../core/tokens/load-token-table.js'
import type { StreamEnd } from '../../../core/tokens/token-source.js'
import type { TokenTable } from '../../../core/tokens/token-table.js'
import { check, isIterable } from '../../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { aTokenTable } from '../../../shared/options/checks.js'
import { EngineError } from '../../contract/engine-error.js'
import type { PromptFields } from '../../contract/prompt-fields.js'
import type { EngineStep } from '../http/token-reader.js'
import { createChatReader } from './read-call.js'
import { type ChatTraits, DEFAULT_TRAITS, TRAITS } from './traits.js'

/** The chunks of a Chat Completions stream, as parsed JSON: `for await` over the stream of an SDK. */
export type ChatChunkSource = AsyncIterable<unknown> | Iterable<unknown>

/** Options of {@link chatSource}. */
export interface ChatSourceOptions extends Pick<ChatTraits, 'reasoningFields' | 'thinkTags'> {
  /** The tools of the request, by their addresses in Harmony. Default: each call is one of a function. */
  readonly tools?: PromptFields['tools']
  /** Default: the one of the package, which is loaded. */
  readonly tokenTable?: TokenTable
}

const CHAT_SOURCE_OPTIONS: OptionTable<ChatSourceOptions> = {
  reasoningFields: TRAITS.reasoningFields,
  thinkTags: TRAITS.thinkTags,
  tools: (value, path) => check(Array.isArray(value), path, 'an array of tools', value),
  tokenTable: aTokenTable,
}

/**
 * Turns the chunks of a Chat Completions stream into the tokens of a model, for `translate`: without a server of this
 * package, in Node, a browser or at the edge.
 *
 * A stream that breaks off, or ends without a `finish_reason`, fails.
 *
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { chatSource } from 'harmony-responses/sources/chat'
 *
 * const chunks = [{ choices: [{ delta: { content: 'Hi!' }, finish_reason: 'stop' }] }]
 * for await (const event of translate(chatSource(chunks), { request })) console.log(event.type)
 * ```
 */
export function chatSource(
  chunks: ChatChunkSource,
  options: ChatSourceOptions = {},
): AsyncGenerator<number[], StreamEnd> {
  checkOptions('chatSource', options, CHAT_SOURCE_OPTIONS)
  check(isIterable(chunks), 'chatSource: chunks', 'the chunks of a stream', chunks)
  return tokensOf(chunks, options)
}

async function* tokensOf(chunks: ChatChunkSource, options: ChatSourceOptions): AsyncGenerator<number[], StreamEnd> {
  const { tools = [], reasoningFields = DEFAULT_TRAITS.reasoningFields, thinkTags = 'none' } = options
  const encode = encoderOf(options.tokenTable ?? (await loadTokenTable()))
  const reader = createChatReader(
    { promptFields: { tools } },
    { opening: 'turn', traits: { reasoningFields, thinkTags }, encode },
  )
  let end: StreamEnd = {}
  let tokens: number[] = []
  const take = ({ tokens: more, end: ended, usage }: EngineStep): void => {
    tokens = more as number[]
    end = { ...end, ...ended, ...(usage && { usage: { ...end.usage, ...usage } }) }
  }
  for await (const chunk of chunks) {
    reader.read(chunk, take)
    if (tokens.length > 0) yield tokens
    tokens = []
  }
  if (end.reason === undefined) throw new EngineError('server_error', 'the stream ended without a finish reason')
  return end
}
