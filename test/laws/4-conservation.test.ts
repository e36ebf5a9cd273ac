import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_UNDECIDED_TOKENS } from '../../src/core/harmony/undecided-text.js'
import { FIRST_SPECIAL } from '../../src/core/harmony/vocabulary.js'
import type { OutputItem } from '../../src/core/responses/items.js'
import type { Trace } from '../../src/core/trace/tracer.js'
import { chunkPlan, cutChunks } from '../support/arbitraries.js'
import { RUNS } from '../support/runs.js'
import { encodeHarmony, encodeText } from '../support/tokens.js'
import { itemText } from './check-stream.js'
import { anyStream, endReason, type Outcome, oneByOne, PAGES, run, runTraced, tokenTable } from './streams.js'

type TokenTrace = Extract<Trace, { type: 'token' }>

/** A message of the assistant, with the tokens it came from. */
interface TracedMessage {
  /** Index of the token that produced the message's start. The tokens of its content follow it. */
  readonly start: number
  /** The token that ended it, or one past the last. */
  end: number
  text: string
}

/** The bytes of ordinary tokens of the model in a range, decoded run by run: a marker or the host ends a run. */
function spoken(tokens: readonly TokenTrace[], from: number, to: number, separator = ''): string {
  let text = ''
  let run: number[] = []
  const flush = (): void => {
    text += separator + new TextDecoder('utf-8', { ignoreBOM: true }).decode(Uint8Array.from(run))
    run = []
  }
  for (const token of tokens.slice(from, to)) {
    if (token.origin === 'model' && token.token !== null && token.token < FIRST_SPECIAL) {
      run.push(...tokenTable.bytes(token.token))
    } else flush()
  }
  flush()
  return text
}

function trace({ traces }: { readonly traces: readonly Trace[] }): {
  tokens: TokenTrace[]
  messages: TracedMessage[]
  headers: string
} {
  let headers = ''
  const tokens: TokenTrace[] = []
  const messages: TracedMessage[] = []
  let open: TracedMessage | undefined
  for (const entry of traces) {
    if (entry.type === 'token') tokens.push(entry)
    if (entry.type !== 'harmony') continue
    const { event } = entry
    if (event.type === 'message_start') headers += ` ${Object.values(event.header).join(' ')}`
    if (event.type === 'message_start' && event.header.role === 'assistant') {
      open = { start: entry.index, end: -1, text: '' }
      messages.push(open)
    } else if (event.type === 'message_text' && open !== undefined) open.text += event.text
    else if (event.type === 'message_end') {
      if (open !== undefined) open.end = event.terminator === 'turn' ? tokens.length : entry.index
      open = undefined
    }
  }
  return { tokens, messages, headers }
}

test('a tracer changes nothing', () => {
  fc.assert(
    fc.property(anyStream(), chunkPlan(), endReason, ({ chunks, setup }, plan, reason) => {
      const pieces = cutChunks(chunks, plan)
      const { trace: _, ...untraced } = setup
      const { events, diagnostics, response } = runTraced(pieces, setup, reason)
      expect({ events, diagnostics, response }).toEqual(run(pieces, untraced, reason))
    }),
    { numRuns: RUNS },
  )
})

const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '')

test('any token sequence ends in a terminal event and throws nothing', () => {
  const anyTokens = fc.array(
    fc.oneof(
      fc.integer({ min: 0, max: FIRST_SPECIAL - 1 }),
      fc.integer({ min: FIRST_SPECIAL, max: 200_020 }),
      fc.integer({ min: 0, max: 2 ** 31 }),
    ),
    { maxLength: 60 },
  )
  fc.assert(
    fc.property(anyTokens, endReason, (tokens, reason) => {
      const { events } = run([tokens], {}, reason)
      expect(events.at(-1)?.type).toMatch(/^response\.(completed|incomplete)$/)
    }),
    { numRuns: RUNS },
  )
})

test('a message has exactly the text of its own tokens, and no control token adds a character', () => {
  fc.assert(
    fc.property(anyStream(), endReason, ({ chunks, setup }, reason) => {
      const { tokens, messages } = trace(runTraced(oneByOne(chunks), setup, reason))
      let previousEnd = 0
      for (const message of messages) {
        const content = spoken(tokens, message.start + 1, message.end)
        expect(message.text.endsWith(content)).toBe(true)
        // Earlier text comes from the header and belongs to the message.
        const lead = message.text.slice(0, message.text.length - content.length)
        const header = spoken(tokens, previousEnd, message.start + 1)
        for (const word of words(lead)) expect(header).toContain(word)
        // A message that was decided late began and ended at one token, after its own: those may be the next one's, too.
        if (message.end > message.start) previousEnd = message.end
      }
    }),
    { numRuns: RUNS },
  )
})

test('every message is exactly one item with exactly its text, or in a diagnostic', () => {
  fc.assert(
    fc.property(anyStream(), endReason, fc.constantFrom('live', 'whole'), ({ chunks, setup }, reason, calls) => {
      const outcome = runTraced(oneByOne(chunks), { ...setup, calls }, reason)
      const { messages } = trace(outcome)
      const items = outcome.response.output.filter(({ type }) => !HOSTS.has(type))
      for (const [index, { text }] of messages.entries()) {
        const item = items[index]
        // A call that was cut off before it was announced appears only in a diagnostic.
        if (item === undefined) expect(diagnosed(outcome, 'call_cut_off')).toContain(text)
        else expectShown(item, setup.citations && item.type === 'message' ? cited(text) : text, outcome)
      }
      expect(items.length).toBeLessThanOrEqual(messages.length)
    }),
    { numRuns: RUNS },
  )
})

