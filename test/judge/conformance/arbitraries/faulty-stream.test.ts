import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  FAULT_KINDS,
  type FaultKind,
  type FaultyStream,
  faultyStream,
  type WireEvent,
} from '../../../../src/judge/conformance/arbitraries/index.js'
import { faultsOf } from '../../../laws/check-stream.js'
import { RUNS, runs as scaled } from '../../../support/runs.js'

/** So many that no kind of fault is missing by chance. */
const MANY = Math.max(1000, RUNS)

const folder = new URL('../../../../fixtures/', import.meta.url)
const streams: readonly (readonly WireEvent[])[] = [
  ...readdirSync(folder)
    .filter((name) => name.endsWith('.events.jsonl'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8').trim().split('\n').map(parse)),
  failing(),
]

/** Frozen all through, so that whoever changes it throws. */
function parse(line: string): WireEvent {
  return JSON.parse(line, (_, value: unknown) => Object.freeze(value))
}

/** The engine fails before the first token. */
function failing(): WireEvent[] {
  const response = { id: 'resp_1', status: 'in_progress', output: [] }
  return [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
    { type: 'error', error: { type: 'server_error', code: 'server_error', message: 'engine died', param: null } },
    { type: 'response.failed', response: { ...response, status: 'failed' } },
  ].map((event, sequence_number) => parse(JSON.stringify({ ...event, sequence_number })))
}

const check = (stream: fc.Arbitrary<FaultyStream>, holds: (faulty: FaultyStream) => void, runs = MANY): void =>
  fc.assert(
    fc.property(stream, (faulty) => {
      holds(faulty)
    }),
    { numRuns: runs },
  )

/** The paths at which two values differ, `3.item.id`; what one of them lacks counts as different. */
function differences(a: unknown, b: unknown, path = ''): string[] {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b) ? [] : [path]
  const keys = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...keys].flatMap((key) =>
    differences((a as WireEvent)[key], (b as WireEvent)[key], path === '' ? key : `${path}.${key}`),
  )
}

const withoutNumbers = (events: readonly WireEvent[]): unknown[] =>
  events.map(({ sequence_number: _, ...event }) => event)

/** The type of the missing event. */
const DROPPED: Partial<Record<FaultKind, RegExp>> = {
  dropped_created: /^response\.created$/,
  dropped_in_progress: /^response\.in_progress$/,
  dropped_item_added: /^response\.output_item\.added$/,
  dropped_part_added: /^response\.(content|reasoning_summary)_part\.added$/,
  dropped_delta: /\.delta$/,
  dropped_done: /(?<!output_item)\.done$/,
  dropped_item_done: /^response\.output_item\.done$/,
  dropped_terminal: /^response\.(completed|incomplete|failed)$/,
}

/** Where the stream differs: the number of the event, if it is one event, then the path in it. */
const CHANGED: Partial<Record<FaultKind, RegExp>> = {
  output_index_drift: /^output_index$/,
  item_id_changed: /^item_id$/,
  done_id_changed: /^item\.id$/,
  call_id_changed: /^item\.call_id$/,
  terminal_id_changed: /^response\.output\.\d+\.id$/,
  response_id_changed: /^response\.id$/,
  terminal_item_missing: /^response\.output\./,
  terminal_items_reordered: /^response\.output\./,
  terminal_status_differs: /^type$/,
  done_text_differs: /^(text|arguments|input|code|command)$/,
  arguments_in_added: /^item\.(arguments|input)$/,
  flat_error: /^(error|code|message|param)$/,
}

const outputOf = (event: WireEvent | undefined): unknown[] =>
  (event?.['response'] as WireEvent | undefined)?.['output'] as unknown[]

