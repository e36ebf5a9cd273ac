import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createCallSlots } from '../../../../src/endpoint/tools/mcp/call-slots.js'
import { RUNS } from '../../../support/runs.js'
import { context, inMemory, mcpCall, toolsOf } from './fixtures.js'

const BUSY = { error: { message: 'The MCP server has too many calls to run.' } }
const never = new AbortController().signal

describe('createCallSlots', () => {
  test('no more calls run than may, whatever leaves or is cancelled, and those that wait begin in their order', async () => {
    const step = fc.oneof(
      fc.constant({ type: 'enter' as const }),
      fc.nat(20).map((at) => ({ type: 'leave' as const, at })),
      fc.nat(20).map((at) => ({ type: 'cancel' as const, at })),
    )
    const property = fc.asyncProperty(fc.integer({ min: 1, max: 4 }), fc.array(step), async (concurrency, steps) => {
      const slots = createCallSlots({ concurrency, queue: 1000 })
      const running: { id: number; leave: () => void }[] = []
      const waiting: { id: number; abort: AbortController }[] = []
      const begun: number[] = []
      const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
      let count = 0
      for (const each of steps) {
        if (each.type === 'enter') {
          const id = count++
          const abort = new AbortController()
          waiting.push({ id, abort })
          const left = (): void => void waiting.splice(waiting.findIndex((one) => one.id === id) >>> 0, 1)
          slots.enter(abort.signal).then(
            (leave) => {
              left()
              begun.push(id)
              running.push({ id, leave })
            },
            () => left(),
          )
        } else if (each.type === 'leave') running.splice(each.at, 1)[0]?.leave()
        else waiting[each.at]?.abort.abort()
        await settled()
        expect(running.length).toBeLessThanOrEqual(concurrency)
        if (waiting.length > 0) expect(running).toHaveLength(concurrency)
      }
      expect(begun).toEqual(begun.toSorted((a, b) => a - b))
    })
    await fc.assert(property, { numRuns: RUNS })
  })

  test('a call is refused when as many wait as may, and not once one of them has left', async () => {
    const slots = createCallSlots({ concurrency: 1, queue: 1 })
    const leave = await slots.enter(never)
    const abort = new AbortController()
    const second = slots.enter(abort.signal)
    await expect(slots.enter(never)).rejects.toThrow('A call was refused: 1 run at this server and 1 wait')
    abort.abort()
    await expect(second).rejects.toBe(abort.signal.reason)
    const third = slots.enter(never)
    leave()
    expect(await third).toBeTypeOf('function')
  })
})

describe('calls of one server', () => {
  test('a server that hangs gets no more calls than it may have at once, and a call that is cancelled makes room', async () => {
    const { config, fixtures } = inMemory()
    const { tools, told } = toolsOf({ weather: { ...config, concurrency: 2, queue: 1 } })
    const abort = new AbortController()
    const hanging = [
      tools.run(mcpCall('hangs'), context({ signal: abort.signal })),
      tools.run(mcpCall('hangs'), context()),
    ]
    const waiting = tools.run(mcpCall('echo', { text: 'at last' }), context())
    expect(await tools.run(mcpCall('echo'), context())).toEqual(BUSY)
    expect(told.map(({ error }) => String(error))).toEqual([expect.stringContaining('2 run at this server and 1 wait')])
    await fixtures[0]?.until('call hangs')
    abort.abort()
    expect(await waiting).toEqual({ output: 'at last' })
    await tools.close()
    await Promise.all(hanging)
  })

  test('one server whose calls all wait takes no call from another', async () => {
    const { tools } = toolsOf({ weather: { ...inMemory().config, concurrency: 1 }, other: inMemory().config })
    const hanging = tools.run(mcpCall('hangs'), context())
    const request = { tools: [{ type: 'mcp' as const, server_label: 'other' }] }
    expect(await tools.run(mcpCall('echo', { text: 'a' }, 'other'), context({ request }))).toEqual({ output: 'a' })
    await tools.close()
    await hanging
  })
})
