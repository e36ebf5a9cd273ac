import { markerId, VOCABULARY_SIZE } from '../../src/core/harmony/vocabulary.js'
import type { TokenTable } from '../../src/core/tokens/token-table.js'
import type {
  Llama,
  LlamaContext,
  LlamaControlledInput,
  LlamaControlledOutput,
  LlamaEvaluateOptions,
  LlamaGrammarModel,
  LlamaModel,
  LlamaOverflow,
  LlamaSampling,
  LlamaSequence,
} from '../../src/engines/sources/llama-cpp/node-llama-cpp.js'

/** Returns a fake model's next token. */
export type Writes = (tokens: readonly number[]) => number

/** One request to a fake sequence. */
export type Asked =
  | { readonly adapt: number; readonly allowShift: boolean | undefined }
  | { readonly prefill: readonly number[] }
  | { readonly evaluate: readonly number[]; readonly options: LlamaEvaluateOptions | undefined }
  | { readonly withMetadata: readonly number[]; readonly options: LlamaEvaluateOptions | undefined }
  | { readonly controlled: readonly number[]; readonly options: LlamaSampling | undefined; readonly top: number }

/** The fake model's probability of its own token. Each following id has a tenth of the one before. */
export const CONFIDENCE = 0.9

async function createGrammar(): Promise<never> {
  throw new Error('a fake reads no grammar')
}

/**
 * A `LlamaContextSequence` without a model that reproduces the observed behaviour of the real one: tokens are in the
 * state only once they were evaluated, the one drawn last is not; a full context shifts unless its strategy throws;
 * iterators that are not returned leak; two that run at once are recorded in `mixed`.
 */
export class FakeSequence implements LlamaSequence {
  readonly model: LlamaGrammarModel = { llama: { createGrammar } }
  readonly asked: Asked[] = []
  /** The state: the tokens that were evaluated. */
  tokens: number[] = []
  disposed = false
  /** Iterators that were begun and did not end. */
  open = 0
  /** Whether one evaluation ever began during another. */
  mixed = false
  /** The next step fails with this, once, and leaves cells behind that only a new sequence clears. */
  failure: Error | undefined
  /** The promise that every native step awaits. */
  gate: Promise<void> | undefined
  /** Steps that only erase tokens: of those to keep, this many stay, as in a sliding window. */
  keeps: number = Number.POSITIVE_INFINITY
  readonly contextSize: number
  readonly #writes: Writes
  #busy = false
  #isBroken = false

  constructor(writes: Writes, contextSize = 256) {
    this.#writes = writes
    this.contextSize = contextSize
  }

  get nextTokenIndex(): number {
    return this.tokens.length
  }

  compareContextTokens(tokens: number[]): { firstDifferentIndex: number } {
    const at = this.tokens.findIndex((token, index) => token !== tokens[index])
    return { firstDifferentIndex: at === -1 ? this.tokens.length : at }
  }

  async adaptStateToTokens(tokens: number[], allowShift?: boolean): Promise<void> {
    this.asked.push({ adapt: tokens.length, allowShift })
    if (this.open > 0) this.mixed = true
    await this.#step(() => {
      const { firstDifferentIndex } = this.compareContextTokens(tokens)
      if (firstDifferentIndex < this.tokens.length) this.tokens.length = Math.min(firstDifferentIndex, this.keeps)
    })
  }

  async *evaluate(tokens: number[], options?: LlamaEvaluateOptions): AsyncGenerator<number, void, void> {
    this.asked.push({ evaluate: tokens, options })
    yield* this.#draw(tokens, options)
  }

  async *evaluateWithMetadata(
    tokens: number[],
    _metadata: { readonly confidence: true },
    options?: LlamaEvaluateOptions,
  ): AsyncGenerator<{ token: number; confidence: number }, void, void> {
    this.asked.push({ withMetadata: tokens, options })
    for await (const token of this.#draw(tokens, options)) yield { token, confidence: CONFIDENCE }
  }

  async evaluateWithoutGeneratingNewTokens(tokens: number[], options?: LlamaOverflow): Promise<void> {
    this.asked.push({ prefill: tokens })
    if (this.open > 0) this.mixed = true
    await this.#decode(tokens, options)
  }

  async controlledEvaluate(
    input: LlamaControlledInput[],
    options?: LlamaOverflow,
  ): Promise<(LlamaControlledOutput | undefined)[]> {
    const tokens = input.map((item) => (typeof item === 'number' ? item : item[0]))
    const last = input.at(-1)
    const generateNext = typeof last === 'object' ? last[1].generateNext : undefined
    const top = typeof generateNext?.logits === 'object' ? (generateNext.logits.filter.includeTop ?? 0) : 0
    this.asked.push({ controlled: tokens, options: generateNext?.options, top })
    if (this.open > 0) this.mixed = true
    await this.#decode(tokens, options)
    const token = this.#writes(this.tokens)
    const logits = new Map(Array.from({ length: top }, (_, rank) => [token + rank, 5 - rank * Math.LN10]))
    const output = { next: { token, logits: logits.set(token, 5), totalLogitWeight: 1 / CONFIDENCE } }
    return tokens.map((_, at) => (at === tokens.length - 1 ? output : undefined))
  }

  async dispose(): Promise<void> {
    this.disposed = true
  }

  async *#draw(tokens: number[], options: LlamaEvaluateOptions | undefined): AsyncGenerator<number, void, void> {
    if (tokens.length === 0) return
    if (this.open > 0) this.mixed = true
    this.open++
    try {
      let next = tokens
      for (;;) {
        await this.#decode(next, options)
        const token = this.#writes(this.tokens)
        if (!options?.yieldEogToken && [200002, 200012, 199999].includes(token)) return
        yield token
        next = [token]
      }
    } finally {
      this.open--
    }
  }

  #decode(tokens: readonly number[], options: LlamaOverflow | undefined): Promise<void> {
    return this.#step(() => {
      for (const token of tokens) {
        if (this.tokens.length >= this.contextSize - 1) {
          const { strategy } = options?.contextShift ?? {}
          if (typeof strategy === 'function') strategy()
          this.tokens.shift()
        }
        this.tokens.push(token)
      }
    })
  }

  /** Simulates work that the real one does on another thread. */
  async #step(work: () => void): Promise<void> {
    if (this.#busy) this.mixed = true
    this.#busy = true
    await (this.gate ?? new Promise<void>((resolve) => setImmediate(resolve)))
    this.#busy = false
    if (this.disposed) throw new Error('Object is disposed')
    if (this.failure !== undefined || this.#isBroken) {
      const error = this.failure ?? new Error('Eval has failed')
      this.failure = undefined
      this.#isBroken = true
      throw error
    }
    work()
  }
}