/** Says that the stream has its fault, and nothing else. */
function expectOnly({ events, fault: { kind, at } }: FaultyStream, before: readonly WireEvent[]): void {
  const numbers = events.map(({ sequence_number }) => sequence_number)
  const inOrder = events.map((_, index) => index)
  if (kind === 'sequence_gap') expect(numbers).toEqual(inOrder.map((index) => (index < at ? index : index + 1)))
  else if (kind === 'sequence_restart')
    expect(numbers).toEqual(inOrder.map((index) => (index < at ? index : index - at)))
  else expect(numbers).toEqual(inOrder)

  const [now, then] = [withoutNumbers(events), withoutNumbers(before)]
  const changes = differences(then, now)
  if (kind in DROPPED) {
    expect(now).toEqual(then.toSpliced(at, 1))
    expect(before[at]?.type).toMatch(DROPPED[kind] as RegExp)
  } else if (kind === 'duplicated_event') {
    expect(now.toSpliced(at, 1)).toEqual(then)
    expect(now[at]).toEqual(now[at - 1])
  } else if (kind === 'swapped_events') {
    expect(now.toSpliced(at, 2, now[at + 1], now[at])).toEqual(then)
    expect(now).not.toEqual(then)
  } else if (kind === 'event_after_terminal') {
    expect(now.toSpliced(at, 1)).toEqual(then)
    expect(at).toBe(before.length)
  } else if (kind.startsWith('sequence_')) expect(changes).toEqual([])
  else if (kind === 'content_index_per_delta') {
    expect(changes.length).toBeGreaterThan(0)
    const altered = changes.map((path) => events[Number(path.split('.')[0])])
    expect(changes.every((path) => path.endsWith('.content_index'))).toBe(true)
    expect(altered[0]).toBe(events[at])
    expect(altered.map((event) => event?.['content_index'])).toEqual(altered.map((_, index) => index + 1))
    expect(new Set(altered.map((event) => `${event?.type} ${event?.['item_id']}`)).size).toBe(1)
  } else {
    expect(changes.length).toBeGreaterThan(0)
    for (const path of changes) {
      expect(path.startsWith(`${at}.`)).toBe(true)
      expect(path.slice(path.indexOf('.') + 1)).toMatch(CHANGED[kind] as RegExp)
    }
    if (kind === 'terminal_item_missing') expect(outputOf(events[at]).length).toBe(outputOf(before[at]).length - 1)
    if (kind === 'terminal_items_reordered')
      expect(new Set(outputOf(events[at]).map(String))).toEqual(new Set(outputOf(before[at]).map(String)))
  }
}

