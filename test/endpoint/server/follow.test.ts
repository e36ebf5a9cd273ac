import { describe, expect, test } from 'vitest'
import type { Batch } from '../../../src/core/responses/batch.js'
import { createByteBudget } from '../../../src/endpoint/flow/byte-budget.js'
import type { Entry } from '../../../src/endpoint/journal/entry.js'
import { respond } from '../../../src/endpoint/respond/index.js'
import { followEntries } from '../../../src/endpoint/server/service/running/follow.js'
import { EntriesLost } from '../../../src/endpoint/stores/entries-lost.js'
import { RequestError } from '../../../src/shared/request-error.js'
import { answer, scriptedEngine } from '../../../src/testing/index.js'
import { tokenTable } from './endpoint.js'

/** Follows a response, and counts the readers that its writer would notify of a failure. */
function following(entries: AsyncIterable<readonly Entry[]>) {
  const subscribed = new Set<() => void>()
  const events = followEntries(
    entries,
    { tokenTable },
    {
      onFailed(failed) {
        subscribed.add(failed)
        return () => void subscribed.delete(failed)
      },
    },
  )
  return { events, subscribed }
}

async function* noEntries(): AsyncGenerator<readonly Entry[]> {}
async function* noEntryYet(): AsyncGenerator<readonly Entry[]> {
  await new Promise(() => {})
}

describe('a reader that follows a running response', () => {
  test('a reader that leaves while it waits is kept by its writer no longer', async () => {
    const { events, subscribed } = following(noEntryYet())
    const asked = events.next()
    expect(subscribed.size).toBe(1)
    await events.return(undefined)
    expect([await asked, subscribed.size]).toEqual([{ done: true, value: undefined }, 0])
  })

  test('a reader that has read to the end is kept by its writer no longer', async () => {
    const { events, subscribed } = following(noEntries())
    for await (const _ of events);
    expect(subscribed.size).toBe(0)
  })

  test('a reader of entries that the store has lost since is told so, after what it was shown', async () => {
    const written: Entry[] = []
    const append = (added: readonly Entry[]) => void written.push(...added)
    const engine = scriptedEngine(() => answer('one two three four'))
    for await (const _ of respond({ input: 'Hi', model: 'gpt-oss' }, { engine, tokenTable, append }));
    const before = written.slice(0, -1)
    async function* kept(): AsyncGenerator<readonly Entry[]> {
      yield before
    }
    async function* lost(): AsyncGenerator<readonly Entry[]> {
      yield* kept()
      throw new EntriesLost('resp_1', before.length, 1)
    }
    const read = async (entries: AsyncIterable<readonly Entry[]>): Promise<Batch> => {
      const events = []
      for await (const batch of followEntries(entries, { tokenTable })) events.push(...batch)
      return events
    }
    const [shown, told] = [await read(kept()), await read(lost())]
    expect(shown.length).toBeGreaterThan(3)
    expect(told.slice(0, shown.length)).toEqual(shown)
    expect(told.map(({ sequence_number }) => sequence_number)).toEqual(told.map((_, at) => at))
    const error = { code: 'server_error', message: 'The storage of the server has lost a part of this response.' }
    expect(told.at(-1)).toMatchObject({ type: 'response.failed', response: { error } })
  })

  test('a reader for which there is no room does not count as one', () => {
    const joined: string[] = []
    const onJoin = () => {
      joined.push('joined')
      return () => void joined.push('left')
    }
    const held = createByteBudget({ total: 1_000 }).hold('ann', 'reader')
    expect(() => followEntries(noEntries(), { tokenTable }, { held, onJoin })).toThrow(RequestError)
    expect(joined).toEqual([])
  })

  test('a reader that comes after its writer has failed is cut off at once', async () => {
    const onFailed = (failed: () => void) => {
      failed()
      return () => {}
    }
    const events = followEntries(noEntryYet(), { tokenTable }, { onFailed })
    await expect(events.next()).rejects.toThrow('the response could not be written')
  })
})
