// The types of inputs.mjs for the tests. inputs.mjs documents each export.
import type { TokenChunk } from '../src/core/tokens/token-source.js'
import type { TokenTable } from '../src/core/tokens/token-table.js'

export interface Tokens {
  readonly ids: number[]
  readonly units: number
}

export interface Message extends Tokens {
  readonly text: string
}

export interface Turns {
  readonly turns: readonly (readonly TokenChunk[])[]
  readonly units: number
}

export interface Conversation {
  readonly request: { readonly input: readonly object[]; readonly tools: readonly object[] }
  readonly units: number
}

type Make<T> = (count: number, seed: number) => T

export interface Inputs {
  readonly varied: Make<Message>
  readonly skewed: Make<Message>
  readonly latin: Make<Message>
  readonly repeating: Make<Message>
  readonly invalid: Make<Message>
  readonly emoji: Make<Message>
  readonly longest: Make<Message>
  readonly openMarks: Make<Message>
  readonly unknownMarks: Make<Message>
  readonly longHeaders: Make<Tokens>
  readonly shortMessages: Make<Tokens>
  readonly toolLoop: Make<Turns>
  readonly parallelCalls: (count: number, seed: number, results: number) => Turns
  readonly prose: Make<{ readonly text: string; readonly units: number }>
  readonly conversation: Make<Conversation>
  readonly turns: (count: number, drawn: readonly (readonly TokenChunk[])[]) => Turns
}

export declare const SEED: number
export declare const MARKER: Readonly<
  Record<'return' | 'constrain' | 'channel' | 'start' | 'end' | 'message' | 'call', number>
>
export declare function createInputs(tokenTable: TokenTable, encode: (text: string) => number[]): Inputs
export declare function createRandom(seed: number): (below: number) => number
export declare function inChunks<T>(list: readonly T[], size: number): T[][]
