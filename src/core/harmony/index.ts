/**
 * The Harmony parser alone: tokens or text in, messages and repairs out. docs/malformed-harmony.md lists the repairs.
 *
 * @packageDocumentation
 */

export { createHarmonyParser } from './event-parser.js'
export type {
  HarmonyEvent,
  HarmonyHeader,
  HarmonyMessage,
  Origin,
  Repair,
  RepairCode,
  Role,
  Terminator,
} from './events.js'
export { eventHandler, type HarmonyHandler } from './handler.js'
export type { ToolLookup } from './header-words.js'
export { type OfficialStreamableParser, officialParser } from './official-parser.js'
export { type ParsedHarmony, type ParseMessagesOptions, parseMessages } from './parse-messages.js'
export type {
  HarmonyParser,
  HarmonyParserOptions,
  ParserPosition,
  ParserSnapshot,
} from './parser.js'
export { createMarkerLexer, type MarkerLexer, type MarkerSink } from './text-input.js'
export type { Undecided } from './undecided-text.js'
export { CHANNELS, type Channel, FIRST_SPECIAL, markerId, markerText, SPECIAL, VOCABULARY_SIZE } from './vocabulary.js'
