import { checkOptions, type OptionTable } from '../options/check-options.js'
import { aFunction, aTokenTable, that } from '../options/checks.js'
import type { HarmonyEvent } from './events.js'
import { eventHandler } from './handler.js'
import { createNativeParser, type HarmonyParser, type HarmonyParserOptions, type ParserSnapshot } from './parser.js'

/** Here, and not beside the type: the core takes the parser without it, as it would be too large. */
export const HARMONY_PARSER_OPTIONS: OptionTable<HarmonyParserOptions> = {
  tokenTable: aTokenTable,
  role: that((value) => value === 'assistant' || value === null, "'assistant' or null"),
  toolNamed: aFunction,
}

/**
 * The native Harmony parser, as a source of events. It never throws on what a model writes: what is malformed is
 * repaired and reported.
 *
 * @param sink - takes the events, in order
 * @param snapshot - continues exactly where `snapshot()` was taken
 * @throws HarmonyResponsesError `bad_option`; `token_table_missing` from `push`, where an ordinary id comes and no table
 *   was given
 */
export function createHarmonyParser(
  options: HarmonyParserOptions,
  sink: (event: HarmonyEvent) => void,
  snapshot?: ParserSnapshot,
): HarmonyParser {
  checkOptions('createHarmonyParser', options, HARMONY_PARSER_OPTIONS)
  return createNativeParser(options, eventHandler(sink), snapshot)
}
