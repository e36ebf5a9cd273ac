import type { ByteHold, Taken } from '../../byte-budget.js'
import { RequestError } from '../../request-error.js'
import { memoryOfProcess } from './process-memory.js'

export interface MemoryLimits {
  /**
   * How many bytes requests, responses, sockets, readers and the store may hold in all. Default: half of the smaller of
   * the process's heap limit and its container's memory; 64 MiB where neither is known.
   */
  readonly memoryBytes?: number
}

/** Where the memory of the process is not known: half of what a worker of a cloud's edge has. */
const UNKNOWN_MEMORY = 134_217_728

/**
 * Half of the memory is counted. The rest is for what is not: code, the token table, what is young and not collected yet,
 * and what work takes while it lasts.
 */
export function memoryBytesOf({ memoryBytes }: MemoryLimits): number {
  return memoryBytes ?? Math.floor((memoryOfProcess() ?? UNKNOWN_MEMORY) / 2)
}

/*
 * What a body costs more than its bytes, by the heap when the engine is called: 1 to 5 times its bytes for texts (the
 * text, what was parsed of it, the prompt's ids), and 80 (empty lists) to 430 (objects whose keys are all different) bytes
 * for each value on top of that.
 */
const TEXT_FACTOR = 5
const VALUE_BYTES = 400

/** Bytes of memory for a body of so many bytes, while its request is answered. */
export function costOfText(bytes: number): number {
  return bytes * TEXT_FACTOR
}

/** What so many values take beside their text, counted as `request/json-scan.ts` does. */
export function costOfValues(values: number): number {
  return values * VALUE_BYTES
}

/** Bytes of a response before its first token: its translator, its streams, its place in lists. */
export const RESPONSE_BYTES = 32_768

/** Bytes of a token: in the transcript, as an entry, and as the text of unsent events. */
export const TOKEN_BYTES = 256

/** An id of a prompt. */
export const PROMPT_TOKEN_BYTES = 8

/** @throws RequestError with status 413 if it never fits, 429 if it does not now */
export function takeOrRefuse(hold: ByteHold | undefined, bytes: number): void {
  const taken: Taken = hold?.take(bytes) ?? 'taken'
  if (taken === 'never') throw tooLargeForMemory()
  if (taken === 'later') throw outOfMemory()
}

export const OUT_OF_MEMORY = 'The server has too little memory for this now. Please try again later.'

function outOfMemory(): RequestError {
  return new RequestError(OUT_OF_MEMORY, { status: 429, code: 'rate_limit_exceeded' })
}

function tooLargeForMemory(): RequestError {
  const message = 'The request is larger than the memory that this server has for one.'
  return new RequestError(message, { status: 413, code: 'request_too_large' })
}
