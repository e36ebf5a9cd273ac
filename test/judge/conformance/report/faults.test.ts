import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FAULT_KINDS, type FaultKind, faultyStream } from '../../../../src/judge/conformance/arbitraries/index.js'
import { checkEvents } from '../../../../src/judge/conformance/index.js'
import { RUNS } from '../../../support/runs.js'
import { causesOf, GOOD, unrenumbered } from './streams.js'

/** Faults that cause no violation in some streams, and why. */
const UNSEEN: Readonly<Partial<Record<FaultKind, string>>> = {
  dropped_delta: 'LM Studio emits a call’s arguments without a delta; client:langchain has it',
  dropped_done: 'OpenAI’s only captured custom tool call lacks its input.done',
  sequence_gap: 'OpenAI skips a number before an error event',
  dropped_terminal: 'OpenAI ends a stream with only an error event if it cannot keep the response',
  terminal_item_missing: 'no capture shows what an incomplete or failed response keeps of an open item',
}

/** Faults that are detected later than they occur, and when. */
const LATER: Readonly<Partial<Record<FaultKind, string>>> = {
  dropped_delta: 'when the whole text is emitted',
  dropped_done: 'when the item is done, after what else is emitted about it',
  dropped_item_done: 'when the response is completed: items may be open side by side',
  duplicated_event: 'of a delta: when the whole text is emitted',
  swapped_events: 'of deltas: when the whole text is emitted; of others, at the second of them',
}

describe('one fault is one cause', () => {
  test.each([...FAULT_KINDS])('one fault is one cause: %s', (kind) => {
    fc.assert(
      fc.property(faultyStream(GOOD, { kinds: [kind] }), ({ events, fault }) => {
        const causes = causesOf(events)
        if (UNSEEN[kind] === undefined || causes.length > 0) expect(causes.length).toBe(1)
        const [cause] = causes
        if (cause === undefined) return
        if (LATER[kind] === undefined) expect(cause.lead.position).toBe(fault.at)
        // No violation may be reported before the fault's position.
        const violations = checkEvents(events as never).filter((violation) => violation.fault === 'server')
        expect(cause.lead.position).toBe(Math.min(...violations.map(({ position }) => position)))
        expect(cause.lead.position).toBeGreaterThanOrEqual(fault.at)
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    )
  })
})

describe('the numbers of a faulty stream, left as they were, are evidence of', () => {
  const kinds = FAULT_KINDS.filter((kind) => /^(dropped|duplicated|swapped)_/.test(kind) && kind !== 'dropped_terminal')

  test.each(kinds)('sequence numbers that were left as they were are evidence of the fault: %s', (kind) => {
    fc.assert(
      fc.property(faultyStream(GOOD, { kinds: [kind] }), ({ events, fault }) => {
        const causes = causesOf(unrenumbered(events, fault))
        expect(causes.map(({ lead }) => lead.rule)).toEqual(['sequence-numbers'])
        expect(causes[0]?.lead.position).toBe(fault.at)
        const evidence = kind.startsWith('dropped_') ? 'lost' : kind === 'duplicated_event' ? 'repeated' : 'lost'
        expect(causes[0]?.lead.about?.evidence).toBe(evidence)
      }),
      { numRuns: Math.ceil(RUNS / 3) },
    )
  })
})

test('a cause is as severe as the worst of its violations', () => {
  fc.assert(
    fc.property(faultyStream(GOOD), ({ events }) => {
      for (const { severity, lead, first, consequences } of causesOf(events)) {
        const all = [lead, ...first, ...consequences.flatMap((kind) => kind.first)]
        expect(severity).toBe(all.some((one) => one.severity === 'error') ? 'error' : 'warning')
      }
    }),
    { numRuns: RUNS },
  )
})

test('two faults in one stream keep every violation in one of its causes, and count each once', () => {
  fc.assert(
    fc.property(faultyStream(faultyStream(GOOD).map(({ events }) => events)), ({ events }) => {
      const violations = checkEvents(events as never).filter(({ fault }) => fault === 'server')
      const counted = causesOf(events).reduce((sum, { count, follow }) => sum + count + follow, 0)
      const modelled = checkEvents(events as never).length - violations.length
      expect(counted).toBeGreaterThanOrEqual(violations.length)
      expect(counted).toBeLessThanOrEqual(violations.length + modelled)
    }),
    { numRuns: RUNS },
  )
})
