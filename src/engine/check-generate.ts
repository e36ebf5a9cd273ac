import { check } from '../errors.js'
import { VOCABULARY_SIZE } from '../harmony/vocabulary.js'
import { checkConstraint } from './check-constraint.js'
import type { GenerateOptions } from './engine.js'

/** The Responses API's limit of `top_logprobs`. */
const MOST_LOGPROBS = 20

/**
 * Checks the arguments of an engine's `generate`, so that all engines reject the same calls with the same messages.
 *
 * @throws HarmonyResponsesError `bad_option`
 */
export function checkGenerate(promptTokens: readonly number[] | Uint32Array, options: GenerateOptions = {}): void {
  const isList = Array.isArray(promptTokens) || promptTokens instanceof Uint32Array
  check(isList, 'promptTokens', 'an array of token ids', promptTokens)
  checkIds(promptTokens, 'promptTokens')
  check(promptTokens.length > 0, 'promptTokens', 'at least one token id', promptTokens)

  check(typeof options === 'object' && options !== null, 'options', 'an object', options)
  const { sampling = {}, maxTokens, stop, logprobs, constraint, trace, onUsage, signal } = options
  check(typeof sampling === 'object' && sampling !== null, 'sampling', 'an object', sampling)
  const { temperature, topP, topK, minP, seed } = sampling
  checkNumber(temperature, 'sampling.temperature', 'a number of at least 0', (n) => n >= 0)
  checkNumber(topP, 'sampling.topP', 'a number from 0 to 1', isShare)
  checkNumber(topK, 'sampling.topK', 'a whole number of at least 0', (n) => Number.isSafeInteger(n) && n >= 0)
  checkNumber(minP, 'sampling.minP', 'a number from 0 to 1', isShare)
  checkNumber(seed, 'sampling.seed', 'a whole number', Number.isSafeInteger)
  checkNumber(maxTokens, 'maxTokens', 'a whole number of at least 1', (n) => Number.isSafeInteger(n) && n >= 1)
  const isLogprobs = (n: number): boolean => Number.isInteger(n) && n >= 0 && n <= MOST_LOGPROBS
  checkNumber(logprobs, 'logprobs', `a whole number from 0 to ${MOST_LOGPROBS}`, isLogprobs)
  if (stop !== undefined) {
    check(Array.isArray(stop), 'stop', 'an array of token ids', stop)
    checkIds(stop, 'stop')
  }
  checkConstraint(constraint)
  checkTrace(trace)
  check(onUsage === undefined || typeof onUsage === 'function', 'onUsage', 'a function', onUsage)
  check(signal === undefined || signal instanceof AbortSignal, 'signal', 'an AbortSignal', signal)
}

/** One line each. They may come from a client, so what is malformed beyond that is left out, and fails no call. */
function checkTrace(trace: unknown): void {
  if (trace === undefined) return
  check(typeof trace === 'object' && trace !== null, 'trace', 'an object with a traceparent', trace)
  const { traceparent, tracestate } = trace as Readonly<Record<string, unknown>>
  check(isLine(traceparent), 'trace.traceparent', 'a traceparent of W3C trace context', traceparent)
  const isState = tracestate === undefined || isLine(tracestate)
  check(isState, 'trace.tracestate', 'a tracestate of W3C trace context', tracestate)
}

/** Whether a header could have this value. */
function isLine(value: unknown): boolean {
  return typeof value === 'string' && [...value].every((character) => character >= ' ' || character === '\t')
}

function isShare(n: number): boolean {
  return n >= 0 && n <= 1
}

function checkNumber(value: unknown, what: string, expected: string, isRight: (value: number) => boolean): void {
  const isGiven = value !== undefined
  check(!isGiven || (typeof value === 'number' && Number.isFinite(value) && isRight(value)), what, expected, value)
}

function checkIds(ids: readonly number[] | Uint32Array, what: string): void {
  // A plain loop, because a prompt may have a hundred thousand tokens.
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at]
    if (typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < VOCABULARY_SIZE) continue
    check(false, `${what}[${at}]`, `a token id from 0 to ${VOCABULARY_SIZE - 1}`, id)
  }
}
