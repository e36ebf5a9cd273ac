import type { TokenEngine } from '../engine/index.js'
import { check } from '../errors.js'
import { loadTokenTable } from '../tokens/token-table.js'
import type { HttpOptions } from './http/http-client.js'
import { createHttpEngine } from './http/http-engine.js'
import { checkModel } from './llama-server/check-model.js'
import { completionSteps, type Vocabulary } from './llama-server/completion-steps.js'
import { createTokenIdRecovery } from './llama-server/recover-token-ids.js'

export { EngineError, type EngineErrorCode } from '../engine/engine-error.js'
export {
  type GenerateOptions,
  type Sampling,
  STOP_TOKENS,
  type TokenEngine,
  type TokenStream,
} from '../engine/index.js'

/** Options of {@link createLlamaServerEngine}. */
export interface LlamaServerEngineOptions extends HttpOptions {
  /** Which model, where llama-server runs as a router. Default: the one it runs. */
  readonly model?: string
}

/**
 * A gpt-oss model that llama.cpp's `llama-server` runs, by its own `POST /completion` with token ids in and out.
 *
 *     const engine = createLlamaServerEngine({ url: 'http://localhost:8080' })
 *     translate(engine.generate(promptTokens, { maxTokens: 512 }), { request })
 *
 * llama-server gives the stop token as it gives any other. It knows no ids to stop at but the model's own, which are
 * the default ones: at others the stream ends, and the request is closed. Log-probabilities are the model's own, before
 * temperature and limits.
 *
 * It keeps back the ids of a character that is cut in several tokens, and then gives its text and the last id only. The
 * others are found again by their bytes. Where the model wrote half a character, they cannot be: the text comes instead
 * of ids, with U+FFFD as the server has it, and `usage` has the server's count. Of half a character at the very end it
 * tells nothing: the text is U+FFFD, and the stop token behind it, which is swallowed too, is `<|call|>` for a message
 * with a recipient, else `<|return|>`.
 *
 * With the first call it is asked once for its models: one that is not gpt-oss, by its count of tokens, is an
 * EngineError.
 *
 * Tested against what a real server sent (llama.cpp v0.5.0, November 2026), on scripted models. `return_tokens` and
 * `stop_type` came in December 2024.
 *
 * @see https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
 * @throws HarmonyResponsesError `bad_option`
 */
export function createLlamaServerEngine(options: LlamaServerEngineOptions): TokenEngine {
  const { model, ...http } = Object(options) as LlamaServerEngineOptions
  check(model === undefined || typeof model === 'string', 'model', 'a string', model)
  let vocabulary: Vocabulary | undefined
  let isChecked = false
  const load = async (): Promise<Vocabulary> => {
    const table = await loadTokenTable()
    vocabulary ??= { table, recovery: createTokenIdRecovery(table) }
    return vocabulary
  }

  return createHttpEngine(http, {
    healthPath: '/health',
    generatePath: '/completion',
    async body({ prompt, sampling, maxTokens, logprobs }, client, signal) {
      if (!isChecked) await checkModel(client, model, signal)
      isChecked = true
      const { temperature, topP, topK, minP, seed } = sampling
      return {
        ...(model === undefined ? {} : { model }),
        prompt,
        n_predict: maxTokens ?? -1,
        temperature,
        top_p: topP,
        top_k: topK,
        min_p: minP,
        // Without those for penalties, which the server's command line may have set.
        samplers: ['top_k', 'top_p', 'min_p', 'temperature'],
        ...(seed === undefined ? {} : { seed: seedOf(seed) }),
        ...(logprobs === undefined ? {} : { n_probs: Math.max(1, logprobs) }),
        cache_prompt: true,
        return_tokens: true,
        stream: true,
      }
    },
    steps: (events, call) => completionSteps(events, call, load),
  })
}

/** Its seeds have 32 bits, of which the largest is its word for any. */
function seedOf(seed: number): number {
  const any = 0xffff_ffff
  return ((seed % any) + any) % any
}
