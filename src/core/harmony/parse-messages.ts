import { check, isIterable } from '../../shared/errors.js'
import { checkOptions, type OptionTable } from '../../shared/options/check-options.js'
import { oneOf } from '../../shared/options/checks.js'
import { HARMONY_PARSER_OPTIONS } from './event-parser.js'
import type { HarmonyEvent, HarmonyMessage, Origin, Repair } from './events.js'
import { eventHandler } from './handler.js'
import { createNativeParser, type HarmonyParserOptions } from './parser.js'

/** A parsed stream of Harmony: its messages and repairs. */
export interface ParsedHarmony {
  /** In order, including an unfinished last one. */
  messages: HarmonyMessage[]
  /** The repairs of malformed stretches, in order. */
  repairs: Repair[]
}

/** Options of `parseMessages`. */
export interface ParseMessagesOptions extends HarmonyParserOptions {
  /** The author of the input. Default `model`. */
  readonly origin?: Origin
}

const PARSE_MESSAGES_OPTIONS: OptionTable<ParseMessagesOptions> = {
  ...HARMONY_PARSER_OPTIONS,
  origin: oneOf('model', 'host'),
}

/**
 * Parses a finished stream into messages, to inspect captured tokens or to compare parsers.
 *
 * @param input - token ids, or text with literal `<|markers|>`
 * @param options - `tokenTable` is needed for ids
 * @throws HarmonyResponsesError `bad_option`; `token_table_missing` if ids are given without a table
 *
 * @example
 * ```ts
 * import { parseMessages } from 'harmony-responses/harmony'
 *
 * const text = '<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hi!'
 * const { messages, repairs } = parseMessages(text)
 * console.log(messages.map(({ channel, content }) => `${channel}: ${content}`).join(', ')) // analysis: Hm., final: Hi!
 * console.log(repairs.length) // 0
 * ```
 */
export function parseMessages(input: Iterable<number> | string, options: ParseMessagesOptions = {}): ParsedHarmony {
  const parsed: ParsedHarmony = { messages: [], repairs: [] }
  checkOptions('parseMessages', options, PARSE_MESSAGES_OPTIONS)
  check(isIterable(input), 'parseMessages: input', 'token ids or text', input)
  const origin = options.origin ?? 'model'
  const parser = createNativeParser(
    options,
    eventHandler((event) => collect(parsed, event)),
  )
  if (typeof input === 'string') parser.pushText(input, origin)
  else for (const id of input) parser.push(id, origin)
  parser.end()
  return parsed
}

function collect(parsed: ParsedHarmony, event: HarmonyEvent): void {
  switch (event.type) {
    case 'message_start':
      parsed.messages.push({ ...event.header, content: '' })
      break
    case 'message_text': {
      const message = parsed.messages.at(-1)
      if (message) message.content += event.text
      break
    }
    case 'repair':
      parsed.repairs.push(event.repair)
      break
    case 'message_end':
      break
  }
}
