import { checkGenerate } from '../../engine/check-generate.js'
import { type GenerateOptions, type Sampling, STOP_TOKENS, type TokenEngine } from '../../engine/index.js'
import { tokenStream } from '../../engine/token-stream.js'
import { createHttpClient, type HttpClient, type HttpOptions } from './http-client.js'
import { readEvents } from './read-events.js'
import { withRetries } from './retry.js'
import { type EngineStep, stepsToTokens } from './steps-to-tokens.js'

/** One model call, with defaults filled in. */
export interface HttpCall {
  readonly prompt: readonly number[]
  readonly sampling: Required<Omit<Sampling, 'seed'>> & Pick<Sampling, 'seed'>
  readonly stop: readonly number[]
  readonly maxTokens: number | undefined
  readonly logprobs: number | undefined
}

/** The parts of an HTTP engine that differ by server. */
export interface HttpProtocol {
  /** Requested by `health()`; any 2xx status is healthy. */
  readonly healthPath: string
  readonly generatePath: string
  /** Creates the request's body. */
  body(call: HttpCall, client: HttpClient, signal: AbortSignal): unknown
  /** Converts the answer's events. */
  steps(events: AsyncIterable<unknown>, call: HttpCall): AsyncIterable<EngineStep>
}

/** An HTTP engine that streams server-sent events. Each call is one request; closing the call cancels it. */
export function createHttpEngine(options: HttpOptions, protocol: HttpProtocol): TokenEngine {
  const client = createHttpClient(options)

  async function* attempt(call: HttpCall, signal: AbortSignal): ReturnType<typeof stepsToTokens> {
    const body = await protocol.body(call, client, signal)
    const response = await client.request('POST', protocol.generatePath, signal, body)
    return yield* stepsToTokens(protocol.steps(readEvents(response), call), call.stop, call.maxTokens)
  }

  async function* run(call: HttpCall, signal: AbortSignal): ReturnType<typeof stepsToTokens> {
    try {
      return yield* withRetries(() => attempt(call, signal), client, signal)
    } catch (error) {
      throw client.shown(error)
    }
  }

  return {
    generate(promptTokens, options = {}) {
      checkGenerate(promptTokens, options)
      const call = completeCall(promptTokens, options)
      return tokenStream((signal) => run(call, signal), options.signal)
    },
    async health({ signal = new AbortController().signal } = {}) {
      try {
        const response = await client.request('GET', protocol.healthPath, signal)
        // A connection that breaks now says nothing about the server's health.
        await response.body?.cancel().catch(() => {})
      } catch (error) {
        throw client.shown(error)
      }
    },
  }
}

/** Copies the arguments and fills in defaults. The call begins later, and the caller may change its arguments. */
function completeCall(promptTokens: readonly number[] | Uint32Array, options: GenerateOptions): HttpCall {
  const { sampling = {}, stop = STOP_TOKENS, maxTokens, logprobs } = options
  const { temperature = 1, topP = 1, topK = 0, minP = 0, seed } = sampling
  return {
    prompt: Array.from(promptTokens),
    // Servers reject a top_p of 0. A very small one has the same effect: only the most likely token.
    sampling: { temperature, topP: Math.max(topP, 1e-6), topK, minP, ...(seed === undefined ? {} : { seed }) },
    stop: [...stop],
    maxTokens,
    logprobs,
  }
}
