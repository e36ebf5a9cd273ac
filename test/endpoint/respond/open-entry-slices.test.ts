import { expect, test } from 'vitest'
import { policies } from '../../../src/core/recipients/policy.js'
import { loadTokenTable } from '../../../src/core/tokens/load-token-table.js'
import { createTextCache } from '../../../src/endpoint/prompt/text-cache.js'
import { openEntry } from '../../../src/endpoint/respond/opening/open-entry.js'
import { scriptedEngine } from '../../../src/testing/index.js'

const tokenTable = await loadTokenTable()

/** How often a response with these instructions yields while it begins, if everything but its entry is cached. */
async function pausesOf(instructions: string): Promise<number> {
  const known = createTextCache(16_777_216)
  let pauses = 0
  const pause = async (): Promise<void> => void pauses++
  const onError = (error: unknown): void => {
    throw error
  }
  const options = {
    engine: scriptedEngine([], { tokenTable }),
    tokenTable,
    policy: policies.openai,
    responseId: 'resp_1',
    known,
    pause,
  }
  for (const _ of ['first', 'again']) {
    pauses = 0
    const { signal } = new AbortController()
    const { entry } = await openEntry({ input: 'Hi', instructions }, { ...options, onError }, 0, signal)
    expect(entry.request.instructions).toBe(instructions)
  }
  return pauses
}

test('a large entry is made in a piece of its own, and what follows from it in another', async () => {
  expect(await pausesOf(' word'.repeat(10_000))).toBe(2)
})

test('a small one is made at once', async () => {
  expect(await pausesOf(' word'.repeat(1_000))).toBe(0)
})
