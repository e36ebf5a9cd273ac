import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { aBoolean, aFunction, aTokenTable, that } from '../../shared/options/checks.js'
import type { HarmonyEvent } from './events.js'
import { eventHandler } from './handler.js'
import { createNativeParser, type HarmonyParser, type HarmonyParserOptions, type ParserSnapshot } from './parser.js'

/** Kept apart from the type, since the core takes the parser without it: the checks would cost it bytes. */
export const HARMONY_PARSER_OPTIONS: OptionTable<HarmonyParserOptions> = {
  tokenTable: aTokenTable,
  role: that((value) => value === 'assistant' || value === null, "'assistant' or null"),
  toolNamed: aFunction,
  needsChannel: aBoolean,
}

/**
 * Creates the native Harmony parser as a source of events. It never throws because of the model's output: malformed
 * output is repaired and reported.
 *
 * @param sink - takes the events, in order
 * @param snapshot - continues exactly where `snapshot()` was taken
 * @throws HarmonyResponsesError `bad_option`; `token_table_missing` from `push` of an ordinary id if no table was given
 *
 * @example
 * ```ts
 * import { createHarmonyParser } from 'harmony-responses/harmony'
 *
 * const parser = createHarmonyParser({}, (event) => {
 *   if (event.type === 'message_text') console.log(event.text) // Hi!
 * })
 * parser.pushText('<|channel|>final<|message|>Hi!<|return|>', 'model')
 * parser.end()
 * ```
 */
export function createHarmonyParser(
  options: HarmonyParserOptions,
  sink: (event: HarmonyEvent) => void,
  snapshot?: ParserSnapshot,
): HarmonyParser {
  checkOptions('createHarmonyParser', options, HARMONY_PARSER_OPTIONS)
  return createNativeParser(options, eventHandler(sink), snapshot)
}