export class FakeContext implements LlamaContext {
  disposed = false
  /** Every sequence that was ever made. */
  readonly sequences: FakeSequence[] = []
  readonly contextSize: number
  readonly #count: number
  readonly #writes: Writes

  constructor(writes: Writes, contextSize: number, count: number) {
    this.#writes = writes
    this.contextSize = contextSize
    this.#count = count
  }

  getSequence(): FakeSequence {
    if (this.disposed) throw new Error('Object is disposed')
    if (this.sequences.filter((one) => !one.disposed).length >= this.#count) throw new Error('No sequences left')
    const sequence = new FakeSequence(this.#writes, this.contextSize)
    this.sequences.push(sequence)
    return sequence
  }

  async dispose(): Promise<void> {
    this.disposed = true
    for (const sequence of this.sequences) await sequence.dispose()
  }
}

type Differences = Partial<Pick<LlamaModel, 'tokenize' | 'detokenize' | 'iterateAllTokens' | 'createContext'>>

/** A model of o200k_harmony, except for the tokens in `differs`. */
export class FakeModel implements LlamaModel {
  readonly llama: Pick<Llama, 'createGrammar'> = { createGrammar }
  disposed = false
  contexts: FakeContext[] = []
  createOptions: Parameters<LlamaModel['createContext']>[0]
  readonly #table: TokenTable
  readonly #writes: Writes
  readonly #differs: Differences

  constructor(table: TokenTable, writes: Writes, differs: Differences = {}) {
    this.#table = table
    this.#writes = writes
    this.#differs = differs
  }

  tokenize(text: string, specialTokens?: boolean): number[] {
    if (this.#differs.tokenize) return this.#differs.tokenize(text, specialTokens)
    return [markerId(text.slice(2, -2)) ?? 0]
  }

  detokenize(tokens: readonly number[]): string {
    return this.#differs.detokenize?.(tokens) ?? tokens.map((id) => this.#table.text(id)).join('')
  }

  iterateAllTokens(): Iterable<number> {
    return this.#differs.iterateAllTokens?.() ?? new Uint8Array(VOCABULARY_SIZE)
  }

  async createContext(options: Parameters<LlamaModel['createContext']>[0] = {}): Promise<LlamaContext> {
    this.createOptions = options
    if (this.#differs.createContext) return this.#differs.createContext(options)
    const { contextSize, sequences = 1 } = options
    const context = new FakeContext(this.#writes, typeof contextSize === 'number' ? contextSize : 256, sequences)
    this.contexts.push(context)
    return context
  }

  async dispose(): Promise<void> {
    this.disposed = true
  }
}

/** llama.cpp with one model to load. */
export function fakeLlama(model: FakeModel): Llama & { disposed: number; loaded: unknown[] } {
  return {
    gpu: false,
    cpuMathCores: 2,
    disposed: 0,
    loaded: [],
    async loadModel(options) {
      this.loaded.push(options)
      options.onLoadProgress?.(0.5)
      options.onLoadProgress?.(1)
      return model
    },
    createGrammar,
    async dispose() {
      this.disposed++
    },
  }
}
