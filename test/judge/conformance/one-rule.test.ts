import { expect, test, vi } from 'vitest'
import { checkEvents, reportOn, type StreamChunk, type StreamEvent } from '../../../src/judge/conformance/index.js'
import { sentenceOf } from '../../../src/judge/conformance/report/rule-facts.js'
import { ruleTable } from '../rule-tables.js'
import { BASES as CHUNKS } from './chat/streams.js'
import { BASES } from './invariants/streams.js'
import { BASES as MESSAGES } from './messages/streams.js'

// CONTRIBUTING.md promises that a rule is written in one place. Each API gets one here, by its file of rules alone.

const { planted } = vi.hoisted(() => ({
  planted: {
    responses: {
      id: 'planted',
      sentence: 'No delta is "".',
      causes: { event: ['no-empty-delta'] },
      event({ delta }: { delta?: unknown }, _state: unknown, report: (expected: string, got: unknown) => void): void {
        if (delta === '') report('a text', delta)
      },
    },
    chat: {
      id: 'chat-planted',
      sentence: 'The tokens are seven in total.',
      causes: { event: ['chat-usage-adds-up'] },
      chunk(
        { usage }: { usage?: { total_tokens?: unknown } },
        _state: unknown,
        report: (expected: string, got: unknown) => void,
      ): void {
        if (usage && usage.total_tokens !== 7) report('seven tokens', usage.total_tokens)
      },
    },
    messages: {
      id: 'messages-planted',
      sentence: 'An answer does not end by itself at a stop sequence.',
      causes: { event: ['messages-stop-sequence'] },
      event(
        { delta }: { delta?: { stop_sequence?: unknown } },
        _state: unknown,
        report: (expected: string, got: unknown) => void,
      ): void {
        if (delta?.stop_sequence) report('no stop sequence', delta.stop_sequence)
      },
    },
  },
}))

vi.mock(import('../../../src/judge/conformance/invariants/wire.js'), async (original) => {
  const { responseRules } = await import('../../../src/judge/conformance/invariant.js')
  const { WIRE, ...rest } = await original()
  return { ...rest, WIRE: [...WIRE, ...responseRules([planted.responses] as never)] }
})

vi.mock(import('../../../src/judge/conformance/chat/invariants/usage.js'), async (original) => {
  const { chatRules } = await import('../../../src/judge/conformance/chat/invariant.js')
  const { USAGE } = await original()
  return { USAGE: [...USAGE, ...chatRules([planted.chat] as never)] }
})

vi.mock(import('../../../src/judge/conformance/messages/invariants/end.js'), async (original) => {
  const { messagesRules } = await import('../../../src/judge/conformance/messages/invariant.js')
  const { END } = await original()
  return { END: [...END, ...messagesRules([planted.messages] as never)] }
})

/** A stream that breaks the planted rule, by a mistake that breaks another, too. */
function broken(api: keyof typeof planted): (StreamEvent & StreamChunk)[] {
  const base = { responses: BASES.answer(), chat: CHUNKS.text, messages: MESSAGES.text }[api]
  // biome-ignore lint/suspicious/noExplicitAny: a damage reaches into any field.
  const events: any[] = structuredClone([...base])
  if (api === 'responses') events.find(({ type }) => type === 'response.output_text.delta').delta = ''
  if (api === 'chat') events.at(-1).usage.total_tokens = 8
  if (api === 'messages') events.at(-2).delta.stop_sequence = 'x'
  return events
}

test.each([
  ['responses', 'openai', 'client:codex'],
  ['chat', 'chat', 'chat:openai'],
  ['messages', 'messages', 'messages:anthropic'],
] as const)(
  'a rule for %s that is added to one file is checked, left out, explained and documented',
  (api, profile, client) => {
    const { id, sentence, causes } = planted[api]
    const events = broken(api)
    const rules = (options: object): string[] => checkEvents(events, options).map(({ rule }) => rule)
    expect(rules({ profile })).toContain(id)
    expect(rules({ profile, without: [id] })).not.toContain(id)
    expect(rules({ profile: client })).not.toContain(id)
    const followers = reportOn(events, { profile }).causes.flatMap(({ lead, consequences }) =>
      consequences.map(({ first }) => [first[0]?.rule, lead.rule]),
    )
    expect(followers).toContainEqual([id, ...causes.event])
    expect(sentenceOf(id)).toBe(sentence)
    expect(ruleTable(api)).toContain(`| \`${id}\` | error | ${sentence} |`)
  },
)
