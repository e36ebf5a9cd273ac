/*
 * The defaults that are not pure: the system's clock, a random response id, the token table and the console. Nothing
 * below this file uses any of them; every one can be passed as an option.
 */

import type { ResponseStreamEvent } from './responses/events.js'
import type { Response } from './responses/response.js'
import { loadTokenTable } from './tokens/load-token-table.js'
import type { TokenSource } from './tokens/token-source.js'
import {
  type TranslateOptions as CoreTranslateOptions,
  type TranslatorOptions as CoreTranslatorOptions,
  checkOptions,
} from './translate/options.js'
import { translateBatches as pullBatches, translateEvents as pullEvents } from './translate/translate.js'
import { Translator as CoreTranslator } from './translate/translator.js'
import { checkSnapshot, type TranslatorSnapshot } from './translate/translator-snapshot.js'

type Defaulted = 'responseId' | 'clock'

/**
 * The core's options, of which `responseId` (random) and `clock` (the system's) have defaults here. All are optional.
 */
export type TranslatorOptions = Omit<CoreTranslatorOptions, Defaulted> & Partial<Pick<CoreTranslatorOptions, Defaulted>>

/** {@link TranslatorOptions} and a `signal`, for the pulling side. All are optional. */
export type TranslateOptions = Omit<CoreTranslateOptions, Defaulted> & Partial<Pick<CoreTranslateOptions, Defaulted>>

/**
 * One response, pushed: Harmony tokens in, Responses events out, with no promise in between.
 *
 * By default the response id is random and the clock is the system's. Token ids need `tokenTable:
 * await loadTokenTable()`; text input needs none.
 */
export class Translator extends CoreTranslator {
  constructor(options: TranslatorOptions = {}, snapshot?: TranslatorSnapshot) {
    super(withDefaults(options), snapshot)
  }

  static override restore(snapshot: TranslatorSnapshot, options: TranslatorOptions = {}): Translator {
    return new Translator(options, checkSnapshot(snapshot, options))
  }
}

/**
 * Harmony tokens in, Responses events out.
 *
 * Yields `response.created` and `response.in_progress` before the first token, then every event as soon as it is true,
 * and exactly one terminal event last; returns the response. The source is pulled only as fast as events are taken. It
 * is closed at the end, when the consumer stops reading, and on `signal` at once. A source that throws gives `error`
 * and `response.failed`. What the model emits never throws; see `onDiagnostic`.
 *
 * @param source - token ids, arrays of them, text with literal `<|markers|>`, or `{ host }` chunks, in any mixture
 * @throws HarmonyResponsesError `bad_option`, from the call itself
 */
export function translate(
  source: TokenSource,
  options: TranslateOptions = {},
): AsyncGenerator<ResponseStreamEvent, Response> {
  return pullEvents(source, withDefaults(options), loadTokenTable)
}

/** As {@link translate}, the events of each chunk as one array: one hop of the event loop per chunk, not per event. */
export function translateBatches(
  source: TokenSource,
  options: TranslateOptions = {},
): AsyncGenerator<ResponseStreamEvent[], Response> {
  return pullBatches(source, withDefaults(options), loadTokenTable)
}

function withDefaults<Options extends TranslatorOptions>(
  options: Options,
): Options & Pick<CoreTranslatorOptions, Defaulted> {
  if (typeof options !== 'object' || options === null) checkOptions(options as never)
  const { responseId = randomResponseId(), clock = unixSeconds, onError = logError } = options
  return { ...options, responseId, clock, onError }
}

/** The client is sent an engine's error; any other error would be lost. */
function logError(error: unknown): void {
  if ((error as Partial<Error> | null)?.name !== 'EngineError') console.error(error)
}

/** `resp_` and 50 random hexadecimal digits. */
function randomResponseId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(25))
  return `resp_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

function unixSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
