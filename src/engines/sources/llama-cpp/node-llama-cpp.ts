/*
 * The parts of node-llama-cpp 3 that this library uses, as interfaces that its classes satisfy. Compiling does not need
 * the package, and tests can provide their own objects.
 */

/** The sampling options that are passed to `LlamaContextSequence`, which accepts more. */
export interface LlamaSampling {
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly minP?: number
  readonly seed?: number
}

/** The behaviour at a full context. */
export interface LlamaOverflow {
  readonly contextShift?: { readonly strategy?: (() => never) | unknown }
}

/** Its `LlamaGrammarEvaluationState` and `TokenBias`. */
export interface LlamaConstraint {
  readonly grammarEvaluationState: unknown
  readonly tokenBias: unknown
}

/** The options of an evaluation that generates tokens. */
export interface LlamaEvaluateOptions extends LlamaSampling, LlamaOverflow, Partial<LlamaConstraint> {
  /** Whether to yield the token that ends the turn. */
  readonly yieldEogToken?: boolean
}

/** A token to evaluate, and what to return about the next one. */
export type LlamaControlledInput =
  | number
  | [
      token: number,
      options: {
        generateNext?: {
          token?: boolean
          totalLogitWeight?: boolean
          logits?: boolean | { filter: { tokens: readonly number[]; includeTop?: number; includeSelected?: boolean } }
          options?: LlamaSampling
        }
      },
    ]

/** The result after a token. */
export interface LlamaControlledOutput {
  readonly next: {
    readonly token?: number | null
    /** Raw scores by token id, the highest first. */
    readonly logits?: ReadonlyMap<number, number>
    /** The sum of `exp(logit - highest logit)` over the tokens that could be sampled. */
    readonly totalLogitWeight?: number
  }
}

/** The part of a model that a grammar needs. */
export interface LlamaGrammarModel {
  readonly llama: Pick<Llama, 'createGrammar'>
}

/** One sequence of a context. Satisfied by node-llama-cpp's `LlamaContextSequence`. */
export interface LlamaSequence {
  /** How many tokens the sequence can hold. */
  readonly contextSize: number
  /** How many tokens it holds. */
  readonly nextTokenIndex: number
  readonly disposed: boolean
  readonly model: LlamaGrammarModel
  compareContextTokens(tokens: number[]): { firstDifferentIndex: number }
  adaptStateToTokens(tokens: number[], allowShift?: boolean): Promise<void>
  evaluate(tokens: number[], options?: LlamaEvaluateOptions): AsyncGenerator<number, void, void>
  evaluateWithMetadata(
    tokens: number[],
    metadata: { readonly confidence: true },
    options?: LlamaEvaluateOptions,
  ): AsyncGenerator<{ readonly token: number; readonly confidence: number }, void, void>
  evaluateWithoutGeneratingNewTokens(tokens: number[], options?: LlamaOverflow): Promise<void>
  controlledEvaluate(
    input: LlamaControlledInput[],
    options?: LlamaOverflow,
  ): Promise<(LlamaControlledOutput | undefined)[]>
  dispose(): Promise<void>
}

/** Satisfied by node-llama-cpp's `LlamaContext`. */
export interface LlamaContext {
  readonly contextSize: number
  readonly disposed: boolean
  getSequence(): LlamaSequence
  dispose(): Promise<void>
}

/** Satisfied by node-llama-cpp's `LlamaModel`. */
export interface LlamaModel extends LlamaGrammarModel {
  tokenize(text: string, specialTokens?: boolean): number[]
  detokenize(tokens: readonly number[], specialTokens?: boolean): string
  iterateAllTokens(): Iterable<number>
  createContext(options?: {
    contextSize?: 'auto' | number
    sequences?: number
    swaFullCache?: boolean
    threads?: number
  }): Promise<LlamaContext>
  dispose(): Promise<void>
}

/** llama.cpp itself: what node-llama-cpp's `getLlama()` resolves to. */
export interface Llama {
  /** The device; `false` is the CPU. */
  readonly gpu: string | false
  readonly cpuMathCores: number
  loadModel(options: {
    modelPath: string
    gpuLayers?: 'auto' | 'max' | number
    onLoadProgress?(loadProgress: number): void
  }): Promise<LlamaModel>
  createGrammar(options: { grammar: string }): Promise<unknown>
  dispose(): Promise<void>
}

/** One that this library loads itself. */
export interface OwnLlama extends Llama {
  /** Receives what llama.cpp logs. Can be replaced. */
  logger(level: string, message: string): void
}

/** The module. */
export interface NodeLlamaCpp {
  readonly LlamaGrammarEvaluationState: new (options: { model: LlamaGrammarModel; grammar: unknown }) => unknown
  readonly TokenBias: { for(model: LlamaGrammarModel): { set(tokens: number[], bias: 'never'): unknown } }
  getLlama(options: {
    gpu?: 'auto' | 'metal' | 'cuda' | 'vulkan' | false
    build?: 'never'
    skipDownload?: boolean
    progressLogs?: boolean
    logLevel?: string
    maxThreads?: number
  }): Promise<OwnLlama>
}
