import { describe, expect, test } from 'vitest'
import { createHarmonyParser } from '../../../src/core/harmony/event-parser.js'
import type { HarmonyEvent, HarmonyHeader, HarmonyMessage, RepairCode } from '../../../src/core/harmony/events.js'
import { parseMessages } from '../../../src/core/harmony/parse-messages.js'
import { CHANNELS, SPECIAL } from '../../../src/core/harmony/vocabulary.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { normaliseMessage, type OfficialMessage } from '../../support/official-parser.js'
import { describeWithShared, fuzzTraces, type GoldenTrace, goldenTraces } from '../../support/shared-data.js'
import { showToken, tokenBytes } from '../../support/tokens.js'

const tokenTable = await loadTokenTable()

/** Our reading of a trace that the official parser refuses or misreads. */
interface Difference {
  readonly why: string
  /** `[final <json>] {}`: the header, then the content; an assistant's role is left out. */
  readonly messages: readonly string[]
  readonly repairs: readonly RepairCode[]
}

/** By the name of the trace. `why` begins with the malformed shape that the trace is an instance of. */
const DIFFERENCES: Readonly<Record<string, Difference>> = {
  'call-constrain-then-space-json': {
    why: 'space-after-constrain: <|constrain|> and its word are one, spaced or not',
    messages: ['[commentary to=functions.get_weather <json>] {"location":"SF"}'],
    repairs: ['unusual_header_spacing'],
  },
  'final-with-constrain-json': {
    why: 'content-type-on-final: <|constrain|>json is a content type, never a recipient',
    messages: ['[final <json>] {"a":1}'],
    repairs: ['content_type_without_recipient'],
  },
  'final-with-constrain-json-adjacent': {
    why: 'content-type-on-final, without a space',
    messages: ['[final <json>] {"a":1}'],
    repairs: ['content_type_without_recipient'],
  },
  'commentary-constrain-no-recipient': {
    why: 'unknown-content-type: <|constrain|>json is a content type, never a recipient',
    messages: ['[commentary <json>] {"a":1}'],
    repairs: ['content_type_without_recipient'],
  },
  'commentary-constrain-spaced-no-recipient': {
    why: 'unknown-content-type, with a space',
    messages: ['[commentary <json>] {"a":1}'],
    repairs: ['content_type_without_recipient'],
  },
  'analysis-code-no-recipient': {
    why: 'content-type-on-final: code is a content type, never a recipient',
    messages: ['[analysis code] print(1)'],
    repairs: ['content_type_without_recipient'],
  },
  'recipient-bare-word-no-to': {
    why: 'the same messages, and reported: a recipient should have its "to="',
    messages: ['[commentary to=functions.get_weather] {"x":1}'],
    repairs: ['bare_recipient'],
  },
  'recipient-spaced-to': {
    why: 'space-after-constrain, of "to=": spaces around "=" change nothing',
    messages: ['[commentary to=functions.get_weather] {"x":1}'],
    repairs: ['unusual_header_spacing'],
  },
  'recipient-channel-glued': {
    why: 'channel-glued-to-recipient: the recipient ends where the marker begins',
    messages: ['[commentary to=functions.foo json] {"x":1}'],
    repairs: ['repeated_channel'],
  },
  'role-section-recipient-glued-channel-twice': {
    why: 'channel-glued-to-recipient, in the role section',
    messages: ['[commentary to=functions.foo json] {"x":1}'],
    repairs: ['repeated_channel'],
  },
  'constrain-before-recipient': {
    why: 'unknown-content-type: a content type before the recipient changes nothing',
    messages: ['[commentary to=functions.foo <json>] {"x":1}'],
    repairs: ['misplaced_recipient'],
  },
  'constrain-double': {
    why: 'extra-header-words: the second content type is dropped',
    messages: ['[commentary to=functions.foo <json>] {"x":1}'],
    repairs: ['extra_header_text'],
  },
  'double-channel-first': {
    why: 'conflicting-channels: the last known channel wins, and no marker is a recipient',
    messages: ['[final] Hi'],
    repairs: ['repeated_channel'],
  },
  'double-channel-second-message': {
    why: 'conflicting-channels, in a second message',
    messages: ['[analysis] x', '[final] Hi'],
    repairs: ['repeated_channel'],
  },
  'channel-leading-space': {
    why: 'space-after-constrain, of the channel: white space before it changes nothing',
    messages: ['[final] Hi'],
    repairs: ['unusual_header_spacing'],
  },
  'unknown-channel': {
    why: 'unknown-channel: another channel is shown as final',
    messages: ['[final] Hi'],
    repairs: ['unknown_channel'],
  },
  'channel-uppercase': {
    why: 'unknown-channel: the nearest channel',
    messages: ['[final] Hi'],
    repairs: ['misspelled_channel'],
  },
  'channel-garbage-words': {
    why: 'free-text-after-channel: what is left over is reasoning, as the body is',
    messages: ['[analysis] We need to answer quicklyHi'],
    repairs: ['missing_message', 'stray_marker'],
  },
  'header-garbage-second-message': {
    why: 'extra-header-words: words without a meaning are dropped and reported',
    messages: ['[analysis] x', '[final] Hi'],
    repairs: ['extra_header_text'],
  },
  'missing-message-first': {
    why: 'missing-header: text without a header, after which the turn went on, is a thought',
    messages: [
      '[analysis] I must refuse',
      '[analysis] We must refuse',
      "[final] I'm sorry, but I can't help with that.",
    ],
    repairs: ['missing_message', 'assumed_reasoning'],
  },
  'missing-message-first-with-channel': {
    why: 'missing-message-marker: the channel is known, and the text is its message',
    messages: ['[analysis] I must refuse', "[final] I'm sorry."],
    repairs: ['missing_message'],
  },
  'missing-message-final-only-multiline': {
    why: 'missing-message-marker, of several lines, white space kept',
    messages: ['[final] The answer\nis:\n\n  42'],
    repairs: ['missing_message'],
  },
  'missing-message-then-call': {
    why: 'missing-header, and the call after it is not lost',
    messages: [
      "[analysis] ... Let's use the tool.",
      '[commentary to=functions.get_weather json] {"location": "Tokyo"}',
    ],
    repairs: ['missing_message', 'assumed_reasoning'],
  },
  'missing-message-call-header': {
    why: 'missing-message-marker, of a call: JSON begins the arguments',
    messages: ['[commentary to=functions.get_weather <json>] {"location":"SF"}'],
    repairs: ['missing_message'],
  },
  'missing-channel-token-plain-word': {
    why: 'channel-or-tool-as-role: a channel in the place of the role, in a turn that began after it',
    messages: ['[final] Hi'],
    repairs: ['role_is_channel'],
  },
  'missing-start-channel-directly': {
    why: 'missing-start: a channel between messages begins one',
    messages: ['[analysis] x', '[final] Hi'],
    repairs: ['missing_start'],
  },
  'missing-end-before-start': {
    why: 'missing-end: a start in the content ends the message',
    messages: ['[analysis] thinking', '[final] Hi'],
    repairs: ['missing_end'],
  },
  'missing-end-channel-in-content': {
    why: 'missing-end: a channel in the content ends the message',
    messages: ['[analysis] thinking', '[final] Hi'],
    repairs: ['missing_end', 'missing_start'],
  },
  'plain-text-then-return': {
    why: 'missing-header: text without a header is a message',
    messages: ['[] Hello, how can I help you today?'],
    repairs: ['missing_message'],
  },
  'empty-completion': {
    why: 'an empty completion: an open, empty header is nothing to report',
    messages: [],
    repairs: [],
  },
  'only-end': {
    why: 'end-in-header: a stop token in an empty header drops it',
    messages: [],
    repairs: ['dropped_header'],
  },
  'end-end': {
    why: 'stop tokens between messages are dropped and reported',
    messages: ['[final] Hi'],
    repairs: ['stray_terminator', 'stray_terminator'],
  },
  'consecutive-start': {
    why: 'repeated-start: a start in a header begins it again',
    messages: ['[analysis] x', '[final] Hi'],
    repairs: ['repeated_start'],
  },
  'role-repeated': {
    why: 'the same message, and reported: the role is there already',
    messages: ['[final] Hi'],
    repairs: ['repeated_role'],
  },
  'role-repeated-twice': {
    why: 'repeated-role: the role glued to itself is the role',
    messages: ['[final] Hi'],
    repairs: ['repeated_role'],
  },
  'start-empty-header': {
    why: 'channel-or-tool-as-role: no role at all is the assistant',
    messages: ['[analysis] x', '[] Hi'],
    repairs: ['unknown_role'],
  },
  'unknown-role': {
    why: 'channel-or-tool-as-role: an unknown role is the assistant',
    messages: ['[analysis] x', '[final] Hi'],
    repairs: ['unknown_role', 'extra_header_text'],
  },
  'role-with-name': {
    why: 'the renderer writes user:alice, which the official parser refuses: a role and a name',
    messages: ['[user name=alice] Hi', '[final] Yo'],
    repairs: ['named_role'],
  },
  'system-developer-user-prompt': {
    why: 'the same messages; the header that the stream ends in is reported (cut-in-header)',
    messages: ['[system] You are ChatGPT.', '[developer] # Instructions\n\nBe nice.', '[user] Hi'],
    repairs: ['truncated_header'],
  },
  'tool-result-no-recipient': {
    why: 'channel-or-tool-as-role: without a recipient, a model that names a tool calls it',
    messages: ['[commentary to=functions.get_weather] {"sunny": true}'],
    repairs: ['role_is_tool'],
  },
  'call-followed-by-commentary-token-no-start': {
    why: 'channel-word-as-header: more calls after a call, a channel for a header',
    messages: ['[commentary to=functions.a <json>] {"i":1}', '[commentary to=functions.b <json>] {"i":2}'],
    repairs: ['missing_start', 'role_is_channel'],
  },
  'return-followed-by-message': {
    why: 'the same messages, and reported: a stream ends at <|return|>',
    messages: ['[final] One', '[final] Two'],
    repairs: ['tokens_after_return'],
  },
  'special-tokens-in-content': {
    why: 'empty-message-without-end, missing-end: markers in the content are markers, never text',
    messages: ['[final] ab', '[final] d', '[] e'],
    repairs: [
      'stray_marker',
      'missing_end',
      'missing_start',
      'unknown_channel',
      'missing_end',
      'unknown_role',
      'missing_message',
    ],
  },
  'reserved-tokens-in-content': {
    why: 'unknown-token-id: reserved tokens are not text, <|endoftext|> ends the message; the text after it is a message without a header',
    messages: ['[final] abcde', '[] f'],
    repairs: [
      'reserved_token',
      'reserved_token',
      'reserved_token',
      'reserved_token',
      'end_of_text',
      'missing_start',
      'missing_message',
    ],
  },
  'out-of-range-token': {
    why: 'unknown-token-id: an id outside the vocabulary is skipped, and nothing else is lost',
    messages: ['[final] abcd ef'],
    repairs: ['unknown_token'],
  },
  'out-of-range-token-in-header': {
    why: 'unknown-token-id, in a header',
    messages: ['[final] Hi'],
    repairs: ['unknown_token'],
  },
  'emoji-interrupted-by-special': {
    why: 'missing-end, in the middle of a character; its first half is one U+FFFD',
    messages: ['[final] x �', '[analysis] y'],
    repairs: ['missing_end', 'missing_start', 'missing_message'],
  },
  'emoji-in-header': {
    why: 'unknown-channel: the nearest channel',
    messages: ['[final] Hi'],
    repairs: ['misspelled_channel'],
  },
  'nbsp-in-header': {
    why: 'the same message, and reported: parsers do not agree on white space beyond ASCII',
    messages: ['[final] Hi'],
    repairs: ['unusual_header_spacing'],
  },
  'truncated-mid-header': {
    why: 'cut-in-header: a header that was cut off is dropped and reported',
    messages: [],
    repairs: ['truncated_header'],
  },
  'truncated-after-channel': {
    why: 'cut-in-header, after the channel',
    messages: [],
    repairs: ['truncated_header'],
  },
  'truncated-mid-second-header': {
    why: 'cut-in-header, in the second header',
    messages: ['[analysis] x'],
    repairs: ['truncated_header'],
  },
  'wild-harmony114-triple-channel-bash': {
    why: 'tool-name-as-channel: the last known channel wins; bash is not a declared tool here, and is reported',
    messages: ['[analysis] x', '[commentary json] {"cmd":"ls"}'],
    repairs: ['repeated_channel', 'content_type_without_recipient', 'extra_header_text'],
  },
  'wild-harmony114-role-final': {
    why: 'channel-or-tool-as-role: a channel in the place of the role',
    messages: ['[analysis] x', '[final] Done.'],
    repairs: ['role_is_channel'],
  },
  'wild-harmony114-to-plus-two-words': {
    why: 'extra-header-words: the first word after the recipient is the type',
    messages: ['[commentary to=functions.bash code] {"cmd":"ls"}'],
    repairs: ['extra_header_text'],
  },
  'wild-harmony114-constrain-reasoning-then-end': {
    why: 'reasoning-after-constrain: a call that was never written does not exist, and swallows nothing',
    messages: ['[commentary to=functions.bash <json>] {"cmd":"ls"}'],
    repairs: ['dropped_header'],
  },
  'wild-tiles145-constrain-free-text': {
    why: 'reasoning-after-constrain: prose after <|constrain|> is reasoning',
    messages: ['[analysis] write: edit file with content.', '[commentary to=functions.write <json>] {"p":1}'],
    repairs: ['missing_message', 'extra_header_text'],
  },
  'wild-tiles145-role-bash': {
    why: 'channel-or-tool-as-role: bash is not a declared tool here, and is reported',
    messages: ['[analysis] x', '[commentary] {"cmd":"ls"}'],
    repairs: ['unknown_role', 'extra_header_text'],
  },
  'wild-llamacpp27720-question-marks': {
    why: 'end-in-header: a stop token ends the header, and the answer after it is no call',
    messages: ['[analysis] ??', '[final] Done'],
    repairs: ['missing_message'],
  },
  'wild-llamacpp27720-commentary-2q': {
    why: 'end-in-header: what is left over is reasoning',
    messages: ['[analysis] 2?', '[final] Done'],
    repairs: ['missing_message'],
  },
  'wild-llamacpp27720-doubled-to-assistant': {
    why: 'header-without-message: a header without message and text is dropped',
    messages: ['[analysis] ok', '[final] Done'],
    repairs: ['dropped_header'],
  },
  'wild-llamacpp25321-bare-json-no-markup': {
    why: 'no-markers: bare JSON is a message',
    messages: ['[] {"category":"billing","urgent":true}'],
    repairs: ['missing_message'],
  },
  'wild-harmony68-call-commentary-channel': {
    why: 'channel-word-as-header, empty-message-without-end: the fabricated calls are read, and no text is lost',
    messages: [
      '[analysis] Use tool.',
      '[commentary to=functions.geo <json>] {"city":"Paris"}',
      '[commentary to=functions.geo <json>] {"lat":"48.8566"}',
      '[commentary] ',
      '[final] Paris is at 48.8566 N.',
    ],
    repairs: [
      'missing_start',
      'role_is_channel',
      'repeated_channel',
      'missing_start',
      'role_is_channel',
      'missing_end',
    ],
  },
  'wild-sglang31019-json-after-end': {
    why: 'missing-header-after-reasoning: text between messages is a message',
    messages: ['[analysis] reasoning text', '[] {"country":"France","capital":"Paris"}'],
    repairs: ['missing_start', 'missing_message'],
  },
  'wild-vllm45213-final-no-message': {
    why: 'missing-message-marker: the channel is known, and JSON is its message',
    messages: ['[analysis] r', '[final] {"answer": 42}'],
    repairs: ['missing_message'],
  },
  'wild-dynamo236-final-stray-token': {
    why: 'constrain-instead-of-message: <|constrain|> for <|message|>',
    messages: ['[analysis] r', '[final] The answer is 42'],
    repairs: ['missing_message'],
  },
  'wild-dynamo236-finalx': {
    why: 'unknown-channel: the nearest channel',
    messages: ['[analysis] r', '[final] The answer is 42'],
    repairs: ['misspelled_channel'],
  },
  'wild-vllm42454-comment-channel': {
    why: 'unknown-channel: the nearest channel',
    messages: ['[commentary to=functions.get_weather <json>] {"location":"SF"}'],
    repairs: ['misspelled_channel'],
  },
  'wild-vllm43408-stray-tokens-after-end': {
    why: 'junk-before-start: the same messages, and the junk between them is reported',
    messages: ['[analysis] r', '[final] ok'],
    repairs: ['stray_text'],
  },
  'wild-vllm43408-empty-channel': {
    why: 'empty-channel: an empty channel counts as absent',
    messages: ['[analysis] r', '[] ok'],
    repairs: ['missing_channel'],
  },
  'wild-trtllm8615-channel-bangs': {
    why: 'endless-channel: an empty header is dropped and reported',
    messages: [],
    repairs: ['truncated_header'],
  },
  'wild-ogx4807-analysis-free-text-then-message': {
    why: 'free-text-after-channel: what is left over is reasoning, as the body is',
    messages: ['[analysis] need most recent U.S. CPI release and its MoM valueLet us open it.'],
    repairs: ['missing_message', 'stray_marker'],
  },
  'wild-exo1126-start-start': {
    why: 'repeated-start: a start in a header begins it again',
    messages: ['[final] Hi'],
    repairs: ['repeated_start', 'repeated_start'],
  },
}

