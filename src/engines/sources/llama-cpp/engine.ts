import { loadTokenTable } from '../../../core/tokens/load-token-table.js'
import { check } from '../../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../../shared/options/check-options.js'
import { aBoolean, aFunction, having, that, wholeNumber } from '../../../shared/options/checks.js'
import { EngineError } from '../../contract/engine-error.js'
import type { TokenEngine } from '../../contract/index.js'
import { tokenStream } from '../../contract/token-stream.js'
import { GBNF_CAPABILITIES } from '../gbnf.js'
import { createPool } from '../pool.js'
import { checkVocabulary } from './check-vocabulary.js'
import { checkedCall } from './checked-call.js'
import { holdLog } from './held-log.js'
import { llamaError } from './llama-error.js'
import { loadLlama } from './load-llama.js'
import type { Llama, LlamaContext, LlamaModel, LlamaSequence } from './node-llama-cpp.js'
import { checkFits, sequenceTokens } from './sequence-tokens.js'

/** Options of {@link createLlamaCppEngine}. */
export interface LlamaCppEngineOptions {
  /** The GGUF file of a gpt-oss model; the first file if it is split. */
  readonly modelPath: string
  /**
   * The device: `auto` uses the best GPU, else the CPU; `false` uses the CPU. Default `auto`. Cannot be combined with
   * `llama`, which has its own.
   */
  readonly gpu?: 'auto' | 'metal' | 'cuda' | 'vulkan' | false
  /** How many of the model's layers run on the GPU. Default `auto`: as many as fit with the context. */
  readonly gpuLayers?: 'auto' | 'max' | number
  /**
   * The limit of prompt and answer tokens together; rounded up to a multiple of 256. Default: as many as memory allows,
   * up to the model's 131,072.
   */
  readonly contextSize?: number
  /** How many calls run at once, each with its own context memory. Further calls wait. Default 1. */
  readonly parallel?: number
  /**
   * CPU threads. Default: the number of cores suited to math; more is much slower. With your own `llama`, the default
   * is its own setting.
   */
  readonly threads?: number
  /**
   * Keeps the state of all layers for the whole context. gpt-oss needs only the last 128 tokens in every second layer,
   * so `false` saves half the memory. But then a prompt that differs from the previous one by more than that, as in
   * every next turn, is evaluated again from its start. Default true.
   */
  readonly swaFullCache?: boolean
  /** Reports the loading progress, above 0 up to 1. */
  readonly onProgress?: (share: number) => void
  /**
   * Aborts loading: the promise rejects with the signal's reason at once. The model in progress is still loaded to its
   * end, and then freed.
   */
  readonly signal?: AbortSignal
  /** The result of node-llama-cpp's `getLlama()`, to share it or to set other options. You dispose it. */
  readonly llama?: Llama
}

/** A gpt-oss model in this process. */
export interface LlamaCppEngine extends TokenEngine {
  /** The device: `metal`, `cuda`, `vulkan`, or `false` for the CPU. */
  readonly gpu: string | false
  /** The limit of prompt and answer tokens together. */
  readonly contextSize: number
  /** How many calls run at once. */
  readonly parallel: number
  /**
   * Frees the model's memory, after the current native step. Open streams, waiting calls and all later calls fail with
   * an EngineError `server_error`. Can be called more than once.
   */
  dispose(): Promise<void>
}

/**
 * Loads a gpt-oss model with node-llama-cpp, which has to be installed too.
 *
 * A call uses the free sequence with the longest prefix of its prompt; if that is less than the call would overwrite,
 * it uses the one that has been free for longest. The notes of `llamaCppSource` on cached tokens, log-probabilities and
 * seeds apply here too.
 *
 * @throws HarmonyResponsesError `bad_option`: an option is wrong, or the model is not gpt-oss
 * @throws EngineError `server_error`: node-llama-cpp is missing, or llama.cpp cannot load the model, with its message
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 * import { createLlamaCppEngine } from 'harmony-responses/sources/llama-cpp'
 *
 * const engine = await createLlamaCppEngine({ modelPath: 'gpt-oss-20b-mxfp4.gguf', parallel: 2 })
 * for await (const event of translate(engine.generate(promptTokens, { maxTokens: 512 }), { request })) send([event])
 * await engine.dispose()
 * ```
 */
