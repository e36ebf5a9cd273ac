import { describe, expect, test } from 'vitest'
import { INVARIANTS, type Profile } from '../../src/conformance/index.js'
import { CALLS } from '../../src/conformance/invariants/calls.js'
import { FRAMING } from '../../src/conformance/invariants/framing.js'
import { ITEMS } from '../../src/conformance/invariants/items.js'
import { LIFECYCLE } from '../../src/conformance/invariants/lifecycle.js'
import { PARTS } from '../../src/conformance/invariants/parts.js'
import { WIRE } from '../../src/conformance/invariants/wire.js'
import { BASES, saidOf } from './invariants/streams.js'

/** The cases of the invariants, and what else is asked of them, stand in the folder `invariants`. */
test('every invariant is in a group whose tests have a case for each', () => {
  expect([...INVARIANTS]).toEqual([...WIRE, ...FRAMING, ...LIFECYCLE, ...ITEMS, ...PARTS, ...CALLS])
})

describe('good streams', () => {
  /** What the clients of a base do not take, though it is good. */
  const KNOWN: Readonly<Record<string, readonly string[]>> = {
    'truncated client:openai-agents': ['8 response-completes?'],
    'failed client:openai-agents': ['9 response-completes?'],
    'thoughts openai': ['8 reasoning-not-adjacent?'],
  }
  const PROFILES = [
    'openai',
    'client:openai',
    'client:ai-sdk',
    'client:openai-agents',
    'client:langchain',
    'client:codex',
  ]

  test.each(Object.entries(BASES))('%s has nothing to be said against it', (name, base) => {
    for (const profile of PROFILES) {
      expect([profile, saidOf(base(), profile as Profile)]).toEqual([profile, KNOWN[`${name} ${profile}`] ?? []])
    }
    for (const said of saidOf(base(), 'open-responses')) expect(said).toContain('open-responses-event')
  })
})
