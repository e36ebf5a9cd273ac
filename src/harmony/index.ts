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
export { type OfficialStreamableParser, officialParser } from './official-parser.js'
export { type ParsedHarmony, parseMessages } from './parse-messages.js'
export {
  createHarmonyParser,
  type HarmonyParser,
  type HarmonyParserOptions,
  type ParserPosition,
  type ParserSnapshot,
} from './parser.js'
export { createMarkerLexer, type MarkerLexer } from './text-input.js'
export { CHANNELS, type Channel, FIRST_SPECIAL, markerId, markerText, SPECIAL, VOCABULARY_SIZE } from './vocabulary.js'
