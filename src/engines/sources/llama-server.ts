/**
 * The engine llama-server, llama.cpp's own server. docs/engines.md compares the engines.
 *
 * @packageDocumentation
 */

import * as z from 'zod'
import { FIRST_SPECIAL, markerText, VOCABULARY_SIZE } from '../../core/harmony/vocabulary.js'
import { loadTokenTable } from '../../core/tokens/load-token-table.js'
import { jsonOf } from '../../shared/json-of.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aString } from '../../shared/options/checks.js'
import type { ServedEngine } from '../contract/engine-server.js'
import { STOP_TOKENS } from '../contract/index.js'
import { GBNF_CAPABILITIES, gbnfOf } from './gbnf.js'
import type { HttpCall } from './http/http-call.js'
import { HTTP_OPTIONS, type HttpClient, type HttpOptions } from './http/http-client.js'
import { createHttpEngine } from './http/http-engine.js'
import { count, parseEvent } from './http/parse-event.js'
import { remembered } from './http/remembered.js'
import { createLostTokens } from './llama-server/lost-tokens.js'
import { createTokenIdRecovery } from './llama-server/recover-token-ids.js'
import type { Vocabulary } from './llama-server/sent-tokens.js'
import { wholeTurn } from './llama-server/whole-turn.js'

export { STOP_TOKENS } from '../../core/harmony/stop-tokens.js'
export type * from '../contract/engine.js'
export { EngineError, type EngineErrorCode } from '../contract/engine-error.js'
export type * from '../contract/engine-server.js'

/** Options of {@link createLlamaServerEngine}. */
export interface LlamaServerEngineOptions extends HttpOptions {
  /** The model, if llama-server runs as a router. Default: the one it runs. */
  readonly model?: string
}

const LLAMA_SERVER_OPTIONS: OptionTable<LlamaServerEngineOptions> = { ...HTTP_OPTIONS, model: aString }

/**
 * Connects to a gpt-oss model on llama.cpp's `llama-server`, with its own `POST /completion`: token ids in and out.
 *
 * llama-server sends the stop token like any other. It always stops at the model's own ids, which are the default ones.
 * Other special ids, such as `<|message|>`, are sent as stop words; where the model only spells one in ordinary text,
 * the stream continues with a further request. At ordinary `stop` ids this engine ends the stream and cancels the
 * request. Log-probabilities are the model's own, before temperature and limits.
 *
 * A `constraint` is sent as `grammar`: GBNF that this library writes, since `json_schema` ignores keywords that it does
 * not know. All special tokens but the ends of sequence are banned beside it. Log-probabilities are still the model's
 * own, without the grammar.
 *
 * If a character consists of several tokens, llama-server sends its text and only the last id. The other ids are
 * recovered from the bytes. If the model wrote an incomplete character, that is impossible. Substitutes then replace
 * the missing ids: as many ordinary tokens, which decode to the server's text with U+FFFD, without log-probabilities.
 * If the number cannot match, `usage` has the server's count. For an incomplete character at the very end the server
 * sends no text: it is U+FFFD, and the stop token, which is lost too, is `<|call|>` for a message with a recipient,
 * else `<|return|>`.
 *
 * The first call requests the server's models and tokenizer once. If the model is not gpt-oss by its `<|start|>`, it
 * throws an EngineError.
 *
 * Tested against recorded answers of a real server (llama.cpp v0.5.0, November 2026) and on one (build 11434), with tiny
 * models. Requires `return_tokens` and `stop_type`, which were added in December 2024.
 *
 * @see https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
 * @throws HarmonyResponsesError `bad_option`
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { createLlamaServerEngine } from 'harmony-responses/sources/llama-server'
 *
 * const engine = createLlamaServerEngine({ url: 'http://localhost:8080' })
 * const events = translate(engine.generate(promptTokens, { maxTokens: 512 }), { request })
 * ```
 */
