import { expect, test } from 'vitest'
import { answer } from '../../../src/testing/index.js'
import { endpoint } from './endpoint.js'

test.each([
  ['incomplete', 3],
  ['completed', 1_000],
])(
  'a response ends incomplete when its seconds are over, and a shorter one is completed: %s',
  async (status, seconds) => {
    let now = 0
    // Each look at the clock takes a second.
    const served = endpoint([answer('One two three.')], { limits: { responseSeconds: seconds }, clock: () => now++ })
    const { body } = await served.create({ input: 'Go on.' })
    expect(body.status).toBe(status)
  },
)
