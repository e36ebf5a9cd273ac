import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openResponses, toDialect } from '../../../src/dialects/index.js'
import { CLIENT_INVARIANTS } from '../../../src/judge/conformance/clients/index.js'
import { eventKindOf } from '../../../src/judge/conformance/event-kind.js'
import {
  checkEvents,
  createChecker,
  INVARIANTS,
  PROFILES,
  type Profile,
  readStreams,
  type Violation,
} from '../../../src/judge/conformance/index.js'
import { EVENT_TYPES } from '../../../src/judge/conformance/schemas/index.js'
import type { StreamEvent } from '../../../src/judge/conformance/stream-event.js'
import { anyStream, breaks, endReason, run, runBroken } from '../../laws/streams.js'
import { RUNS } from '../../support/runs.js'
import { describeWithShared, sharedFolder } from '../../support/shared-data.js'
import { BASES } from './invariants/streams.js'

const errorsOf = (events: readonly unknown[], profile: Profile): Violation[] =>
  checkEvents(events as StreamEvent[], { profile }).filter(({ severity }) => severity === 'error')

const rulesOf = (events: readonly unknown[], profile: Profile): string[] => [
  ...new Set(errorsOf(events, profile).map(({ rule }) => rule)),
]

/** Without the model’s own mistakes: arguments that are invalid JSON are sent as they are. */
const serversRulesOf = (events: readonly unknown[], profile: Profile): string[] => [
  ...new Set(errorsOf(events, profile).flatMap(({ rule, fault }) => (fault === 'server' ? [rule] : []))),
]