/** Items that come from no message of the model. */
const HOSTS: ReadonlySet<string> = new Set(['mcp_list_tools', 'shell_call_output'])

function diagnosed({ diagnostics }: Outcome, of: string): string[] {
  return diagnostics.flatMap(({ code, text = '' }) => (code === of ? [text] : []))
}

/** An item shows its message's text, unless the text is hidden or reported in a diagnostic instead. */
function expectShown(item: OutputItem, text: string, outcome: Outcome): void {
  switch (item.type) {
    case 'reasoning': {
      const [shown] = [...item.content, ...item.summary]
      if (shown !== undefined) expect(shown.text).toBe(text)
      break
    }
    case 'web_search_call':
    case 'shell_call':
    case 'local_shell_call': {
      const reported = [...diagnosed(outcome, 'unreadable_arguments'), ...diagnosed(outcome, 'call_cut_off')]
      if (!reported.includes(text)) for (const said of spellingsOf(text)) expect(JSON.stringify(item)).toContain(said)
      break
    }
    case 'function_call':
      if (text.trim() === '') expect(item.status === 'completed' ? item.arguments : '{}').toBe('{}')
      else if (!isWrapped(item.arguments, text)) expect(withRest(item.arguments, text, outcome)).toBe(text)
      break
    case 'mcp_call':
    case 'mcp_approval_request':
      expect(withRest(item.arguments, text, outcome)).toBe(text)
      break
    default:
      expect(itemText(item)).toBe(text)
  }
}

/** The arguments, and the text after them from a diagnostic. */
function withRest(shown: string, text: string, outcome: Outcome): string {
  const rests = [...diagnosed(outcome, 'text_after_arguments'), ...diagnosed(outcome, 'call_cut_off')]
  return shown + (rests.find((rest) => shown + rest === text) ?? '')
}

/** Whether the arguments are an object whose only value is the model's text for an undeclared function. */
function isWrapped(shown: string, text: string): boolean {
  try {
    return Object.values(JSON.parse(shown)).join() === text
  } catch {
    return false
  }
}

/** The arguments that an item must show, JSON-escaped: their strings, or the whole text if it is invalid JSON. */
function spellingsOf(text: string): string[] {
  let values: unknown[] = [text]
  try {
    values = Object.values(JSON.parse(text)).flat()
  } catch {}
  return values.flatMap((value) => (typeof value === 'string' ? [JSON.stringify(value).slice(1, -1)] : []))
}

/** The replacement of citation marks: a second, independent implementation of the rule. */
function cited(text: string): string {
  return text.replace(/【(\d{1,9})†[^【】†\n]{1,64}(†[^【】†\n]{1,64})?】/g, (mark, cursor) => {
    const page = PAGES.get(Number(cursor))
    if (page === undefined) return mark
    const domain = new URL(page.url).host.replace(/^www\./, '')
    return ` ([${domain}](${page.url.replaceAll(' ', '%20').replaceAll('(', '%28').replaceAll(')', '%29')}))`
  })
}

test('text between and inside headers that is not a header word is in a message or in a diagnostic', () => {
  fc.assert(
    fc.property(anyStream(), endReason, ({ chunks, setup }, reason) => {
      const outcome = runTraced(oneByOne(chunks), setup, reason)
      const { tokens, messages, headers } = trace(outcome)
      const reported = outcome.diagnostics.map(({ text }) => text ?? '').join(' ')
      const placed = `${headers} ${messages.map(({ text }) => text).join(' ')}`
      let previousEnd = 0
      const outside = [
        ...messages.map(({ start, end }) => [start, end] as const),
        [tokens.length, tokens.length] as const,
      ]
      for (const [start, end] of outside) {
        for (const word of words(spoken(tokens, previousEnd, Math.min(start + 1, tokens.length), ' '))) {
          if (isHeaderWord(word)) continue
          // A reserved token between a role and its name leaves a word that begins with their colon.
          expect(`${reported} ${placed}`).toContain(word.replace(/^:/, ''))
        }
        previousEnd = end
      }
    }),
    { numRuns: RUNS },
  )
})

/** Words that mean something in a header, even if they are glued together or misspelled. */
function isHeaderWord(word: string): boolean {
  return /assistant|analysis|comm|final|user|system|developer|tool|^to$|^=|to=|functions|json|code|text|python/i.test(
    word,
  )
}

test('text without a channel is shown once, or twice as a diagnostic counts it', () => {
  const text = fc.constantFrom(' a', ' so', '\u00e9', '\u{1FAE0}')
  const length = fc.integer({ min: MAX_UNDECIDED_TOKENS - 2, max: MAX_UNDECIDED_TOKENS + 2 })
  const ending = fc.constantFrom(
    '<|return|>',
    '<|end|>',
    `<|end|><|start|>assistant<|channel|>final<|message|><|return|>`,
  )
  fc.assert(
    fc.property(text, length, ending, endReason, (piece, count, end, reason) => {
      const ids = encodeText(piece)
      const tokens = Array.from({ length: Math.ceil(count / ids.length) }, () => ids).flat()
      const { response, diagnostics } = run([tokens, encodeHarmony(end)], {}, reason)
      const shown = response.output.reduce((sum, item) => sum + (itemText(item)?.length ?? 0), 0)
      const repeated = diagnostics.flatMap(({ code, subject }) => (code === 'repeated_answer' ? [Number(subject)] : []))
      const once = piece.length * (tokens.length / ids.length)
      expect(shown).toBe(once + repeated.reduce((sum, each) => sum + each, 0))
      expect(repeated.length).toBeLessThanOrEqual(tokens.length > MAX_UNDECIDED_TOKENS ? 1 : 0)
    }),
    { numRuns: Math.ceil(RUNS / 10) },
  )
})
