import { describe, expect, test } from 'vitest'
import {
  checkEvents,
  createChecker,
  INVARIANTS,
  type Profile,
  type Violation,
} from '../../../../src/judge/conformance/index.js'
import { jsonHash } from '../../../../src/judge/conformance/json-hash.js'
import type { StreamEvent } from '../../../../src/judge/conformance/stream-event.js'
import {
  BASES,
  type BaseName,
  brokenBy,
  cut,
  type Damage,
  damaged,
  drop,
  give,
  inside,
  itemsIn,
  move,
  nth,
  saidOf,
  set,
  setAll,
  setItem,
  setResponse,
} from './streams.js'

const violationsOf = (base: BaseName, profile: Profile, ...damages: readonly Damage[]): Violation[] =>
  checkEvents(damaged(BASES[base](), ...damages) as readonly StreamEvent[], { profile })

const NOWHERE = { item_id: undefined, output_index: undefined, content_index: undefined }

/** Incorrect streams, the profiles that must report them, and the damage. */
const DAMAGED: Readonly<Record<string, readonly [BaseName, readonly Profile[], Damage]>> = {
  'a message that holds a text that was never streamed': ['answer', ['openai', 'open-responses'], cut(3, 8)],
  'reasoning that holds a summary that was never streamed': ['summary', ['openai', 'open-responses'], cut(3, 7)],
  'a second part that was never streamed': [
    'answer',
    ['openai', 'open-responses'],
    (events) => {
      for (const { content } of itemsIn(events, 'message', ['done', 'terminal'])) {
        ;(content as unknown[]).push({ type: 'output_text', text: 'more', annotations: [], logprobs: [] })
      }
    },
  ],
  'arguments that do not say of which call': [
    'call',
    ['openai', 'open-responses'],
    setAll('function_call_arguments.delta', NOWHERE),
  ],
  'text that does not say of which message': [
    'answer',
    ['openai', 'open-responses'],
    setAll('output_text.delta', NOWHERE),
  ],
  'annotations that were never emitted': ['search', ['openai', 'open-responses'], drop('output_text.annotation.added')],
  'an annotation of a part that was never announced': [
    'search',
    ['openai', 'open-responses'],
    set('output_text.annotation.added', { content_index: 7 }),
  ],
  'an MCP call that neither completed nor failed': ['mcp', ['openai'], drop('mcp_call.completed')],
  'two calls under one call_id': ['calls', ['openai'], setItem('function_call', { call_id: 'call_same' })],
  'a shell command that was never announced': ['shell', ['openai'], drop('shell_call_command.added')],
  'a shell call that cannot be answered': ['shell', ['openai'], setItem('shell_call', { call_id: undefined })],
  'a delta of a message about reasoning': [
    'talk',
    ['openai'],
    (events) => {
      for (const event of events) event.type = event.type.replace('response.reasoning_text.', 'response.output_text.')
    },
  ],
  'a call that is done with half of its arguments streamed': ['call', ['openai'], cut(4, 5)],
}

describe('something is said against', () => {
  const cases = Object.entries(DAMAGED).flatMap(([name, [base, profiles, damage]]) =>
    profiles.map((profile) => [name, profile, base, damage] as const),
  )

  test.each(cases)('something is said against %s: %s', (_name, profile, base, damage) => {
    const events = damaged(BASES[base](), damage)
    const before = brokenBy(BASES[base](), profile)
    expect(brokenBy(events, profile).filter((rule) => !before.includes(rule))).not.toEqual([])
  })
})

describe('one damage is reported once', () => {
  test('output indexes with a gap in the middle are one violation', () => {
    const gap: Damage = (events) => {
      for (const event of events) {
        if (Number(event['output_index']) > 0) event['output_index'] = Number(event['output_index']) + 1
      }
    }
    expect(saidOf(damaged(BASES.talk(), gap), 'openai')).toEqual(['9 output-index-order'])
  })

  test('output indexes that begin at 1 are one violation', () => {
    const shifted: Damage = (events) => {
      for (const event of events.filter((event) => 'output_index' in event)) {
        event['output_index'] = Number(event['output_index']) + 1
      }
    }
    expect(saidOf(damaged(BASES.talk(), shifted), 'openai')).toEqual(['2 output-index-order'])
  })
})

