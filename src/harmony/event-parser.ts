import type { HarmonyEvent } from './events.js'
import { eventHandler } from './handler.js'
import { createNativeParser, type HarmonyParser, type HarmonyParserOptions, type ParserSnapshot } from './parser.js'

/**
 * The native Harmony parser, as a source of events. It never throws on what a model writes: what is malformed is
 * repaired and reported.
 *
 * @param sink - takes the events, in order
 * @param snapshot - continues exactly where `snapshot()` was taken
 * @throws HarmonyResponsesError `token_table_missing` from `push`, where an ordinary id comes and no table was given
 */
export function createHarmonyParser(
  options: HarmonyParserOptions,
  sink: (event: HarmonyEvent) => void,
  snapshot?: ParserSnapshot,
): HarmonyParser {
  return createNativeParser(options, eventHandler(sink), snapshot)
}
