import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createHarmonyParser } from '../../../src/core/harmony/event-parser.js'
import type { HarmonyEvent, HarmonyHeader, HarmonyMessage, Repair } from '../../../src/core/harmony/events.js'
import type { HarmonyParser } from '../../../src/core/harmony/parser.js'
import { declareTools, toolNamed } from '../../../src/core/recipients/declared-tools.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import type { TokenChunk } from '../../../src/core/tokens/token-source.js'
import {
  chunkPlan,
  cutChunks,
  cutText,
  MALFORMED_SHAPES,
  type MalformedShape,
  type MalformedTranscript,
  malformedTranscript,
  textPlan,
} from '../../support/arbitraries.js'
import { RUNS, runs } from '../../support/runs.js'
import { spellsMarker } from '../../support/tokens.js'

const tokenTable = await loadTokenTable()

const check = (holds: (transcript: MalformedTranscript) => void): void =>
  fc.assert(
    fc.property(malformedTranscript(), (transcript) => {
      holds(transcript)
    }),
    { numRuns: RUNS },
  )

/** Pushes chunks of ids or of text, the host's as the host's. */
function push(parser: HarmonyParser, chunks: readonly TokenChunk[]): void {
  for (const chunk of chunks) {
    const isHost = typeof chunk === 'object' && 'host' in chunk
    const said = isHost ? chunk.host : chunk
    const origin = isHost ? 'host' : 'model'
    if (typeof said === 'string') parser.pushText(said, origin)
    else if (typeof said === 'number') parser.push(said, origin)
    else for (const token of said as Iterable<number>) parser.push(token, origin)
  }
}

/** All events, with adjacent texts joined, because the parser does not promise where deltas are cut. */
function parse({ request }: MalformedTranscript, chunks: readonly TokenChunk[]): HarmonyEvent[] {
  const tools = declareTools(request.tools)
  const events: HarmonyEvent[] = []
  const parser = createHarmonyParser({ tokenTable, toolNamed: (word) => toolNamed(word, tools) }, (event) => {
    const last = events.at(-1)
    if (event.type === 'message_text' && last?.type === 'message_text' && last.origin === event.origin) {
      events[events.length - 1] = { ...last, text: last.text + event.text }
    } else events.push(event)
  })
  push(parser, chunks)
  parser.end()
  return events
}

interface Parsed {
  readonly messages: HarmonyMessage[]
  readonly repairs: Repair[]
  /** All text in order: the contents of messages, and the texts that repairs report. */
  readonly said: string[]
}

function collect(events: readonly HarmonyEvent[]): Parsed {
  const messages: HarmonyMessage[] = []
  const repairs: Repair[] = []
  const said: (HarmonyMessage | string)[] = []
  for (const event of events) {
    if (event.type === 'message_start') {
      const message = { ...event.header, content: '' }
      messages.push(message)
      said.push(message)
    } else if (event.type === 'message_text') (messages.at(-1) as HarmonyMessage).content += event.text
    else if (event.type === 'repair') {
      repairs.push(event.repair)
      said.push(event.repair.text ?? '')
    }
  }
  return { messages, repairs, said: said.map((one) => (typeof one === 'string' ? one : one.content)) }
}

const parseIds = (transcript: MalformedTranscript): Parsed => collect(parse(transcript, transcript.chunks))

/** The first text that does not follow the ones before it, or undefined. */
function firstMissing(texts: readonly string[], said: readonly string[]): string | undefined {
  let [index, offset] = [0, 0]
  for (const text of texts) {
    let found = -1
    while (index < said.length) {
      found = (said[index] as string).indexOf(text, offset)
      if (found >= 0) break
      index += 1
      offset = 0
    }
    if (found < 0) return text
    offset = found + text.length
  }
  return undefined
}

/** The messages between the well-formed ones. */
function ofStretch({ before, after }: MalformedTranscript, messages: readonly HarmonyMessage[]): HarmonyMessage[] {
  return messages.slice(before.length, messages.length - after.length)
}

const addressesTool = ({ role, recipient }: HarmonyMessage): boolean =>
  role === 'assistant' && recipient !== undefined && !['assistant', 'user', ''].includes(recipient)

/**
 * Shapes that are malformed to other engines, or to what the tools say, but that are Harmony to the parser: they are
 * read as they stand, and law 8 (`official.test.ts`) holds the official parser against them.
 */
