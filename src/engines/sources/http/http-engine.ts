import { checkEnforces, copyConstraint } from '../../contract/check-constraint.js'
import { checkGenerate } from '../../contract/check-generate.js'
import type { EngineCapabilities } from '../../contract/constraint.js'
import { EngineError, type EngineErrorCode } from '../../contract/engine-error.js'
import type { ServedEngine } from '../../contract/engine-server.js'
import { type GenerateOptions, STOP_TOKENS } from '../../contract/index.js'
import type { Answer } from './answer.js'
import { callStream, type StepReader } from './call-stream.js'
import { createEngineServer } from './engine-server.js'
import { TransientError } from './failure-of.js'
import { isHiddenPath } from './hidden-path.js'
import type { HttpCall } from './http-call.js'
import { createHttpClient, type HttpClient, type HttpOptions } from './http-client.js'
import { type ModelProof, proveModel } from './prove-model.js'
import { sharedWork } from './shared-work.js'
import { traceHeaders } from './trace-headers.js'

/** The limits of a call. */
export type CallLimits = Pick<EngineCapabilities, 'contextLength' | 'maxPromptLength'>

/** The parts of an HTTP engine that differ by server. */
export interface HttpProtocol {
  /** The server's name, for messages. */
  readonly name: string
  /** Requested by `health()`: the first that the server has, or its models, which are the default. Any 2xx status is healthy. */
  readonly healthPaths?: readonly [string, ...string[]]
  /** Asks whether the server accepts calls, in place of these paths. @throws EngineError */
  health?(client: HttpClient, signal: AbortSignal): Promise<void>
  readonly generatePath: string
  /** How the server proves that its model is gpt-oss. Absent: any model is right. */
  readonly proof?: ModelProof
  /** The model of the calls, if it is named. */
  readonly model?: string | undefined
  /** The field of a body that separates prefix caches. Absent if the server has none. */
  readonly cacheSaltField?: string
  /** The server's maximum capabilities, without its limits. */
  readonly capabilities: EngineCapabilities
  /**
   * Returns its current constraint capabilities, which override `capabilities`. Called only if the caller needs them.
   */
  enforced?(client: HttpClient, signal: AbortSignal): Promise<EngineCapabilities>
  /** Whether a call that the server refused is made again, with another body. */
  again?(call: HttpCall, error: unknown): boolean
  /** Called for each failure of a call, also one after which the call is made again. */
  onFailure?(call: HttpCall, error: unknown): void
  /** Called when the server's limits may have changed, so that it is asked again when they are next needed. */
  onLimitsMaybeStale(): void
  /** Returns the limits of a call that the server reports. */
  limits(client: HttpClient, signal: AbortSignal): Promise<CallLimits>
  /** Creates the request's body. */
  body(call: HttpCall, client: HttpClient, signal: AbortSignal): unknown
  /** Creates what converts the events of a call. */
  reader(call: HttpCall): StepReader | Promise<StepReader>
}

