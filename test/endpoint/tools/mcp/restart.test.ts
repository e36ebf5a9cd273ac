import { describe, expect, test, vi } from 'vitest'
import { RestartDelay } from '../../../../src/endpoint/tools/mcp/restart-delay.js'
import { context, declaring, inMemory, mcpCall, toolsOf } from './fixtures.js'

const GONE = { error: { message: 'The MCP server closed the connection before it answered.' } }
const UNREACHABLE = { error: { message: 'The MCP server could not be reached.' } }

/** How long after a failure a server may not be connected. */
function delayOf(restart: RestartDelay, now: number): number {
  let left = 0
  while (!isAllowed(restart, now + left)) left += 1
  return left
}

function isAllowed(restart: RestartDelay, now: number): boolean {
  try {
    restart.check(now)
    return true
  } catch {
    return false
  }
}

describe('RestartDelay', () => {
  test('the first failure has no delay, and each further one twice the delay of the one before, up to 64 times', () => {
    const restart = new RestartDelay(10)
    const delays = Array.from({ length: 11 }, (_, time) => {
      restart.failed(new Error('down'), time * 10_000)
      return delayOf(restart, time * 10_000)
    })
    expect(delays).toEqual([0, 10, 20, 40, 80, 160, 320, 640, 640, 640, 640])
  })

  test('a failure does not count any more once the server has answered, or was up for longer than the longest delay', () => {
    const restart = new RestartDelay(10)
    for (const now of [0, 0, 0]) restart.failed(new Error('down'), now)
    restart.reset()
    restart.failed(new Error('down'), 0)
    expect(delayOf(restart, 0)).toBe(0)
    restart.lost(new Error('lost'), 0, 640)
    expect(delayOf(restart, 640)).toBe(10)
    restart.lost(new Error('lost'), 640, 1281)
    expect(delayOf(restart, 1281)).toBe(0)
  })

  test('the error states the delay, and has the failure as its cause', () => {
    const restart = new RestartDelay(10)
    const down = new Error('down')
    restart.failed(down, 0)
    restart.failed(down, 0)
    const message = 'The server failed 2 times in a row, and is not connected for 4 ms.'
    expect(() => restart.check(6)).toThrow(expect.objectContaining({ message, cause: down }))
  })
})

describe('a server that fails again and again', () => {
  test('a server that dies in every call is started twice, and not again before its delay has passed', async () => {
    const { config, fixtures } = inMemory()
    const { tools, told } = toolsOf({ weather: config }, { restartDelayMs: 3_600_000 })
    const results = []
    for (let time = 0; time < 10; time++) results.push(await tools.run(mcpCall('dies'), context()))
    expect(fixtures).toHaveLength(2)
    expect(results).toEqual([GONE, GONE, ...Array.from({ length: 8 }, () => UNREACHABLE)])
    expect(String(told.at(-1)?.error)).toMatch(/failed 2 times in a row, and is not connected for \d+ ms/)
  })

  test('a server that lists its tools and then dies in every call is not started again for each request', async () => {
    const { config, fixtures } = inMemory()
    const { tools } = toolsOf({ weather: config }, { restartDelayMs: 3_600_000 })
    for (let time = 0; time < 10; time++) {
      await tools.listings(declaring('weather'), context())
      await tools.run(mcpCall('dies'), context())
    }
    expect(fixtures).toHaveLength(2)
  })

  test('many calls that one death fails count as one failure', async () => {
    const { config, fixtures } = inMemory()
    const { tools } = toolsOf({ weather: config }, { restartDelayMs: 3_600_000 })
    const hanging = Array.from({ length: 5 }, () => tools.run(mcpCall('hangs'), context()))
    await fixtures[0]?.until('hangs')
    await tools.run(mcpCall('dies'), context())
    await Promise.all(hanging)
    expect(await tools.run(mcpCall('echo', { text: 'again' }), context())).toEqual({ output: 'again' })
  })

  test('a server that answers a call between two deaths is started again at once', async () => {
    const { config, fixtures } = inMemory()
    const { tools } = toolsOf({ weather: config }, { restartDelayMs: 3_600_000 })
    for (let time = 0; time < 4; time++) {
      expect(await tools.run(mcpCall('fails'), context())).toEqual({ error: { message: 'no such city' } })
      expect(await tools.run(mcpCall('dies'), context())).toEqual(GONE)
    }
    expect(fixtures).toHaveLength(4)
  })

  test('a server that was down is connected again when its delay has passed', async () => {
    const { config } = inMemory()
    const connect = vi.fn((config as { connect: () => Promise<never> }).connect)
    for (let time = 0; time < 2; time++) connect.mockRejectedValueOnce(new Error('down'))
    const { tools } = toolsOf({ weather: { connect } }, { restartDelayMs: 1 })
    const run = () => tools.run(mcpCall('echo', { text: 'up' }), context())
    expect(await run()).toEqual(UNREACHABLE)
    expect(await run()).toEqual(UNREACHABLE)
    await vi.waitFor(async () => expect(await run()).toEqual({ output: 'up' }), 30_000)
    expect(connect).toHaveBeenCalledTimes(3)
  })

  test('a client of the host has no delay: the host connects it again itself', async () => {
    const callTool = vi.fn(async () => {
      throw new Error('down')
    })
    const client = { callTool, listTools: vi.fn(), close: vi.fn() }
    const { tools } = toolsOf({ weather: { client } }, { restartDelayMs: 3_600_000 })
    for (let time = 0; time < 5; time++) await tools.run(mcpCall('echo'), context())
    expect(callTool).toHaveBeenCalledTimes(5)
  })
})

describe('tools that the operator excludes', () => {
  test('an excluded tool is neither listed nor called', async () => {
    const { config, fixtures } = inMemory()
    const { tools } = toolsOf({ weather: { ...config, allowedTools: ['echo', 'pid'], excludedTools: ['pid'] } })
    const [listing] = await tools.listings(declaring('weather'), context())
    expect(listing?.tools?.map(({ name }) => name)).toEqual(['echo'])
    expect(await tools.run(mcpCall('pid'), context())).toHaveProperty('error.code', -32602)
    expect(fixtures[0]?.seen).toEqual(['list'])
  })
})