describe('a faulty stream', () => {
  test('a faulty stream is of every kind in turn, and says so', () => {
    const seen = new Map<FaultKind, number>()
    check(faultyStream(streams), ({ fault: { kind, what, at }, events }) => {
      seen.set(kind, (seen.get(kind) ?? 0) + 1)
      expect(what).not.toBe('')
      expect(at).toBeLessThanOrEqual(events.length)
    })
    expect([...seen.keys()].sort()).toEqual([...FAULT_KINDS].sort())
    // Evenly: each of the 26 kinds is one in 26, give or take.
    expect(Math.min(...seen.values())).toBeGreaterThan(MANY / FAULT_KINDS.length / 3)
  })

  test.each(FAULT_KINDS)('a faulty stream differs from its original in its %s alone', (kind) => {
    for (const stream of streams) {
      let faulty: FaultyStream[]
      try {
        faulty = fc.sample(faultyStream([stream], { kinds: [kind] }), scaled(12))
      } catch (error) {
        expect(String(error)).toContain('expected a stream that can have')
        continue
      }
      for (const one of faulty) {
        expect(one.fault.kind).toBe(kind)
        expectOnly(one, stream)
      }
    }
  })

  test('a faulty stream is detached from its original', () => {
    const [stream = []] = streams
    const parts = new Set<unknown>()
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      parts.add(value)
      for (const part of Object.values(value)) visit(part)
    }
    visit(stream)
    const owned = parts.size
    check(faultyStream([stream]), ({ events }) => expect(events.every((event) => !parts.has(event))).toBe(true), 100)
    expect(parts.size).toBe(owned)
  })

  test('a planted fault is a fault to a judge that does not know of it', () => {
    for (const stream of streams) expect(faultsOf(stream as never)).toEqual([])
    // The judge of the laws does not look at these, or not everywhere; it finds all others.
    const unseen: readonly FaultKind[] = [
      'dropped_done',
      'dropped_part_added',
      'duplicated_event',
      'flat_error',
      'response_id_changed',
      'swapped_events',
    ]
    check(
      faultyStream(streams),
      ({ events, fault }) => {
        if (!unseen.includes(fault.kind)) expect(faultsOf(events as never)).not.toEqual([])
      },
      scaled(2000),
    )
  })

  test('a faulty stream has only faults that it was asked for, and can have', () => {
    check(
      faultyStream(streams, { kinds: ['flat_error', 'call_id_changed'] }),
      ({ fault }) => expect(['flat_error', 'call_id_changed']).toContain(fault.kind),
      100,
    )
    expect(() => faultyStream([failing()], { kinds: ['dropped_delta', 'call_id_changed'] })).toThrow(
      'streams: expected a stream that can have dropped_delta or call_id_changed',
    )
    expect(() => faultyStream(streams, { kinds: ['nothing' as never] })).toThrow("kinds[0]: expected one of 'dropped_")
  })

  test.each([
    ['no argument', undefined, 'an array of streams, or an arbitrary of one, got undefined'],
    ['an object', {}, 'an array of streams, or an arbitrary of one, got an object'],
    ['what only looks like an arbitrary', { generate() {} }, 'an array of streams, or an arbitrary of one, got an object'],
    ['no streams', [], 'at least one stream, got an array'],
  ])('faultyStream with %s says what it needs', (_name, streams, expected) => {
    expect(() => faultyStream(streams as never)).toThrow(
      expect.objectContaining({ code: 'bad_option', message: `faultyStream: streams: expected ${expected}` }),
    )
  })

  test('a faulty stream is made of an arbitrary as well', () => {
    const arbitrary = fc.constantFrom(...streams)
    const seen = new Set<FaultKind>()
    // Here the stream is drawn first, and only one of them can have an error: one draw in 150.
    check(faultyStream(arbitrary), ({ fault }) => void seen.add(fault.kind), 3 * MANY)
    expect(seen.size).toBe(FAULT_KINDS.length)
    check(
      faultyStream(arbitrary, { kinds: ['flat_error'] }),
      ({ events, fault }) => {
        expect(fault.kind).toBe('flat_error')
        expect(events.length).toBe(4)
      },
      100,
    )
  })
})

describe('a faulty stream that a judge misses', () => {
  const simplest = (arbitrary: fc.Arbitrary<FaultyStream>, kind: FaultKind): FaultyStream | undefined =>
    fc.check(
      fc.property(arbitrary, ({ fault }) => fault.kind !== kind),
      { numRuns: 2000, seed: 11 },
    ).counterexample?.[0]

  test.each(FAULT_KINDS)('a faulty stream that a judge misses shrinks to the shortest that can have its %s', (kind) => {
    const able = streams.filter((stream) => {
      try {
        return faultyStream([stream], { kinds: [kind] }) !== undefined
      } catch {
        return false
      }
    })
    const shortest = Math.min(...able.map(({ length }) => length))
    const { events, fault } = simplest(faultyStream(streams), kind) ?? {}
    expect(fault?.kind).toBe(kind)
    expect(Math.abs((events?.length ?? 0) - shortest)).toBeLessThanOrEqual(1)
  })

  test('a faulty stream that a judge misses prints as the fault and its surroundings', () => {
    expect(
      fc.stringify(simplest(faultyStream(streams), 'flat_error')),
    ).toBe(`FaultyStream(flat_error at 2 of 4: the fields of the error are not within error
  0 response.created
  1 response.in_progress
> 2 error
  3 response.failed
)`)
    const [made] = fc.sample(faultyStream([failing()], { kinds: ['dropped_in_progress'] }), 1)
    expect(fc.stringify(made)).toBe(`FaultyStream(dropped_in_progress at 1 of 3: response.in_progress is missing
  0 response.created
>
  1 error
  2 response.failed
)`)
    expect(fc.stringify(simplest(faultyStream(streams), 'dropped_delta'))).toMatch(
      /^FaultyStream\(dropped_delta at \d+ of \d+: response\.\w+\.delta of item 0 is missing\n(.+\n)+>\n(.+\n)+\)$/,
    )
  })
})
