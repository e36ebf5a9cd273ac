import { checkGenerate } from '../../engine/check-generate.js'
import { EngineError } from '../../engine/engine-error.js'
import type { TokenEngine } from '../../engine/index.js'
import { tokenStream } from '../../engine/token-stream.js'
import { check } from '../../errors.js'
import { loadTokenTable } from '../../tokens/token-table.js'
import { createPool } from '../pool.js'
import { checkVocabulary } from './check-vocabulary.js'
import { loadLlama } from './load-llama.js'
import type { Llama, LlamaContext, LlamaModel, LlamaSequence } from './node-llama-cpp.js'
import { checkFits, llamaError, sequenceTokens } from './sequence-tokens.js'

/** Options of {@link createLlamaCppEngine}. */
export interface LlamaCppEngineOptions {
  /** The GGUF file of a gpt-oss model; of one in parts, the first. */
  readonly modelPath: string
  /**
   * What to compute on: `auto` takes the best GPU there is, else the processor; `false` the processor. Default `auto`.
   * Not beside `llama`, which has one already.
   */
  readonly gpu?: 'auto' | 'metal' | 'cuda' | 'vulkan' | false
  /** How many of the model's layers go to the GPU. Default `auto`: as many as fit beside the context. */
  readonly gpuLayers?: 'auto' | 'max' | number
  /**
   * Tokens that a prompt and its answer have room for, together; rounded up to a multiple of 256. Default: as many as
   * memory allows, up to the model's 131,072.
   */
  readonly contextSize?: number
  /** How many calls may run at once, each with a context of its own size in memory. More of them wait. Default 1. */
  readonly parallel?: number
  /**
   * Threads of the processor. Default: as many as it has cores that are good at this. More than that is slower by far;
   * with a `llama` of your own the default is what it was made with.
   */
  readonly threads?: number
  /**
   * Keeps every layer's state of the whole context. gpt-oss needs only the last 128 tokens of it in every second layer,
   * and half the memory is saved with `false`; but then a prompt that differs from the one before by more than that, as
   * any next turn does, is evaluated again from its start. Default true.
   */
  readonly swaFullCache?: boolean
  /** How far the loading of the model is, above 0 up to 1. */
  readonly onProgress?: (share: number) => void
  /**
   * Gives up loading: the promise rejects with the signal's reason at once. What is under way is loaded to its end all
   * the same, and freed then.
   */
  readonly signal?: AbortSignal
  /**
   * What `getLlama()` of node-llama-cpp gave, to share it or to set more than there is here. It stays yours to dispose.
   */
  readonly llama?: Llama
}

/** A gpt-oss model in this process. */
export interface LlamaCppEngine extends TokenEngine {
  /** What it computes on: `metal`, `cuda`, `vulkan`, or `false` for the processor alone. */
  readonly gpu: string | false
  /** Tokens that a prompt and its answer have room for, together. */
  readonly contextSize: number
  /** Calls that run at once. */
  readonly parallel: number
  /**
   * Frees the model's memory, after the native step under way. Streams that are open and calls that wait end with an
   * EngineError `server_error`, and so does every later call. Twice is fine.
   */
  dispose(): Promise<void>
}

/**
 * Loads a gpt-oss model with node-llama-cpp, which has to be installed beside this package.
 *
 *     const engine = await createLlamaCppEngine({ modelPath: 'gpt-oss-20b-mxfp4.gguf', parallel: 2 })
 *     translate(engine.generate(promptTokens, { maxTokens: 512 }), { request })
 *     await engine.dispose()
 *
 * A call goes to the free sequence that already holds the longest beginning of its prompt; where that is less than the
 * call would overwrite, to the one that was free for longest. What `llamaCppSource` says of cached tokens,
 * log-probabilities and seeds is true here too.
 *
 * @throws HarmonyResponsesError `bad_option`: an option is wrong, or the model is not gpt-oss
 * @throws EngineError `server_error`: node-llama-cpp is not there, or llama.cpp cannot load the model, in its own words
 */
export async function createLlamaCppEngine(options: LlamaCppEngineOptions): Promise<LlamaCppEngine> {
  checkEngineOptions(options)
  const { signal } = options
  signal?.throwIfAborted()
  const loading = load(options)
  return signal === undefined ? loading : abortable(signal, loading)
}

/**
 * llama.cpp is not told of the signal: of a load that is aborted before it reads the file, node-llama-cpp 3.22 keeps a
 * handle for ever, and disposing a llama that lives on would then wait for ever.
 */
function abortable(signal: AbortSignal, loading: Promise<LlamaCppEngine>): Promise<LlamaCppEngine> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      reject(signal.reason)
      loading.then((engine) => engine.dispose()).catch(() => {})
    }
    signal.addEventListener('abort', giveUp)
    loading.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
  })
}

async function load(options: LlamaCppEngineOptions): Promise<LlamaCppEngine> {
  const { gpu = 'auto', parallel = 1, threads } = options
  const llama = options.llama ?? (await loadLlama(gpu, threads))
  let model: LlamaModel | undefined
  let context: LlamaContext | undefined
  try {
    model = await loadModel(llama, options)
    checkVocabulary(model, await loadTokenTable())
    options.signal?.throwIfAborted()
    context = await createContext(llama, model, options)
    return createEngine(llama.gpu, context, parallel, dispose)
  } catch (error) {
    await dispose()
    throw error
  }

  async function dispose(): Promise<void> {
    await context?.dispose()
    await model?.dispose()
    if (options.llama === undefined) await llama.dispose()
  }
}

