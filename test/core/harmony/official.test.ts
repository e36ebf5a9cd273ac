import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createHarmonyParser } from '../../../src/core/harmony/event-parser.js'
import type { HarmonyMessage, Terminator } from '../../../src/core/harmony/events.js'
import { parseMessages } from '../../../src/core/harmony/parse-messages.js'
import { VOCABULARY_SIZE } from '../../../src/core/harmony/vocabulary.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import {
  editedTranscript,
  harmonyTextSpellingMarkers,
  headerSoup,
  malformedTranscript,
  tokenSoup,
  wellFormedTranscript,
} from '../../support/arbitraries.js'
import { loadOfficial } from '../../support/official-parser.js'
import { RUNS, runs } from '../../support/runs.js'
import { encodeHarmony, encodeText, m, tokenBytes } from '../../support/tokens.js'

const tokenTable = await loadTokenTable()
const official = await loadOfficial()

const START = [m.start, ...encodeText('assistant')]

describe('well-formed Harmony', () => {
  const transcripts = (): ReturnType<typeof wellFormedTranscript> =>
    fc.oneof(wellFormedTranscript(), wellFormedTranscript({ text: harmonyTextSpellingMarkers() }))

  test('well-formed Harmony is read as the official parser reads it, and nothing is repaired', () => {
    fc.assert(
      fc.property(transcripts(), ({ tokens }) => {
        const { messages, accepted } = official.parse(tokens, 'assistant')
        expect(accepted).toBe(true)
        expect(parseMessages(tokens, { tokenTable })).toEqual({ messages, repairs: [] })
      }),
      { numRuns: RUNS },
    )
  })

  test('well-formed Harmony is read as the official parser reads it if nothing is implied by a prompt, too', () => {
    fc.assert(
      fc.property(transcripts(), ({ tokens }) => {
        const started = [...START, ...tokens]
        const { messages } = official.parse(started, null)
        expect(parseMessages(started, { tokenTable, role: null })).toEqual({ messages, repairs: [] })
      }),
      { numRuns: RUNS },
    )
  })

  test('well-formed Harmony is read as it is meant if the host wrote the results, too', () => {
    fc.assert(
      fc.property(transcripts(), ({ chunks, entries }) => {
        const seen: { message: HarmonyMessage; origin: string; terminator?: Terminator }[] = []
        const parser = createHarmonyParser({ tokenTable }, (event) => {
          const last = seen.at(-1)
          if (event.type === 'message_start')
            seen.push({ message: { ...event.header, content: '' }, origin: event.origin })
          else if (event.type === 'message_text' && last) last.message.content += event.text
          else if (event.type === 'message_end' && last) last.terminator = event.terminator
          else throw new Error(`unexpected ${JSON.stringify(event)}`)
        })
        for (const chunk of chunks) {
          const isHost = typeof chunk === 'object' && 'host' in chunk
          const ids = (isHost ? chunk.host : chunk) as readonly number[]
          for (const id of ids) parser.push(id, isHost ? 'host' : 'model')
        }
        expect(parser.end()).toBe('between')
        expect(seen).toEqual(
          entries.map(({ message, origin, terminator }) => ({ message: { ...message }, origin, terminator })),
        )
      }),
      { numRuns: RUNS },
    )
  })
})

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Whether every run of ordinary tokens is valid UTF-8, and every id one of the vocabulary: all that 0.4.0 can read. */
function isReadable(tokens: readonly number[]): boolean {
  let run: number[] = []
  for (const id of [...tokens, m.end]) {
    if (id >= VOCABULARY_SIZE) return false
    const bytes = tokenBytes(id)
    if (bytes !== undefined) run.push(...bytes)
    else {
      try {
        utf8.decode(Uint8Array.from(run))
      } catch {
        return false
      }
      run = []
    }
  }
  return true
}

interface Stream {
  readonly tokens: readonly number[]
  readonly role: 'assistant' | null
}

/** Checks law 8 on a stream, and returns whether the law applies: it does not if a repair is reported. */
function lawEight({ tokens, role }: Stream): boolean {
  const { messages, repairs } = parseMessages(tokens, { tokenTable, role })
  if (repairs.length > 0) return false
  const { errors, messages: closed, open } = official.parse(tokens, role)
  const read = open === undefined ? closed : [...closed, open]
  expect({ errors: [], messages }).toEqual({ errors, messages: read })
  return true
}

const readable = (stream: fc.Arbitrary<readonly number[]>): fc.Arbitrary<readonly number[]> => stream.filter(isReadable)

/** The same stream as it is, or after `<|start|>assistant`, or bare where `<|start|>` is awaited. */
const inEitherRole = (stream: fc.Arbitrary<readonly number[]>): fc.Arbitrary<Stream> =>
  fc.tuple(readable(stream), fc.constantFrom('turn', 'turn', 'started', 'bare')).map(([tokens, how]) => ({
    tokens: how === 'started' ? [...START, ...tokens] : tokens,
    role: how === 'turn' ? 'assistant' : null,
  }))

