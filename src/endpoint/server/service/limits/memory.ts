import type { ScoredToken } from '../../../../core/tokens/token-source.js'
import { RequestError } from '../../../../shared/request-error.js'
import type { ByteHold, Taken } from '../../../flow/byte-budget.js'
import { memoryOfProcess } from './process-memory.js'

export interface MemoryLimits {
  /**
   * The limit of memory for requests, responses, sockets, readers and the store, in bytes. Default: half of the smaller
   * of the process's heap limit and its container's memory; 64 MiB if neither is known.
   */
  readonly memoryBytes?: number
}

/** For a process of unknown memory: half of that of a worker at a cloud's edge. */
const UNKNOWN_MEMORY = 134_217_728

/**
 * Returns the counted half of the memory. The rest is for the uncounted: code, the token table, young objects that are
 * not collected yet, and temporary work.
 */
export function memoryBytesOf({ memoryBytes }: MemoryLimits): number {
  return memoryBytes ?? Math.floor((memoryOfProcess() ?? UNKNOWN_MEMORY) / 2)
}

/*
 * The overhead of a body over its bytes, by the heap when the engine is called: 1 to 5 times its bytes for texts (the
 * text, its parsed form, the prompt's ids), and additionally 80 (empty lists) to 430 (objects with distinct keys) bytes
 * for each value.
 */
const TEXT_FACTOR = 5
const VALUE_BYTES = 400

/** Returns the memory of a body with this many bytes, while its request is answered. */
export function costOfText(bytes: number): number {
  return bytes * TEXT_FACTOR
}

/** Returns the additional memory of this many values, counted like in `request/json-scan.ts`. */
export function costOfValues(values: number): number {
  return values * VALUE_BYTES
}

/** Bytes of a response before its first token: its translator, its streams, its entries in lists. */
export const RESPONSE_BYTES = 32_768

/** Bytes of a token: in the transcript, as an entry, and as the text of unsent events. */
export const TOKEN_BYTES = 256

/** Bytes of a stored token while it is read again: its entry, and its text in the reader's own translation. */
export const REREAD_TOKEN_BYTES = 128

/** Bytes of a prompt's id. */
export const PROMPT_TOKEN_BYTES = 8

/** Counts the log-probabilities of a chunk. */
export function logprobsOf(chunk: unknown): number {
  if (typeof chunk !== 'object' || chunk === null || ArrayBuffer.isView(chunk)) return 0
  if (!Array.isArray(chunk)) return 1 + ((chunk as ScoredToken).topLogprobs?.length ?? 0)
  let count = 0
  for (const token of chunk) if (typeof token === 'object') count += logprobsOf(token)
  return count
}

/** @throws RequestError with status 413 if it can never fit, 429 if it does not fit now */
export function takeOrRefuse(hold: ByteHold | undefined, bytes: number): void {
  const taken: Taken = hold?.take(bytes) ?? 'taken'
  if (taken === 'too_large') throw tooLargeForMemory()
  if (taken === 'retry') throw outOfMemory()
}

export const OUT_OF_MEMORY = 'The server has too little memory for this now. Please try again later.'

function outOfMemory(): RequestError {
  return new RequestError(OUT_OF_MEMORY, { status: 429, code: 'rate_limit_exceeded' })
}

function tooLargeForMemory(): RequestError {
  const message = 'The request is larger than the memory that this server has for one.'
  return new RequestError(message, { status: 413, code: 'request_too_large' })
}