function show({ role, name, channel, recipient, contentType, constrained, content }: HarmonyMessage): string {
  const header = [
    ...(role === 'assistant' ? [] : [role]),
    ...(name === undefined ? [] : [`name=${name}`]),
    ...(channel === undefined ? [] : [channel]),
    ...(recipient === undefined ? [] : [`to=${recipient}`]),
    ...(contentType === undefined ? [] : [constrained === true ? `<${contentType}>` : contentType]),
  ]
  return `[${header.join(' ')}] ${content}`
}

/** The newest official parser's messages at the end of the stream. */
function officialMessages({ messages, eos }: GoldenTrace['head']['strict']): HarmonyMessage[] {
  return ((eos.messages ?? messages) as readonly OfficialMessage[]).map(normaliseMessage)
}

describeWithShared('golden traces', () => {
  const traces = goldenTraces().map((trace) => [trace.name, trace] as const)

  describe('that the official parser reads as they are meant, we read alike', () => {
    test.each(traces.filter(([name]) => DIFFERENCES[name] === undefined))(
      'a golden trace that the official parser reads as it is meant is read alike: %s',
      (_, trace) => {
        const { strict } = trace.head
        expect([strict.error, strict.eos.error]).toEqual([null, null])
        const parsed = parseMessages(trace.tokens, { tokenTable, role: trace.role })
        expect(parsed).toEqual({ messages: officialMessages(strict), repairs: [] })
      },
    )
  })

  describe('that it refuses or misreads, or that we report, are repaired', () => {
    test.each(traces.filter(([name]) => DIFFERENCES[name] !== undefined))(
      'a golden trace that the official parser refuses or misreads, or that we report, is repaired: %s',
      (name, trace) => {
        const { messages, repairs } = parseMessages(trace.tokens, { tokenTable, role: trace.role })
        const { why, ...expected } = DIFFERENCES[name] as Difference
        const got = { messages: messages.map(show), repairs: repairs.map(({ code }) => code) }
        expect(got, why).toEqual(expected)
      },
    )
  })

  test('all golden traces that the table speaks of are there', () => {
    const names = traces.map(([name]) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(expect.arrayContaining(Object.keys(DIFFERENCES)))
  })
})

describeWithShared('random token soups', () => {
  const soups = fuzzTraces()

  test('random token soups throw nothing', () => {
    for (const { tokens } of soups) {
      for (const role of ['assistant', null] as const) {
        expect(() => parseMessages(tokens, { tokenTable, role })).not.toThrow()
      }
    }
  })

  test('random token soups without a repair are read as the newest official parser reads them', () => {
    let agreed = 0
    for (const { tokens, role, strict } of soups) {
      const { messages, repairs } = parseMessages(tokens, { tokenTable, role })
      if (repairs.length > 0) continue
      agreed += 1
      expect(strict.errors).toEqual({})
      expect(messages).toEqual(strict.messages.map(normaliseMessage))
    }
    expect(agreed).toBeGreaterThan(10)
  })

  test('random token soups lose no text: every token is content, lead, reported by a repair, or a word in a field of the header', () => {
    for (const { tokens, role } of soups) {
      const { lost, wrong } = account(tokens, role)
      expect({ lost, wrong }, tokens.map(showToken).join(' ')).toEqual({ lost: [], wrong: [] })
    }
  })

  test('random token soups have the same texts, whether text without a channel may be the answer or not', () => {
    for (const { tokens, role } of soups) {
      const [held, passed] = [false, true].map((needsChannel) => {
        const { messages } = parseMessages(tokens, { tokenTable, role, needsChannel })
        return messages.map(({ content }) => content)
      })
      expect(held).toEqual(passed)
    }
  })
})

interface Account {
  /** Lost words of headers: in no header field, no message and no repair. */
  readonly lost: string[]
  /** Content tokens whose text is not what the message got at them. */
  readonly wrong: { readonly said: string; readonly got: string }[]
}

/**
 * Follows every ordinary token to where its text went, by feeding the tokens one by one. Between a message's start and
 * its end the tokens are content: their bytes, decoded run by run, are what the message gets. The others are header:
 * when the header is complete, each of its words has to be at the front of the message (the lead), in a repair's text,
 * or in a field of the header, once for each time that it was written.
 */
function account(tokens: readonly number[], role: 'assistant' | null): Account {
  const [lost, wrong]: [Account['lost'], Account['wrong']] = [[], []]
  let events: HarmonyEvent[] = []
  // Text without a channel would otherwise be held back, beyond the end of its header.
  const parser = createHarmonyParser({ tokenTable, role, needsChannel: true }, (event) => events.push(event))
  let decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let isContent = false
  let said = ''
  let got = ''
  let written = ''
  let reported: string[] = []

  function takeText(text: string): void {
    if (isContent) said += text
    else written += text
  }

  function takeEvents(isOver: boolean): void {
    for (const event of events) {
      if (event.type === 'repair') reported.push(event.repair.text ?? '')
      else if (event.type === 'message_start') {
        // The text that comes with the start is the lead.
        const next = events[events.indexOf(event) + 1]
        closeHeader(event.header, next?.type === 'message_text' ? next.text : '')
        isContent = true
        if (next?.type === 'message_text') said = next.text
      } else if (event.type === 'message_text') got += event.text
      else {
        if (said !== got) wrong.push({ said, got })
        said = ''
        got = ''
        isContent = false
      }
    }
    events = []
    if (isOver) closeHeader(undefined, '')
  }

  function closeHeader(header: HarmonyHeader | undefined, lead: string): void {
    lost.push(...unaccounted(written, header, lead, reported))
    written = ''
    reported = []
  }

  for (const id of tokens) {
    const bytes = tokenBytes(id)
    if (bytes === undefined) {
      takeText(decoder.decode())
      decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    } else takeText(decoder.decode(bytes, { stream: true }))
    parser.push(id, 'model')
    const isDrop = events.some(({ type }) => type === 'repair') && parser.position === 'between' && !isContent
    takeEvents(id === SPECIAL.start || isDrop)
    if (!isContent && (id === SPECIAL.channel || id === SPECIAL.constrain)) written += ' '
  }
  takeText(decoder.decode())
  parser.end()
  takeEvents(true)
  return { lost, wrong }
}

/** The lost words of a header. */
function unaccounted(
  written: string,
  header: HarmonyHeader | undefined,
  lead: string,
  reported: readonly string[],
): string[] {
  const isAtEnd = lead !== '' && written.endsWith(lead)
  // A role that is glued to the next word is read apart from it, and not reported as a word.
  const left = wordsOf(isAtEnd ? written.slice(0, -lead.length) : written).flatMap((word, index) => {
    const glued = index === 0 && !reported.some((text) => wordsOf(text).includes(word))
    return glued ? word.split(/(?<=^(?:assistant)+)(?!assistant)/) : [word]
  })
  const take = (word: string): boolean => {
    const at = left.indexOf(word)
    if (at >= 0) left.splice(at, 1)
    return at >= 0
  }
  for (const word of [...(isAtEnd ? [] : wordsOf(lead)), ...reported.flatMap(wordsOf)]) take(word)
  if (header === undefined) return left
  const { name = '', recipient, channel = '', contentType = '' } = header
  const isRole = (word: string): boolean => word === header.role || /^(assistant)+$/.test(word)
  if (name === '') left.find((word) => isRole(word) && take(word))
  else if (!take(`${header.role}:${name}`)) take(name)
  // Rows 5 to 7 and 23 turn the rest into reasoning, whatever the channel.
  if (channel !== '' && !take(channel) && channel === 'analysis') CHANNELS.some(take)
  if (contentType !== '') take(contentType)
  if (recipient !== undefined && !take(`to=${recipient}`)) {
    // "to = X" and its like, or X alone.
    const spread = ['to', '=', 'to=', `=${recipient}`, recipient]
    return left.filter((word) => !spread.includes(word))
  }
  return left
}

const wordsOf = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')
