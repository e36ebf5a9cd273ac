import { expect, test } from 'vitest'
import type { DatabaseStore } from '../../../../src/endpoint/stores/database/database-store.js'
import type { DatabaseLimits } from '../../../../src/endpoint/stores/database/limits.js'
import { block, end, entriesNow, entry, item, keep, open } from '../kept.js'

/** A kind of store in a server. */
export interface ServerKind {
  /** A store that is not there yet. */
  place(): string
  connect(place: string, options?: DatabaseLimits): Promise<DatabaseStore>
  /** Returns what of a store is counted wrong. */
  miscounted(place: string): Promise<readonly unknown[]>
  /** Returns how many connections listen to changes of a store, and perhaps to those of others. */
  listening(place: string): Promise<number>
  /** Ends the connections that listen. */
  endListening(): Promise<unknown>
}

/** What every store in a server does that processes share. @param name - as in `a store in Postgres` */
export function serverStoreLaws(name: string, kind: () => ServerKind): void {
  /** A store that another process has open, too. */
  async function shared() {
    const { place, connect, listening, endListening } = kind()
    const at = place()
    return { writer: await connect(at), reader: await connect(at), listening: () => listening(at), endListening }
  }

  test(`${name} forgets the least recently used conversations of an owner above the limit, and of no other`, async () => {
    const { place, connect, miscounted } = kind()
    const at = place()
    const store = await connect(at, { ownerBytes: 5000 })
    const has = async (id: string): Promise<boolean> => (await store.find(id, 'ann')) !== undefined
    const text = 'x'.repeat(2000)
    await keep(store, { responseId: 'bobs', owner: 'bob' }, { output: [item('msg_b', text)] })
    const running = await open(store, { responseId: 'running' })
    for (const id of ['a', 'b', 'c']) await keep(store, { responseId: id }, { output: [item(`msg_${id}`, text)] })
    expect(await Promise.all(['a', 'b', 'c'].map(has))).toEqual([false, true, true])
    expect([await store.find('bobs', 'bob'), await has('running')]).toEqual([expect.anything(), true])
    await end(store, running, 0)
    expect(await store.findItem('msg_a', 'ann')).toBeUndefined()
    expect(await miscounted(at)).toEqual([])
  })

  test(`a reader of ${name} gets entries of another process although its listening connection was ended`, async () => {
    const { writer, reader, listening, endListening } = await shared()
    const before = await listening()
    const lease = await open(writer, { responseId: 'a', entries: block(entry(0)) })
    const reading = entriesNow(reader, 'a', 'ann', 3)
    await expect.poll(listening).toBe(before + 1)
    await endListening()
    await writer.append([{ lease, at: 1, entries: block(entry(1)), leaseSeconds: 60 }])
    await writer.append([{ lease, at: 2, entries: block(entry(2)), leaseSeconds: 60 }])
    expect(await reading).toEqual([entry(0), entry(1), entry(2)])
  })

  test(`an append of one process to ${name} wakes a reader in another without a look at the clock`, async () => {
    const { writer, reader } = await shared()
    const lease = await open(writer, { responseId: 'a' })
    const blocks = await reader.entries('a', 'ann')
    const reading = blocks?.[Symbol.asyncIterator]()
    const times: number[] = []
    for (let at = 0; at < 20; at++) {
      const next = reading?.next()
      await writer.append([{ lease, at, entries: block(entry(at)), leaseSeconds: 60 }])
      const began = performance.now()
      await next
      times.push(performance.now() - began)
    }
    await reading?.return?.(undefined)
    // Without notifications, each would wait for up to a second.
    expect(times.reduce((sum, time) => sum + time)).toBeLessThan(5000)
  })
}