export async function createLlamaCppEngine(options: LlamaCppEngineOptions): Promise<LlamaCppEngine> {
  checkEngineOptions(options)
  const { signal } = options
  signal?.throwIfAborted()
  const loading = load(options)
  return signal === undefined ? loading : abortable(signal, loading)
}

/**
 * Does not pass the signal to node-llama-cpp 3.22: a load that is aborted before it reads the file leaks a handle, and
 * disposing the llama would then hang forever.
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
  const own = options.llama === undefined ? await loadLlama(gpu, threads) : undefined
  const llama = own ?? (options.llama as Llama)
  const log = own && holdLog(own)
  let model: LlamaModel | undefined
  let context: LlamaContext | undefined
  try {
    model = await loadModel(llama, options)
    checkVocabulary(model, await loadTokenTable())
    options.signal?.throwIfAborted()
    context = await createContext(llama, model, options)
    log?.release()
    return createEngine(llama.gpu, context, parallel, dispose)
  } catch (error) {
    await dispose()
    throw log === undefined ? error : log.explained(error)
  }

  async function dispose(): Promise<void> {
    await context?.dispose()
    await model?.dispose()
    await own?.dispose()
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
  // llama.cpp's own default is at least 4 threads, which on 2 cores is 200 times slower than 1.
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

/** A slot for one call. Its sequence is created when it is needed, and again after it failed. */
interface Slot {
  sequence?: LlamaSequence | undefined
  /**
   * Length of its last prompt. The sampled tokens after it do not count, because the next prompt omits some of them.
   */
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
      const { prompt, options: checked } = checkedCall(promptTokens, options)
      return tokenStream(async function* (signal) {
        checkFits(prompt, contextSize)
        const slot = await slots.take((one) => keptTokens(one, prompt), signal)
        try {
          slot.sequence ??= context.getSequence()
          slot.promptLength = prompt.length
          return yield* sequenceTokens(slot.sequence, prompt, checked, signal)
        } catch (error) {
          if (disposing !== undefined || context.disposed) throw disposedError(error)
          // The grammar is at fault: the sequence was not used.
          if (error instanceof EngineError && error.code === 'invalid_prompt') throw error
          // A step that failed halfway leaves cells behind that make every later step on this sequence fail.
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
    async capabilities() {
      return { ...GBNF_CAPABILITIES, contextLength: contextSize }
    },
    dispose() {
      slots.close(disposedError())
      disposing ??= dispose()
      return disposing
    },
  }
}

/**
 * How many tokens of a prompt a slot already has; 0 if the call would overwrite more than that of another conversation.
 * All prompts share a beginning, so the longest prefix alone would let conversations overwrite each other while other
 * slots are idle.
 */
function keptTokens({ sequence, promptLength }: Slot, prompt: number[]): number {
  if (sequence === undefined) return 0
  const { firstDifferentIndex } = sequence.compareContextTokens(prompt)
  return 2 * firstDifferentIndex >= promptLength ? firstDifferentIndex : 0
}

const LLAMA_CPP_OPTIONS: OptionTable<LlamaCppEngineOptions> = {
  modelPath: that((value) => typeof value === 'string' && value !== '', 'the path of a GGUF file'),
  gpu: that((value) => GPUS.includes(value), "'auto', 'metal', 'cuda', 'vulkan' or false"),
  gpuLayers: that(
    (value) => value === 'auto' || value === 'max' || isCount(value, 0),
    "'auto', 'max' or a whole number of at least 0",
  ),
  contextSize: wholeNumber(2),
  parallel: wholeNumber(1),
  threads: wholeNumber(1),
  swaFullCache: aBoolean,
  onProgress: aFunction,
  signal: that((value) => value instanceof AbortSignal, 'an AbortSignal'),
  llama: having(['loadModel'], 'what getLlama() of node-llama-cpp resolves to'),
}

function checkEngineOptions(options: LlamaCppEngineOptions): void {
  checkOptions('createLlamaCppEngine', options, LLAMA_CPP_OPTIONS, ['modelPath'])
  check(options.llama === undefined || options.gpu === undefined, 'gpu', 'it unset when llama is given', options.gpu)
}

const GPUS: readonly unknown[] = ['auto', 'metal', 'cuda', 'vulkan', false]

function isCount(value: unknown, min: number): boolean {
  return Number.isSafeInteger(value) && (value as number) >= min
}
