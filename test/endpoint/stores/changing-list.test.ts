import { expect, test } from 'vitest'
import type { InputItem } from '../../../src/core/responses/input-items.js'
import { createMemoryStore, type FinishedResponse } from '../../../src/endpoint/stores/index.js'
import { end, item, open } from './kept.js'

test('a list of items that several writers change is kept by what every store does', async () => {
  const store = createMemoryStore()

  /** Returns whether no other writer was faster. */
  async function change(
    version: number,
    added: readonly InputItem[],
    removed: readonly string[] = [],
  ): Promise<boolean> {
    const previous = version === 0 ? {} : { previous: `conv_1.${version - 1}` }
    const lease = await open(store, { responseId: `conv_1.${version}`, ...previous }).catch(() => undefined)
    if (lease === undefined) return false
    const response = { status: 'completed', output: [], metadata: { removed: removed.join() } }
    const finished = { response, added, history: [] } as unknown as FinishedResponse
    await store.append([{ lease, at: 0, end: { finished }, leaseSeconds: 60 }])
    return true
  }

  async function list(version: number): Promise<(string | undefined)[]> {
    const { responses = [] } = (await store.lineage(`conv_1.${version}`, 'ann')) ?? {}
    const removed = responses.flatMap(({ response }) => response.metadata?.['removed']?.split(',') ?? [])
    return responses
      .flatMap(({ added }) => added.map(({ id }) => id ?? undefined))
      .filter((id) => !removed.includes(`${id}`))
  }

  expect(await change(0, [item('msg_a'), item('msg_b')])).toBe(true)
  expect(await Promise.all([change(1, [item('msg_c')]), change(1, [item('msg_d')])])).toEqual([true, false])
  expect(await change(2, [item('msg_d')], ['msg_a'])).toBe(true)
  expect(await list(2)).toEqual(['msg_b', 'msg_c', 'msg_d'])
  // A model goes on from it, and the next change from the model's response.
  const answered = await open(store, { responseId: 'resp_1', previous: 'conv_1.2' })
  await end(store, answered, 0, { output: [item('msg_e')] })
  expect((await store.lineage('resp_1', 'ann'))?.responses).toHaveLength(4)
})
