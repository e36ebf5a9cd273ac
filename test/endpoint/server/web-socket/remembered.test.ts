import { expect, test } from 'vitest'
import {
  earlierResponses,
  type RememberedResponse,
} from '../../../../src/endpoint/server/service/conversation/earlier-responses.js'
import { Remembered } from '../../../../src/endpoint/server/web-socket/remembered.js'
import { createMemoryStore } from '../../../../src/endpoint/stores/index.js'
import { finished, item, keep } from '../../stores/kept.js'

function response(id: string, before?: RememberedResponse['before']): RememberedResponse {
  const added = finished({ input: [item(`msg_${id}`)] })
  return { finished: { ...added, response: { ...added.response, id } }, before }
}

const LARGE = 30_000_000

test('a socket remembers each response once, however many continue from it', () => {
  const remembered = new Remembered(10)
  const first = response('a')
  remembered.add(first, LARGE)
  const branches = ['b', 'c'].map((id) => response(id, first))
  for (const branch of branches) remembered.add(branch, 10)
  // Were the first one counted with each of them, it would be too much.
  expect(['a', 'b', 'c'].map((id) => remembered.find(id) !== undefined)).toEqual([true, true, true])
})

test('a socket drops the additions of a response with the last one that continues from it', () => {
  const remembered = new Remembered(10)
  const first = response('a')
  remembered.add(first, LARGE)
  remembered.add(response('b', first), LARGE)
  remembered.forget('a')
  // What is held for the second one still counts, so that a third is too much, and the second goes with all that it holds.
  remembered.add(response('c'), LARGE)
  expect(['a', 'b', 'c'].map((id) => remembered.find(id) !== undefined)).toEqual([false, false, true])
})

test('a socket still counts a dropped response while another continues from it', () => {
  const remembered = new Remembered(10)
  const first = response('a')
  remembered.add(first, 2 * LARGE)
  remembered.forget('a')
  remembered.add(response('b', first), LARGE)
  expect(remembered.find('b')).toBeUndefined()
})

test('a conversation of remembered responses begins with those of the store, and is whole though their ids are forgotten', async () => {
  const store = createMemoryStore()
  await keep(store, { responseId: 's' }, { input: [item('msg_s')] })
  const remembered = new Remembered(1)
  const first = response('a', 's')
  remembered.add(first, 1)
  remembered.add(response('b', first), 1)
  const found = await earlierResponses('b', { owner: 'ann', store, remembered: remembered.find })
  expect(found.responses.map(({ added }) => added[0]?.id)).toEqual(['msg_s', 'msg_a', 'msg_b'])
  expect([found.stored, found.previous]).toEqual([1, 's'])
  await store.delete('s', 'ann')
  const gone = earlierResponses('b', { owner: 'ann', store, remembered: remembered.find })
  await expect(gone).rejects.toMatchObject({ code: 'previous_response_not_found' })
})