export function createLlamaServerEngine(options: LlamaServerEngineOptions): ServedEngine {
  checkOptions('createLlamaServerEngine', options, LLAMA_SERVER_OPTIONS)
  const { model, ...http } = options
  let vocabulary: Vocabulary | undefined
  const reportedLength = remembered((client, signal) => contextLength(client, model, signal))
  const load = async (): Promise<Vocabulary> => {
    const table = await loadTokenTable()
    vocabulary ??= { table, recovery: createTokenIdRecovery(table), lost: createLostTokens(table) }
    return vocabulary
  }

  return createHttpEngine(http, {
    name: 'llama-server',
    healthPaths: ['/health'],
    proof: {
      ownedBy: 'llamacpp',
      path: '/tokenize',
      body: (text) => ({
        ...(model === undefined ? {} : { model }),
        content: text,
        add_special: false,
        parse_special: true,
      }),
      model,
    },
    generatePath: '/completion',
    capabilities: GBNF_CAPABILITIES,
    onLimitsMaybeStale: reportedLength.forget,
    async limits(client, signal) {
      const contextLength = await reportedLength.get(client, signal)
      return contextLength === undefined ? {} : { contextLength }
    },
    body(call) {
      const { prompt, sampling, maxTokens, logprobs, constraint } = call
      const words = stopWords(call)
      const { temperature, topP, topK, minP, seed } = sampling
      return {
        ...(model === undefined ? {} : { model }),
        prompt,
        n_predict: maxTokens ?? -1,
        temperature,
        top_p: topP,
        top_k: topK,
        min_p: minP,
        // Excludes the samplers for penalties, which the server's command line may have set.
        samplers: ['top_k', 'top_p', 'min_p', 'temperature'],
        ...(seed === undefined ? {} : { seed: seedOf(seed) }),
        ...(logprobs === undefined ? {} : { n_probs: Math.max(1, logprobs) }),
        ...(words.length === 0 ? {} : { stop: words }),
        ...(constraint === undefined ? {} : { grammar: gbnfOf(constraint), logit_bias: banSpecialTokens() }),
        cache_prompt: true,
        return_tokens: true,
        // Reports progress while a prompt is read, which may take minutes, and how much of it was in the cache.
        return_progress: true,
        stream: true,
      }
    },
    reader: async (call) => wholeTurn(call, await load()),
  })
}

/** llama-server's seeds have 32 bits; the largest one means random. */
function seedOf(seed: number): number {
  const any = 0xffff_ffff
  return ((seed % any) + any) % any
}

/**
 * The texts at which llama-server itself has to stop. It takes no ids (it answers 400), and stops at the ends of
 * sequence anyway. Ordinary tokens are not listed, because their text is common: at those the stream is cut here.
 * Beside a constraint, special tokens are banned, and their text in a body must not end it.
 */
function stopWords({ stop, constraint }: HttpCall): string[] {
  if (constraint !== undefined) return []
  return stop.filter((id) => id >= FIRST_SPECIAL && !STOP_TOKENS.includes(id)).map(markerText)
}

/**
 * The `logit_bias` that bans all special tokens but the ends of sequence. Every one of them has a text in a GGUF file,
 * for which a grammar would take it.
 */
function banSpecialTokens(): (readonly [id: number, bias: false])[] {
  const all = Array.from({ length: VOCABULARY_SIZE - FIRST_SPECIAL }, (_, index) => FIRST_SPECIAL + index)
  return all.filter((id) => !STOP_TOKENS.includes(id)).map((id) => [id, false] as const)
}

/** `n_ctx` is that of one slot, so of one call. */
const props = z.object(
  { default_generation_settings: z.object({ n_ctx: count }, 'an object').nullish() },
  'the properties of a server',
)

/**
 * The context length of a call, as `GET /props` reports it.
 *
 * @param model - of a router
 * @returns undefined if the server does not say
 * @throws EngineError if the server does not answer with its properties
 */
async function contextLength(
  client: HttpClient,
  model: string | undefined,
  signal: AbortSignal,
): Promise<number | undefined> {
  const path = model === undefined ? '/props' : `/props?model=${encodeURIComponent(model)}`
  const { default_generation_settings: settings } = parseEvent(
    props,
    jsonOf(await client.read(path, signal)),
    'llama-server',
  )
  // A router that has not loaded the model says 0.
  return settings?.n_ctx || undefined
}
