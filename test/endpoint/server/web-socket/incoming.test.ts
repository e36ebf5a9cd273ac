import { expect, test } from 'vitest'
import { nextTurn } from '../../../../src/endpoint/flow/next-turn.js'
import { createIncoming, type IncomingOptions } from '../../../../src/endpoint/server/web-socket/incoming.js'

/** Messages that are read when the test allows it. */
function incoming(given: Partial<IncomingOptions<unknown>> = {}) {
  const read: unknown[] = []
  const told: unknown[] = []
  const turns: (() => void)[] = []
  const messages = createIncoming({
    max: 4,
    read: (data) => void read.push(data),
    pause: () => new Promise((resolve) => void turns.push(resolve)),
    hold: (isHeld) => void told.push(isHeld ? 'held' : 'resumed'),
    onFlood: () => void told.push('flood'),
    onIdle: () => void told.push('idle'),
    onError: (error) => void told.push(error),
    ...given,
  })
  return {
    ...messages,
    messages,
    read,
    told,
    /** The next turn of the event loop. */
    async turn(): Promise<void> {
      await nextTurn()
      for (const resume of turns.splice(0)) resume()
      await nextTurn()
    },
  }
}

test('the messages of a socket are read in their order, one in each turn', async () => {
  const { add, read, turn, told, messages } = incoming()
  for (const data of [1, 2, 3]) add(data)
  await nextTurn()
  expect(read).toEqual([1])
  await turn()
  expect(read).toEqual([1, 2])
  await turn()
  add(4)
  await turn()
  expect(read).toEqual([1, 2, 3, 4])
  expect(messages.isIdle).toBe(false)
  await turn()
  expect(messages.isIdle).toBe(true)
  expect(told).toEqual(['idle'])
})

test('a client that sends more than may wait is held up until half of it was read', async () => {
  const { add, read, turn, told } = incoming()
  for (let data = 0; data < 10; data++) add(data)
  expect(told).toEqual(['held'])
  for (let turns = 0; turns < 7; turns++) await turn()
  expect([read.length, told]).toEqual([8, ['held']])
  await turn()
  expect([read.length, told]).toEqual([9, ['held', 'resumed']])
})

test('a socket that cannot be held up is told of too many messages', async () => {
  const { add, told } = incoming({ hold: undefined })
  for (let data = 0; data < 6; data++) add(data)
  expect(told).toEqual(['flood'])
})

test('unread messages are dropped with the client, and an error does not end the reading', async () => {
  const broken = new Error('broken')
  const failing = incoming({
    read: () => {
      throw broken
    },
  })
  failing.add(1)
  failing.add(2)
  await failing.turn()
  expect(failing.told).toEqual([broken, broken])
  const left = incoming()
  for (const data of [1, 2, 3]) left.add(data)
  left.clear()
  await left.turn()
  expect([left.read, left.told]).toEqual([[1], ['idle']])
})