describe('violations quote the stream correctly', () => {
  const said = (violations: readonly Violation[]): string[] =>
    violations.map(({ rule, expected, got }) => `${rule}: expected ${expected}, got ${got}`)

  test('arguments in an item are compared with the reported ones, which are quoted', () => {
    const [violation] = violationsOf(
      'call',
      'openai',
      drop('function_call_arguments.delta'),
      setItem('function_call', { arguments: '{}' }, ['done', 'terminal']),
    ).filter(({ rule }) => rule === 'call-is-deltas')
    expect(violation?.expected).toContain('Paris')
  })

  test('the sequence number that is expected after a missing one is a number', () => {
    const violations = violationsOf('answer', 'open-responses', (events) => {
      for (const event of events) delete event['sequence_number']
    }).filter(({ rule }) => rule === 'sequence-numbers')
    expect(violations).toHaveLength(10)
    for (const { expected } of violations) expect(expected).toMatch(/^sequence_number \d+$/)
  })

  test('a sequence number that is null is not held against the one after it', () => {
    const violations = violationsOf('answer', 'open-responses', set('output_item.added', { sequence_number: null }))
    expect(violations.map(({ position, rule }) => `${position} ${rule}`)).toEqual([
      '2 sequence-numbers',
      '2 open-responses-shape',
    ])
  })

  test('a beginning that comes late is not a second one', () => {
    const texts = said(violationsOf('answer', 'openai', move(1, 0)))
    expect(texts.join('\n')).not.toContain('no other response.created')
  })

  test('an item without an index is not the first item again', () => {
    const texts = said(violationsOf('calls', 'openai', set('output_item.done', { output_index: null }, 1)))
    expect(texts.join('\n')).not.toContain('second output_item.done')
    const added = violationsOf('calls', 'openai', set('output_item.added', { output_index: null }, 1))
    expect(added.map(({ rule }) => rule)).not.toContain('output-index-free')
  })

  test('a summary that is open is called by its own index', () => {
    const [violation] = violationsOf('both', 'open-responses', drop('reasoning_summary_part.done')).filter(
      ({ rule }) => rule === 'every-part-done',
    )
    expect(violation?.expected).toBe('the end of summary 0')
  })
})

describe('what may come', () => {
  test('a checker does not throw at an event without a type', () => {
    const checker = createChecker()
    for (const event of [{}, { type: null }, { type: 7 }, { error: { message: 'x' } }]) {
      expect(() => checker.push(event as unknown as StreamEvent)).not.toThrow()
    }
  })

  test('an event may have its keys in any order, at any depth', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, inner]) => [name, reversed(inner)]),
      )
    }
    for (const base of Object.values(BASES)) {
      const events = base()
      const terminal = reversed(events.at(-1)) as (typeof events)[number]
      expect(saidOf([...events.slice(0, -1), terminal], 'openai')).toEqual(saidOf(events, 'openai'))
    }
  })

  test('an event may have fields with the names that objects have of themselves', () => {
    const odd = JSON.parse('{"__proto__":{"a":1},"constructor":1,"toString":"x"}')
    expect(jsonHash(odd)).not.toBe(jsonHash({ constructor: 1, toString: 'x' }))
    const damage: Damage = (events) => {
      for (const type of ['created', 'in_progress', 'completed']) setResponse(type, { metadata: odd })(events)
    }
    expect(brokenBy(damaged(BASES.answer(), damage), 'openai')).not.toContain('response-constant')
  })

  test('an item may be of a type that objects have of themselves', () => {
    for (const type of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      const events = damaged(BASES.answer(), setItem('message', { type }))
      for (const { neededBy } of INVARIANTS) {
        for (const profile of neededBy) expect(() => brokenBy(events, profile)).not.toThrow()
      }
      expect(brokenBy(events, 'openai')).not.toContain('item-id-prefix')
    }
  })

  test('texts that differ in one character anywhere are not taken for the same', () => {
    const text = 'x'.repeat(300)
    const digests = new Set([jsonHash(text)])
    for (let at = 0; at < text.length; at++) digests.add(jsonHash(`${text.slice(0, at)}y${text.slice(at + 1)}`))
    expect(digests.size).toBe(301)
  })

  test('a response that was cut off may have usage', () => {
    const usage = (events: Parameters<Damage>[0]): { [field: string]: unknown } =>
      inside(inside(nth(events, 'incomplete'), 'response'), 'usage')
    const damage: Damage = (events) => give(usage(events), { total_tokens: 1 })
    expect(brokenBy(damaged(BASES.truncated(), damage), 'openai')).toEqual(['usage-adds-up'])
  })
})