async function loadModel(
  llama: Llama,
  { modelPath, gpuLayers, onProgress }: LlamaCppEngineOptions,
): Promise<LlamaModel> {
  try {
    return await llama.loadModel({
      modelPath,
      ...(gpuLayers === undefined ? {} : { gpuLayers }),
      ...(onProgress === undefined ? {} : { onLoadProgress: onProgress }),
    })
  } catch (error) {
    throw llamaError(error, 'The model cannot be loaded')
  }
}

async function createContext(llama: Llama, model: LlamaModel, options: LlamaCppEngineOptions): Promise<LlamaContext> {
  const { contextSize = 'auto', parallel = 1, swaFullCache = true } = options
  // llama.cpp's own default is at least 4 threads: on a processor of 2 cores 200 times slower than 1.
  const isOurs = options.llama === undefined && llama.gpu === false
  const threads = options.threads ?? (isOurs ? llama.cpuMathCores : undefined)
  try {
    return await model.createContext({
      contextSize,
      sequences: parallel,
      swaFullCache,
      ...(threads === undefined ? {} : { threads }),
    })
  } catch (error) {
    throw llamaError(error, 'The context cannot be created')
  }
}

/** A place for one call. Its sequence is made when it is needed, and again when it broke. */
interface Slot {
  sequence?: LlamaSequence | undefined
  /** How long the last prompt was that it was given. What was drawn after it is not all said again. */
  promptLength: number
}

function createEngine(
  gpu: string | false,
  context: LlamaContext,
  parallel: number,
  dispose: () => Promise<void>,
): LlamaCppEngine {
  const slots = createPool(Array.from({ length: parallel }, (): Slot => ({ promptLength: 0 })))
  const { contextSize } = context
  let disposing: Promise<void> | undefined

  function disposedError(cause?: unknown): EngineError {
    return new EngineError('server_error', 'The engine has been disposed.', { cause })
  }

  return {
    gpu,
    contextSize,
    parallel,
    generate(promptTokens, options = {}) {
      checkGenerate(promptTokens, options)
      // Copied, as the call begins later and its arguments are the caller's.
      const prompt = Array.from(promptTokens)
      const settled = { ...options }
      return tokenStream(async function* (signal) {
        checkFits(prompt, contextSize)
        const slot = await slots.take((one) => keptTokens(one, prompt), signal)
        try {
          slot.sequence ??= context.getSequence()
          slot.promptLength = prompt.length
          return yield* sequenceTokens(slot.sequence, prompt, settled, signal)
        } catch (error) {
          if (disposing !== undefined || context.disposed) throw disposedError(error)
          // A step that failed halfway leaves cells behind, at which every later one on this sequence fails.
          const broken = slot.sequence
          slot.sequence = undefined
          await broken?.dispose()
          throw llamaError(error)
        } finally {
          slots.give(slot)
        }
      }, options.signal)
    },
    async health({ signal } = {}) {
      signal?.throwIfAborted()
      if (disposing !== undefined || context.disposed) throw disposedError()
    },
    dispose() {
      slots.close(disposedError())
      disposing ??= dispose()
      return disposing
    },
  }
}

/**
 * How many tokens of a prompt a slot holds already; none where it would lose more of another one. Every prompt begins
 * like every other: by the longest beginning alone, conversations would overwrite each other while other slots are
 * idle.
 */
function keptTokens({ sequence, promptLength }: Slot, prompt: number[]): number {
  if (sequence === undefined) return 0
  const { firstDifferentIndex } = sequence.compareContextTokens(prompt)
  return 2 * firstDifferentIndex >= promptLength ? firstDifferentIndex : 0
}

function checkEngineOptions(options: LlamaCppEngineOptions): void {
  check(typeof options === 'object' && options !== null, 'options', 'an object', options)
  const { modelPath, gpu, gpuLayers, contextSize, parallel, threads, swaFullCache, onProgress, signal, llama } = options
  check(typeof modelPath === 'string' && modelPath !== '', 'modelPath', 'the path of a GGUF file', modelPath)
  check(gpu === undefined || GPUS.includes(gpu), 'gpu', "'auto', 'metal', 'cuda', 'vulkan' or false", gpu)
  const isLayers = gpuLayers === undefined || gpuLayers === 'auto' || gpuLayers === 'max' || isCount(gpuLayers, 0)
  check(isLayers, 'gpuLayers', "'auto', 'max' or a whole number of at least 0", gpuLayers)
  checkCount(contextSize, 'contextSize', 2)
  checkCount(parallel, 'parallel', 1)
  checkCount(threads, 'threads', 1)
  check(swaFullCache === undefined || typeof swaFullCache === 'boolean', 'swaFullCache', 'true or false', swaFullCache)
  check(onProgress === undefined || typeof onProgress === 'function', 'onProgress', 'a function', onProgress)
  check(signal === undefined || signal instanceof AbortSignal, 'signal', 'an AbortSignal', signal)
  if (llama === undefined) return
  check(typeof Object(llama).loadModel === 'function', 'llama', 'what getLlama() of node-llama-cpp resolves to', llama)
  check(gpu === undefined, 'gpu', 'it unset when llama is given', gpu)
}

const GPUS: readonly unknown[] = ['auto', 'metal', 'cuda', 'vulkan', false]

function isCount(value: unknown, least: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= least
}

function checkCount(value: unknown, what: string, least: number): void {
  check(value === undefined || isCount(value, least), what, `a whole number of at least ${least}`, value)
}
