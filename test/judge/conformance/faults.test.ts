import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FAULT_KINDS, type FaultKind, faultyStream } from '../../../src/judge/conformance/arbitraries/index.js'
import { checkEvents } from '../../../src/judge/conformance/index.js'
import { createRun, messageOn } from '../../core/translate/run.js'
import { runs } from '../../support/runs.js'

const folder = new URL('../../../fixtures/', import.meta.url)
const failed = createRun()
failed.push(messageOn('final', 'Half'))
failed.fail({ message: 'engine died' })

const fixtures = readdirSync(folder)
  .filter((file) => file.endsWith('.events.jsonl'))
  .map((file) =>
    readFileSync(new URL(file, folder), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  )

const streams = [...fixtures, JSON.parse(JSON.stringify(failed.events))]

/** Faults that real servers have, or whose correct form no capture shows, each with the reason. */
const LENIENT: Readonly<Partial<Record<FaultKind, string>>> = {
  dropped_delta: 'LM Studio emits a call’s arguments without a delta; client:langchain has it',
  terminal_item_missing: 'no capture shows what an incomplete or failed response keeps of an open item',
  dropped_done: 'OpenAI’s only captured custom tool call lacks its input.done',
  dropped_terminal: 'an error ends a stream, too: OpenAI leaves out response.failed where it cannot keep the response',
  sequence_gap: 'OpenAI leaves out the number of the event that an error takes the place of',
}

test.each([...FAULT_KINDS])('a stream with the fault %s is found out', (kind) => {
  fc.assert(
    fc.property(faultyStream(streams, { kinds: [kind] }), ({ events, fault }) => {
      const rules = checkEvents(events as never).filter(({ severity }) => severity === 'error')
      const isOfError = /^(dropped_terminal|sequence_gap)$/.test(kind)
      if (isOfError && rules.length === 0) expect(events[fault.at]?.type ?? events.at(-1)?.type).toBe('error')
      if (rules.length === 0)
        expect(`${kind}: ${fault.what}`).toBe(LENIENT[kind] === undefined ? 'found' : `${kind}: ${fault.what}`)
    }),
    { numRuns: runs(300) },
  )
})

test('no fixture is found fault with', () => {
  for (const events of streams) expect(checkEvents(events).filter(({ severity }) => severity === 'error')).toEqual([])
})
