import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Voices } from '../../../../src/judge/conformance/clients/agreement/voices.js'
import { TextHash } from '../../../../src/judge/conformance/clients/text-hash.js'

test('each voice has its own deltas, and both have all of them in their order', () => {
  const deltas = fc.array(fc.tuple(fc.constantFrom('raw', 'summary'), fc.string()))
  fc.assert(
    fc.property(deltas, (all) => {
      const voices = new Voices<'raw' | 'summary'>()
      for (const [name, delta] of all) voices.append(name as 'raw' | 'summary', delta)
      const said = (of?: string): string =>
        all.map(([name, delta]) => (of === undefined || name === of ? delta : '')).join('')
      for (const name of ['raw', 'summary'] as const) expect(voices.of(name).key).toBe(TextHash.of(said(name)).key)
      expect(voices.of('both').key).toBe(TextHash.of(said()).key)
    }),
  )
})