const WELL_FORMED: Readonly<Partial<Record<MalformedShape, (transcript: MalformedTranscript) => boolean>>> = {
  'unknown-content-type': ({ variant, text }) =>
    variant === 'odd content type with recipient' && !text.includes('<|constrain|>commentary'),
  'recipient-without-namespace': () => true,
  'call-on-wrong-channel': ({ text }) => !text.includes('comment to='),
  'undeclared-tool': () => true,
  'code-as-arguments': () => true,
  'recipient-not-a-tool': () => true,
  preamble: () => true,
  'arguments-without-recipient': () => true,
  'invalid-json-arguments': () => true,
  'wrong-call-terminator': () => true,
  'parallel-calls': () => true,
  'reasoning-only': () => true,
  'cut-in-header': ({ tokens }) => tokens.length === 0,
  'split-header-words': () => true,
  'text-cut-in-markers': () => true,
  'markers-in-tool-result': () => true,
}

const isWellFormed = (transcript: MalformedTranscript): boolean => WELL_FORMED[transcript.shape]?.(transcript) === true

describe('a malformed stretch', () => {
  test('a malformed stretch leaves the well-formed messages around it as they are', () => {
    check((transcript) => {
      const { messages } = parseIds(transcript)
      expect(messages.slice(0, transcript.before.length)).toEqual(transcript.before)
      expect(messages.slice(messages.length - transcript.after.length)).toEqual(transcript.after)
    })
  })

  test('a malformed stretch loses no text: it is in a message or in what a repair reports, in order', () => {
    check((transcript) => {
      const { said } = parseIds(transcript)
      const surrounded = [...transcript.before, ...transcript.after].map(({ content }) => content)
      const texts = [
        ...surrounded.slice(0, transcript.before.length),
        ...transcript.texts,
        ...surrounded.slice(transcript.before.length),
      ]
      expect(firstMissing(texts, said)).toBeUndefined()
    })
  })

  test('a malformed stretch makes the calls that the table says, and no others', () => {
    check((transcript) => {
      const tools = declareTools(transcript.request.tools)
      const messages = ofStretch(transcript, parseIds(transcript).messages)
      const calls = messages.filter(addressesTool).map(({ recipient = '', content }) => {
        // Text that merely spells a marker stays text, even if it is glued to a recipient (principle P1).
        const name = transcript.spelled ? recipient.replace(/<\|.*/, '') : recipient
        return { recipient: toolNamed(name, tools) ?? name, arguments: content }
      })
      expect(calls).toEqual(transcript.calls)
    })
  })

  test('a malformed stretch brings no spelling of a control token into a message or a header', () => {
    check((transcript) => {
      if (transcript.spelled) return
      for (const message of parseIds(transcript).messages) {
        for (const value of Object.values(message)) expect(spellsMarker(String(value))).toBe(false)
      }
    })
  })

  test('a malformed stretch is reported, unless it is Harmony as it stands', () => {
    check((transcript) => {
      // Several shapes end in <|return|>, and then the messages after it are reported as well.
      const repairs = parseIds(transcript).repairs.filter(({ code }) => code !== 'tokens_after_return')
      expect(repairs.length === 0).toBe(isWellFormed(transcript))
    })
  })

  test('a malformed stretch has only fields that its header can have', () => {
    const fields: (keyof HarmonyHeader)[] = ['role', 'name', 'recipient', 'channel', 'contentType', 'constrained']
    check((transcript) => {
      for (const { content: _, ...header } of parseIds(transcript).messages) {
        expect(fields).toEqual(expect.arrayContaining(Object.keys(header)))
        // Absent fields are absent, not undefined; and a channel that is no channel stands beside a recipient only.
        expect(Object.values(header)).not.toContain(undefined)
        if (header.recipient === undefined)
          expect(['analysis', 'commentary', 'final', undefined]).toContain(header.channel)
      }
    })
  })

  test('a malformed stretch is read alike however its ids are chunked', () => {
    fc.assert(
      fc.property(malformedTranscript(), chunkPlan(), (transcript, plan) => {
        expect(parse(transcript, cutChunks(transcript.chunks, plan))).toEqual(parse(transcript, transcript.chunks))
      }),
      { numRuns: RUNS },
    )
  })

  test('a malformed stretch is read alike as text, however that is cut', () => {
    fc.assert(
      fc.property(malformedTranscript(), textPlan(), (transcript, plan) => {
        if (transcript.textChunks === undefined) return
        expect(parse(transcript, cutText(transcript.textChunks, plan))).toEqual(parse(transcript, transcript.chunks))
      }),
      { numRuns: RUNS },
    )
  })

  test('a malformed stretch gives texts only inside messages, and ends every message that it starts', () => {
    check((transcript) => {
      let isOpen = false
      for (const event of parse(transcript, transcript.chunks)) {
        if (event.type === 'repair') continue
        expect(isOpen).toBe(event.type !== 'message_start')
        isOpen = event.type !== 'message_end'
      }
      expect(isOpen).toBe(false)
    })
  })
})

test.each(MALFORMED_SHAPES)('the malformed shape %s throws nothing', (shape) => {
  for (const transcript of fc.sample(malformedTranscript(shape), runs(50))) {
    expect(() => parseIds(transcript)).not.toThrow()
  }
})