describe('our own streams', () => {
  test('our own streams are as OpenAI does it', () => {
    fc.assert(
      fc.property(anyStream(), endReason, ({ chunks, setup }, reason) => {
        const rules = serversRulesOf(run(chunks, setup, reason).events, 'openai')
        expect(rules).toEqual([])
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    )
  })

  test('our own streams are as OpenAI does it if the engine failed or the client left, too', () => {
    fc.assert(
      fc.property(anyStream(), fc.nat(60), breaks, (stream, at, how) => {
        const rules = serversRulesOf(runBroken(stream, at, how).events, 'openai')
        expect(rules).toEqual([])
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    )
  })

  test('our own streams are as Open Responses requires, in its dialect', async () => {
    await fc.assert(
      fc.asyncProperty(anyStream(), endReason, async ({ chunks, setup }, reason) => {
        const events: unknown[] = []
        for await (const event of toDialect(run(chunks, setup, reason).events, openResponses)) events.push(event)
        // A function call without a result of the host's may be followed by the model's next message.
        expect(serversRulesOf(events, 'open-responses')).toEqual([])
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    )
  })
})

describe('the invariants', () => {
  test('the invariants have unique ids, a sentence, and a client that needs them', () => {
    expect(new Set(INVARIANTS.map(({ id }) => id)).size).toBe(INVARIANTS.length)
    for (const { id, sentence, neededBy } of INVARIANTS) {
      expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/)
      expect(sentence).toMatch(/^[A-Z0-9a-z_].*\.$/)
      expect(neededBy.length).toBeGreaterThan(0)
      for (const profile of neededBy) expect(PROFILES).toContain(profile)
    }
  })

  test('the invariants report an event that is checked twice only once', () => {
    fc.assert(
      fc.property(anyStream(), ({ chunks, setup }) => {
        const events = run(chunks, setup).events as unknown as StreamEvent[]
        const checker = createChecker()
        const live = [...events.flatMap((event) => checker.push(event)), ...checker.end()]
        expect(live).toEqual(checkEvents(events))
      }),
      { numRuns: 50 },
    )
  })

  test('the invariants report the same for an unknown type, whether it is the first one or the hundredth', () => {
    const odd = (at: number): StreamEvent => ({ type: `x.${at}`, sequence_number: at, output_index: 7 })
    const events = Array.from({ length: 300 }, (_, at) => odd(at))
    const said = (position: number): string[] => [
      ...new Set(checkEvents(events).flatMap((reported) => (reported.position === position ? [reported.rule] : []))),
    ]
    expect(said(299)).toEqual(said(5))
    expect(said(299)).toContain('within-item')
  })

  test('the invariants leave out those that are named', () => {
    const events = [{ type: 'response.created', sequence_number: 1, response: {} }]
    const all = checkEvents(events).map(({ rule }) => rule)
    const without = ['event-shape', 'sequence-numbers', 'one-terminal-event-last']
    expect(all).toEqual(expect.arrayContaining(without))
    expect(checkEvents(events, { without }).map(({ rule }) => rule)).toEqual(
      all.filter((rule) => !without.includes(rule)),
    )
    expect(checkEvents([null as never], { without: ['event-has-type'] }).map(({ rule }) => rule)).not.toContain(
      'event-has-type',
    )
  })

  test.each([
    [{ without: ['event-shapes'] }, 'without: expected ids of INVARIANTS, got "event-shapes"'],
    [{ withuot: [] }, 'createChecker: there is no option "withuot", did you mean without?'],
    [{ without: 'event-shape' }, 'without: expected a list of ids of rules, got "event-shape"'],
    [{ profile: 'openai-agents' }, /^profile: expected one of 'openai', .*, got "openai-agents"$/],
  ])('a check with the options %j is refused', (options, message) => {
    expect(() => createChecker(options as never)).toThrow(message)
  })

  test('the invariants never throw, however deep a value is', () => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)
    const item = { type: 'message', id: 'msg_1', role: 'assistant', content: [deep], deep }
    const response = { id: 'resp_1', status: 'completed', output: [item], tools: deep }
    const part = { type: 'output_text', text: '', annotations: deep }
    const events = [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.content_part.added', output_index: 0, content_index: 0, part },
      { type: 'response.output_text.annotation.added', output_index: 0, content_index: 0, annotation: deep },
      { type: 'response.content_part.done', output_index: 0, content_index: 0, part },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ]
    for (const profile of PROFILES) expect(() => checkEvents(events, { profile })).not.toThrow()
  })

  test('the invariants report a value that cannot be printed', () => {
    const output = [{ type: 'message', id: { toString: [] } }]
    const events = [{ type: 'response.completed', response: { status: 'completed', output } }]
    expect(checkEvents(events).map(({ got }) => got)).toContain('items an object')
  })

  test('the invariants count events without a type, but take them for none', () => {
    const events = BASES.answer() as unknown as StreamEvent[]
    const odd = [{ id: 7 }, null, 1] as unknown as StreamEvent[]
    const said = (all: StreamEvent[]) => checkEvents(all).map(({ position, rule }) => `${position} ${rule}`)
    expect(said([...events.slice(0, 4), ...odd, ...events.slice(4)])).toEqual(
      [4, 5, 6].map((at) => `${at} event-has-type`),
    )
    expect(said([...odd, ...events.slice(0, -1)])).toContain('12 one-terminal-event-last')
  })

  test('the invariants look at some event each, or at the end', () => {
    const kinds = EVENT_TYPES.map(eventKindOf)
    for (const { id, on } of INVARIANTS) {
      // A client's model predicts what the client breaks at, and reads all events itself.
      const isOfClient = CLIENT_INVARIANTS.some((rule) => rule.id === id)
      expect([id, isOfClient || on === undefined || kinds.some(on)]).toEqual([id, true])
    }
  })

  test('the invariants never throw, with any input', () => {
    // JSON may well put something else in the place of what every object has of itself.
    const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.constantFrom({ toString: [] }, { valueOf: 1, id: [] }))
    const type = fc.oneof(
      fc.string(),
      fc.constantFrom('error', 'response.created', 'response.completed', 'response.output_item.added'),
      fc.constantFrom('response.output_item.done', 'response.content_part.added', 'response.output_text.done'),
    )
    const field = fc.constantFrom(
      'item',
      'response',
      'part',
      'delta',
      'output_index',
      'content_index',
      'item_id',
      'text',
      'command_index',
      'sequence_number',
      'usage',
    )
    const event = fc
      .tuple(type, fc.dictionary(field, value))
      .map(([type, fields]) => ({ ...fields, type }) as unknown as StreamEvent)
    fc.assert(
      fc.property(fc.array(event, { maxLength: 12 }), fc.constantFrom(...PROFILES), (events, profile) => {
        expect(() => checkEvents(events, { profile })).not.toThrow()
      }),
      { numRuns: RUNS },
    )
  })
})

describeWithShared('captured streams', () => {
  const folder = (): string => `${sharedFolder()}/data`
  const read = (file: string): StreamEvent[][] => readStreams(readFileSync(`${folder()}/${file}`, 'utf8'))
  const genuine = ['openai', 'azure', 'lmstudio'].flatMap((from) =>
    readdirSync(`${folder()}/captured/${from}`).map((file) => `captured/${from}/${file}`),
  )

  test.each(genuine)('the captured stream %s is as OpenAI does it', (file) => {
    for (const events of read(file)) expect(checkEvents(events)).toEqual([])
  })

  test('the captured stream of vLLM has exactly its known faults', () => {
    const [events = []] = read('captured/vllm/vllm-pr-28034.events.jsonl')
    // Violations of the schemas are reported once per event; the schemas' own tests list them.
    const faults = checkEvents(events).filter(({ rule }) => rule !== 'event-shape' && rule !== 'event-keys')
    expect(faults.map(({ rule, position }) => `${position} ${rule}`)).toEqual([
      '2 item-id-prefix', // reasoning with msg_, a warning
      '16 within-part', // content_index -1
      '18 every-part-done', // reasoning_part.done instead of content_part.done
      '27 item-constant', // a second call_id
      '48 within-part',
      '49 within-part',
      '50 every-part-done',
      '51 response-constant', // max_output_tokens changed
      '51 terminal-output-is-done-items', // the output is parsed anew
    ])
  })

  const synthetic = readdirSync(`${folder()}/responses/synthetic`).map((file) => file.replace('.jsonl', ''))

  /** What OpenAI does otherwise. What breaks clients of the others, their models say. */
  const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
    'completed-while-an-item-is-still-open-no-done-': ['every-item-done'],
    'custom-tool-call-status-incomplete': ['incomplete-item-last'],
    'function-call-completed-with-invalid-JSON-args': ['function-arguments-json'],
    'function-call-empty-args-': ['function-arguments-json'],
    'reasoning-raw-via-response-reasoning-part-vLLM-': ['event-shape'],
    'reasoning-summary-w-o-summary-part-events-Ollama-2026-08-': ['within-part', 'item-is-its-parts'],
    'response-completed-event-but-response-status-incomplete-vLLM': [
      'terminal-type-is-status',
      'completed-without-error',
    ],
  }

  test.each(synthetic)('the synthetic stream %s is as OpenAI does it, but for what its name says', (name) => {
    const [events = []] = read(`responses/synthetic/${name}.jsonl`)
    expect(rulesOf(events, 'openai')).toEqual(OTHERWISE[name] ?? [])
  })
})
