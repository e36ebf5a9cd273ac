import type { ResponseStreamEvent } from './core/responses/events.js'
import type { Response } from './core/responses/response.js'
import { loadTokenTable } from './core/tokens/load-token-table.js'
import type { TokenSource } from './core/tokens/token-source.js'
import { translateBatches as pullBatches, translateEvents as pullEvents } from './core/translate/translate.js'
import { Translator as CoreTranslator } from './core/translate/translator.js'
import { checkSnapshot, type TranslatorSnapshot } from './core/translate/translator-snapshot.js'
import { type TranslateOptions, type TranslatorOptions, withDefaults } from './defaults.js'

/**
 * Translates one response by push: Harmony tokens in, Responses events out, without a promise in between.
 *
 * By default the response id is random and the clock is the system's. Token ids need `tokenTable: await
 * loadTokenTable()`; text input needs none.
 *
 * @example
 * ```ts
 * import { loadTokenTable, Translator } from 'harmony-responses'
 *
 * const translator = new Translator({ request, tokenTable: await loadTokenTable() })
 * for (const id of ids) send(translator.push(id))
 * send(translator.end('stop'))
 * ```
 */
export class Translator extends CoreTranslator {
  constructor(options: TranslatorOptions = {}, snapshot?: TranslatorSnapshot) {
    super(withDefaults(options), snapshot)
  }

  /**
   * Continues exactly where `snapshot()` was taken, in this process or another: no event is lost or repeated, and later
   * ids are the same.
   *
   * @param options - as for the first translator; `responseId` and `request` are the snapshot's
   * @throws HarmonyResponsesError `bad_snapshot` if it is not a complete snapshot of this version;
   *   `snapshot_unsupported` if the options contain a parser
   */
  static restore(snapshot: TranslatorSnapshot, options: TranslatorOptions = {}): Translator {
    return new Translator(options, checkSnapshot(snapshot, options))
  }
}

/**
 * Translates Harmony tokens to Responses events.
 *
 * Yields `response.created` and `response.in_progress` before the first token, then every event as soon as it is
 * certain, and exactly one terminal event last; returns the response. The source is pulled only as fast as events are
 * taken. It is closed at the end, when the consumer stops reading, and on `signal` at once. A source that throws yields
 * `error` and `response.failed`. Model output never throws; see `onDiagnostic`.
 *
 * @param source - token ids, arrays of them, text with literal `<|markers|>`, or `{ host }` chunks, in any mixture
 * @throws HarmonyResponsesError `bad_option`, from the call itself
 *
 * @example
 * ```ts
 * import { translate } from 'harmony-responses'
 *
 * for await (const event of translate(tokens, { request })) {
 *   if (event.type === 'response.output_text.delta') console.log(event.delta)
 * }
 * ```
 */
export function translate(
  source: TokenSource,
  options: TranslateOptions = {},
): AsyncGenerator<ResponseStreamEvent, Response> {
  return pullEvents(source, withDefaults(options), loadTokenTable)
}

/**
 * Translates like {@link translate}, with the events of each chunk as one array: one hop of the event loop per chunk,
 * not per event.
 *
 * @example
 * ```ts
 * import { translateBatches } from 'harmony-responses'
 *
 * for await (const events of translateBatches(tokens, { request })) send(events)
 * ```
 */
export function translateBatches(
  source: TokenSource,
  options: TranslateOptions = {},
): AsyncGenerator<ResponseStreamEvent[], Response> {
  return pullBatches(source, withDefaults(options), loadTokenTable)
}