/** An HTTP engine that streams server-sent events. Closing a call cancels its request. */
export function createHttpEngine(options: HttpOptions, protocol: HttpProtocol): ServedEngine {
  const client = createHttpClient(options)
  const { checkModel = true } = options
  const { proof, cacheSaltField, capabilities } = protocol
  let proven = proof === undefined || !checkModel

  /** Concurrent requests share the first contact. */
  const firstContact = sharedWork(async (signal) => {
    if (proof !== undefined) await proveModel(protocol.name, proof, client, signal)
    proven = true
  })

  /** Proves once, at the first contact, that the model is the right one. */
  async function prove(signal: AbortSignal): Promise<void> {
    if (!proven) await firstContact(signal)
  }

  /** Proves it again: another server may have been started at the same address. */
  async function proveAgain(signal: AbortSignal): Promise<void> {
    if (proof === undefined) return
    try {
      await proveModel(protocol.name, proof, client, signal)
    } catch (error) {
      // Another model would answer the next requests with nonsense.
      if (!signal.aborted) proven = false
      throw error
    }
  }

  async function askHealth(signal: AbortSignal): Promise<void> {
    if (protocol.health !== undefined) return await protocol.health(client, signal)
    // Without its models, a server behind a proxy that passes only the paths of OpenAI's API is never healthy.
    const paths = [...(protocol.healthPaths ?? []), '/v1/models']
    for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
      try {
        const answer = await client.request('GET', path, signal)
        // Its body says nothing about the server's health.
        return answer.release()
      } catch (error) {
        if (paths.length === 0 || !isHiddenPath(error)) throw error
      }
    }
  }

  async function send(call: HttpCall, signal: AbortSignal): Promise<Answer> {
    await prove(signal)
    // Created for each attempt: the process that answers next may need another form of the constraint.
    const body = (): unknown => protocol.body(call, client, signal)
    const onClosed = (error: unknown): void => onRetry(call, error)
    for (;;) {
      try {
        return await client.request('POST', protocol.generatePath, signal, body, { headers: call.trace, onClosed })
      } catch (error) {
        if (protocol.again?.(call, error) !== true) throw error
        onRetry(call, error)
      }
    }
  }

  function doubt(error: unknown): void {
    if (isDoubtful(error)) protocol.onLimitsMaybeStale()
  }

  function onRetry(call: HttpCall, error: unknown): void {
    doubt(error)
    protocol.onFailure?.(call, error)
  }

  function failed(call: HttpCall, error: unknown): unknown {
    onRetry(call, error)
    return client.shown(error)
  }

  const { name, reader } = protocol
  const source = { name, send, reader, onRetry, failed, isCounted: capabilities.takes !== 'messages' }

  return {
    server: createEngineServer(client, { model: protocol.model ?? proof?.model, cacheSaltField }),
    generate(promptTokens, options = {}) {
      checkGenerate(promptTokens, options)
      checkEnforces(name, capabilities, options.constraint)
      return callStream(completeCall(promptTokens, options), source, client, options.signal)
    },
    async health({ signal = new AbortController().signal } = {}) {
      try {
        await askHealth(signal)
        if (checkModel) await proveAgain(signal)
      } catch (error) {
        // Without it, a server that is restarted between two calls keeps the limits of the process before.
        doubt(error)
        throw client.shown(error)
      }
    },
    async capabilities({ signal = new AbortController().signal, constraints = true } = {}) {
      try {
        await prove(signal)
        const limits = await protocol.limits(client, signal)
        const enforced = constraints ? await protocol.enforced?.(client, signal) : undefined
        return { ...capabilities, ...enforced, ...limits }
      } catch (error) {
        throw client.shown(error)
      }
    },
  }
}

/**
 * Whether the server's limits may have changed: another process may answer next, or has answered already and refused a call
 * that was made for the limits of the one before. A busy one is the same, and questions would add to its load.
 */
function isDoubtful(error: unknown): boolean {
  if (error instanceof TransientError) return error.status !== 429
  return error instanceof EngineError && REFUSED.includes(error.code)
}

/** A limit above the context is an `invalid_prompt` in the words of some versions. */
const REFUSED: readonly EngineErrorCode[] = ['context_length_exceeded', 'invalid_prompt']

/** Copies the arguments and fills in defaults. The call begins later, and the caller may change its arguments. */
function completeCall(promptTokens: readonly number[] | Uint32Array, options: GenerateOptions): HttpCall {
  const { sampling = {}, stop = STOP_TOKENS, maxTokens, logprobs, constraint, trace, cacheSalt, onUsage } = options
  const { promptFields, retryWithinMs = Number.POSITIVE_INFINITY } = options
  const { temperature = 1, topP = 1, topK = 0, minP = 0, seed } = sampling
  return {
    prompt: listOf(promptTokens),
    // Servers reject a top_p of 0. A very small one has the same effect: only the most likely token.
    sampling: { temperature, topP: Math.max(topP, 1e-6), topK, minP, ...(seed === undefined ? {} : { seed }) },
    given: { ...sampling },
    promptFields,
    // A complete body ends with an end of sequence, regardless of the call's stop ids.
    stop: constraint === undefined ? [...stop] : [...new Set([...stop, ...STOP_TOKENS])],
    maxTokens,
    logprobs,
    constraint: constraint && copyConstraint(constraint),
    trace: traceHeaders(trace),
    cacheSalt,
    retryWithinMs,
    onUsage,
  }
}

/** `Array.from` goes through an iterator of a Uint32Array, which takes four times as long. */
function listOf(ids: readonly number[] | Uint32Array): readonly number[] {
  const list = new Array<number>(ids.length)
  for (let at = 0; at < ids.length; at++) list[at] = ids[at] as number
  return list
}