/** Each with the share of streams without a repair that the law can be expected to speak of. */
const KINDS: Readonly<Record<string, { stream: fc.Arbitrary<Stream>; fairShare: number }>> = {
  'transcripts with a few edits': { stream: inEitherRole(editedTranscript()), fairShare: 0.2 },
  'headers of any words': { stream: inEitherRole(headerSoup()), fairShare: 0.08 },
  'token soup': { stream: inEitherRole(tokenSoup()), fairShare: 0.08 },
  'malformed transcripts': {
    stream: readable(malformedTranscript().map(({ tokens }) => tokens)).map((tokens) => ({
      tokens,
      role: 'assistant',
    })),
    fairShare: 0.15,
  },
}

describe('if no repair is reported, the official parser accepts the stream and reads the same messages', () => {
  test.each(Object.entries(KINDS))(
    'if no repair is reported, the official parser accepts and reads alike: %s',

    (_, { stream }) => {
      fc.assert(
        fc.property(stream, (given) => {
          lawEight(given)
        }),
        { numRuns: RUNS },
      )
    },
  )

  test.each(Object.entries(KINDS))(
    'enough streams without a repair are found among %s',

    (_, { stream, fairShare }) => {
      const streams = fc.sample(stream, { numRuns: runs(2000), seed: 8 })
      const spokenOf = streams.filter(({ tokens, role }) => {
        const { repairs } = parseMessages(tokens, { tokenTable, role })
        return repairs.length === 0
      })
      expect(spokenOf.length / streams.length).toBeGreaterThan(fairShare)
      expect(spokenOf.length / streams.length).toBeLessThan(0.9)
    },
  )

  test.each([
    ['a <|constrain|> with nothing after it', '<|constrain|><|message|>Hi<|end|>'],
    ['an empty content type', '<|channel|>commentary to=functions.x <|constrain|><|message|>{}<|call|>'],
    [
      'a <|constrain|> after the content type',
      '<|channel|>commentary to=functions.x json<|constrain|><|message|>{}<|call|>',
    ],
    ['an empty channel before the channel', '<|channel|><|channel|>final<|message|>Hi<|end|>'],
    ['an empty channel after the channel', '<|channel|>commentary<|channel|><|message|>Hi<|end|>'],
    ['a recipient in the place of the channel', '<|channel|>to=functions.x<|channel|>commentary<|message|>{}<|call|>'],
    [
      'a content type in the place of the channel',
      ' to=functions.x<|channel|>json<|channel|>final<|message|>{}<|call|>',
    ],
    ['a recipient after a second channel', '<|channel|>commentary<|channel|>to=functions.x<|message|>{}<|call|>'],
    ['an empty recipient after a recipient', '<|channel|>commentary to=functions.x to=<|message|>{}<|call|>'],
    ['an empty recipient after the content type', '<|channel|>commentary json to=<|message|>Hi<|end|>'],
    ['a recipient after an unknown content type', '<|channel|>commentary Final to=python<|message|>1<|call|>'],
    ['a recipient after a constrained one', '<|constrain|>response<|channel|>commentary to=x<|message|>{}<|call|>'],
    ['a recipient in the place of the role', '<|message|>Hi<|end|><|start|>to=x<|message|>{}<|call|>'],
    [
      'a word before the recipient of a tool message',
      '<|message|>a<|end|><|start|>python<|channel|>final x to=assistant<|message|>1<|end|>',
    ],
    ['a recipient after <|constrain|>', '<|constrain|>to=functions.x<|message|>{}<|call|>'],
    ['a no-break space', '<|channel|>commentary to=functions.x\u00a0json<|message|>{}<|call|>'],
    ['a vertical tab', '<|channel|>commentary to=functions.x\vjson<|message|>{}<|call|>'],
    ['a byte order mark', '<|channel|>final\ufeff<|message|>Hi<|end|>'],
    ['a recipient glued to the role', '<|message|>a<|end|><|start|>assistantto=x<|channel|>final<|message|>1<|end|>'],
    ['an empty recipient glued to the role', '<|message|>a<|end|><|start|>assistantto=<|message|>1<|end|>'],
    [
      'a content type glued to the role',
      '<|message|>a<|end|><|start|>assistantjson<|channel|>final<|message|>1<|end|>',
    ],
    ['a channel glued to the role', '<|message|>a<|end|><|start|>assistantfinal<|message|>1<|end|>'],
    ['a tool glued to the role', '<|message|>a<|end|><|start|>assistantpython<|channel|>final<|message|>1<|end|>'],
    ['a next-line character', 'to=\u0085<|message|>Hi<|end|>'],
  ])('if no repair is reported, the official parser accepts the stream and reads the same messages: %s', (_, text) => {
    lawEight({ tokens: encodeHarmony(text), role: 'assistant' })
  })
})
