import { describe, expect, test } from 'vitest'
import { Traffic } from '../../../../src/endpoint/tools/mcp/traffic.js'

const HOUR_MS = 3_600_000
const NOTE = { method: 'notifications/message' }

/** The traffic of a connection, with a clock that is set by hand, in milliseconds. */
function traffic() {
  const excess: string[] = []
  const clock = { now: 0 }
  const counted = new Traffic(
    (error) => void excess.push(error.message),
    () => clock.now,
  )
  return { counted, clock, excess }
}

describe('what a server sends unasked', () => {
  test('now and then is no flood, however long it goes on', () => {
    const { counted, clock, excess } = traffic()
    for (; clock.now < 100 * HOUR_MS; clock.now += 15_000) {
      counted.arrived(50_000, 2)
      counted.received(NOTE)
    }
    expect(excess).toEqual([])
  })

  test.each([
    [16, 0],
    [20, 1],
  ])('%i messages a second, for an hour, are cut off %i times', (each, times) => {
    const { counted, clock, excess } = traffic()
    for (; clock.now < HOUR_MS; clock.now += 1000) for (let one = 0; one < each; one++) counted.received(NOTE)
    expect(excess).toHaveLength(times)
  })

  test.each([
    [170_000, 0],
    [180_000, 1],
  ])('%i bytes a second, for six hours, are cut off %i times', (bytes, times) => {
    const { counted, clock, excess } = traffic()
    for (; clock.now < 6 * HOUR_MS; clock.now += 1000) counted.arrived(bytes, 0)
    expect(excess).toHaveLength(times)
  })

  test('no pause, however long, allows more at once', () => {
    const { counted, clock, excess } = traffic()
    clock.now = 100 * HOUR_MS
    for (let one = 0; one < 10_000; one++) counted.received(NOTE)
    expect(excess).toEqual([])
    counted.received(NOTE)
    expect(excess).toHaveLength(1)
  })
})

test("a failed answer to a server's request leaves our own request of the same id", () => {
  const { counted, excess } = traffic()
  const sent = counted.sending({ id: 0, method: 'tools/call' })
  sent(true)
  counted.received({ id: 0, method: 'ping' })
  const answered = counted.sending({ id: 0 })
  answered(false)
  for (let one = 1; one < 10_000; one++) counted.received(NOTE)
  // Wanted, so that the count begins anew.
  counted.received({ id: 0 })
  for (let one = 0; one < 10_000; one++) counted.received(NOTE)
  expect(excess).toEqual([])
})
