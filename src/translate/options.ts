import { HarmonyResponsesError } from '../errors.js'
import type { HarmonyEvent } from '../harmony/events.js'
import type { HarmonyParser } from '../harmony/parser.js'
import { declareTools } from '../recipients/declared-tools.js'
import { type PolicyName, type RecipientPolicy, resolvePolicy } from '../recipients/policy.js'
import type { ResponseRequest } from '../responses/request.js'
import type { HostUsage } from '../tokens/token-source.js'
import type { TokenTable } from '../tokens/token-table.js'
import type { Diagnostic, Trace } from './diagnostics.js'
import type { IdFactory } from './ids.js'

/** How a {@link Translator} is set up. Only `responseId` and `clock` are required: nothing here draws or reads them. */
export interface TranslatorOptions {
  /** Id of the response, usually `resp_` and hexadecimal digits. */
  readonly responseId: string
  /** Unix time in whole seconds. Called for `created_at` and `completed_at`. */
  readonly clock: () => number
  /** The Responses create request: it is echoed in the response, and its `tools` and `include` steer the stream. */
  readonly request?: ResponseRequest
  /** Text of the token ids. Required as soon as ordinary ids are pushed. */
  readonly tokenTable?: TokenTable
  /** Ids of items and calls. Default: derived from the response id and a running number. */
  readonly ids?: IdFactory
  /** Token counts that only the host knows: of the first prompt. */
  readonly usage?: HostUsage
  /**
   * `live` (default): a call of the client's is announced at once and its arguments are streamed; one that is cut off
   * is never closed. `whole`: it is announced only once its arguments are whole; one that is cut off appears nowhere.
   * For clients that run calls they saw only the beginning of (LangChain).
   */
  readonly calls?: 'live' | 'whole'
  /** What recipients become: a preset's name or a table of your own. Default `openai`. */
  readonly policy?: RecipientPolicy | PolicyName
  /** Container of the code interpreter. Default: the one the request names, else an id is derived. */
  readonly containerId?: string
  /**
   * Take tool messages that the model seems to have sampled for the host's. Only for captures that did not keep the
   * difference: a model can make up a tool's answer.
   */
  readonly trustToolMessages?: boolean
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void
  readonly onTrace?: (trace: Trace) => void
  /** A parser other than the native one, made around the translator's sink. See `officialParser`. */
  readonly parser?: (sink: (event: HarmonyEvent) => void) => HarmonyParser
}

/** Options of the pulling side. */
export interface TranslateOptions extends TranslatorOptions {
  /** Aborts the stream: the source is closed at once and the response fails. */
  readonly signal?: AbortSignal
}

/**
 * Checks what a type cannot.
 *
 * @throws HarmonyResponsesError `bad_option`, with what was expected and what came
 */
export function checkOptions(options: TranslateOptions): void {
  const expect = (name: keyof TranslateOptions, expected: string, isRight: (value: unknown) => boolean): void => {
    const value: unknown = options[name]
    if (value !== undefined && !isRight(value)) {
      throw new HarmonyResponsesError('bad_option', `${name}: expected ${expected}, got ${describe(value)}`)
    }
  }
  const isFunction = (value: unknown): boolean => typeof value === 'function'
  const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

  if (typeof options !== 'object' || options === null) {
    throw new HarmonyResponsesError('bad_option', `options: expected an object, got ${describe(options)}`)
  }
  expect('responseId', 'a non-empty string', (value) => typeof value === 'string' && value !== '')
  expect('clock', 'a function that gives unix seconds', isFunction)
  expect('request', 'a Responses create request', (value) => isObject(value) && !Array.isArray(value))
  expect(
    'tokenTable',
    'a token table (await loadTokenTable())',
    (value) => isObject(value) && 'text' in (value as object),
  )
  expect('ids', 'a function', isFunction)
  expect('usage', 'an object of token counts', isObject)
  expect('calls', "'live' or 'whole'", (value) => value === 'live' || value === 'whole')
  expect('containerId', 'a string', (value) => typeof value === 'string')
  expect('trustToolMessages', 'a boolean', (value) => typeof value === 'boolean')
  expect('onDiagnostic', 'a function', isFunction)
  expect('onTrace', 'a function', isFunction)
  expect('parser', 'a function that makes a parser', isFunction)
  expect('signal', 'an AbortSignal', (value) => isObject(value) && 'aborted' in (value as object))
  declareTools(options.request?.tools)
  resolvePolicy(options.policy)
}

/** A value in a few words, for an error message. */
export function describe(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value)
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object'
  return `a ${typeof value}`
}
