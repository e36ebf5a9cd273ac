/*
 * The entry point with a minimal bundle: everything except hosted tools. It translates messages, reasoning, calls of
 * functions, custom tools and MCP tools, and items of the host. A request that declares any other tool is refused.
 */

import type { ResponseStreamEvent } from './core/responses/events.js'
import type { Response } from './core/responses/response.js'
import { loadTokenTable } from './core/tokens/load-token-table.js'
import type { TokenSource } from './core/tokens/token-source.js'
import { CORE_CATALOG } from './core/translate/core-catalog.js'
import { translateBatches as pullBatches, translateEvents as pullEvents } from './core/translate/translate.js'
import { Translator as AnyTranslator, withHostItems } from './core/translate/translator.js'
import { checkSnapshot, type TranslatorSnapshot } from './core/translate/translator-snapshot.js'
import {
  type TranslateOptions as FullTranslateOptions,
  type TranslatorOptions as FullTranslatorOptions,
  withDefaults,
} from './defaults.js'

export { loadTokenTable } from './core/tokens/load-token-table.js'
export { collectResponse } from './core/translate/collect-response.js'
export { HarmonyResponsesError } from './shared/errors.js'
export type * from './types.js'

/** Options that only `harmony-responses` reads. */
type Others = 'citations' | 'containerId' | 'knownListings' | 'knownFiles'

/** The options of `harmony-responses`, without those that only it reads. All are optional. */
export type TranslatorOptions = Omit<FullTranslatorOptions, Others>

/** {@link TranslatorOptions} and a `signal`, for the pulling side. All are optional. */
export type TranslateOptions = Omit<FullTranslateOptions, Others>

const CATALOG = /* @__PURE__ */ withHostItems(CORE_CATALOG)

/**
 * The `Translator` of `harmony-responses`, without hosted tools.
 *
 * @throws HarmonyResponsesError `bad_option` if the request declares a tool that is neither a function, a custom tool,
 * a namespace nor an MCP server; and the errors of the full one
 */
export class Translator extends AnyTranslator {
  constructor(options: TranslatorOptions = {}, snapshot?: TranslatorSnapshot) {
    super(withDefaults(options), CATALOG, snapshot)
  }

  /**
   * Continues where `snapshot()` was taken.
   *
   * @throws HarmonyResponsesError `bad_snapshot` also if the snapshot has items of hosted tools
   */
  static restore(snapshot: TranslatorSnapshot, options: TranslatorOptions = {}): Translator {
    return new Translator(options, checkSnapshot(snapshot, options, CATALOG))
  }
}

/**
 * Translates like `harmony-responses`, without hosted tools.
 *
 * @throws HarmonyResponsesError `bad_option`, from the call itself, if the request declares a tool that is neither a
 * function, a custom tool, a namespace nor an MCP server; and the errors of the full one
 */
export function translate(
  source: TokenSource,
  options: TranslateOptions = {},
): AsyncGenerator<ResponseStreamEvent, Response> {
  return pullEvents(source, withDefaults(options), CORE_CATALOG, loadTokenTable)
}

/** Translates like {@link translate}, with the events of each chunk as one array. */
export function translateBatches(
  source: TokenSource,
  options: TranslateOptions = {},
): AsyncGenerator<ResponseStreamEvent[], Response> {
  return pullBatches(source, withDefaults(options), CORE_CATALOG, loadTokenTable)
}
