import { describe, expect, test } from 'vitest'
import { CLIENT_INVARIANTS } from '../../../src/judge/conformance/clients/index.js'
import { INVARIANTS } from '../../../src/judge/conformance/index.js'
import { CALLS } from '../../../src/judge/conformance/invariants/calls.js'
import { FRAMING } from '../../../src/judge/conformance/invariants/framing.js'
import { ITEMS } from '../../../src/judge/conformance/invariants/items.js'
import { LIFECYCLE } from '../../../src/judge/conformance/invariants/lifecycle.js'
import { PARTS } from '../../../src/judge/conformance/invariants/parts.js'
import { TERMINAL_OUTPUT } from '../../../src/judge/conformance/invariants/terminal-output.js'
import { WIRE } from '../../../src/judge/conformance/invariants/wire.js'
import { BASES, saidOf } from './invariants/streams.js'

/** The cases of the invariants, and what else is asked of them, stand in the folder `invariants`. */
test('every invariant is in a group whose tests have a case for each', () => {
  const groups = [...WIRE, ...FRAMING, ...LIFECYCLE, ...ITEMS, ...TERMINAL_OUTPUT, ...PARTS, ...CALLS]
  // The clients' have their own tests.
  expect([...INVARIANTS]).toEqual([...groups, ...CLIENT_INVARIANTS])
})

describe('good streams', () => {
  /** Violations that a base has although it is good. */
  const KNOWN: Readonly<Record<string, readonly string[]>> = { thoughts: ['8 reasoning-not-adjacent?'] }

  test.each(Object.entries(BASES))('nothing is said against the good stream %s', (name, base) => {
    expect(saidOf(base(), 'openai')).toEqual(KNOWN[name] ?? [])
    for (const said of saidOf(base(), 'open-responses')) expect(said).toContain('open-responses-')
  })
})
