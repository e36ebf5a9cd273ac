import { describe, expect, test, vi } from 'vitest'
import { mcpTools } from '../../../../src/endpoint/tools/mcp/index.js'
import { HarmonyResponsesError } from '../../../../src/shared/errors.js'
import { context, declaring, inMemory, mcpCall, toolsOf } from './fixtures.js'

describe('options', () => {
  test.each<[string, unknown]>([
    ['options: expected an object', undefined],
    ['servers: expected an object of servers', {}],
    ['servers.a: expected an object with one of client, connect, command and url', { servers: { a: {} } }],
    ['servers.a: expected an object with one of', { servers: { a: null } }],
    ['got "command and url"', { servers: { a: { url: 'http://a', command: 'b' } } }],
    ['servers.a.client: expected a Client', { servers: { a: { client: {} } } }],
    ['servers.a.connect: expected a function', { servers: { a: { connect: 1 } } }],
    ['servers.a.command: expected the name of a program', { servers: { a: { command: '' } } }],
    ['servers.a.stderr: expected inherit', { servers: { a: { command: 'b', stderr: 'pipe' } } }],
    ['servers.a.url: expected an http: or https: address', { servers: { a: { url: 'file:///etc/passwd' } } }],
    ['servers.a.allowedTools: expected an array of names', { servers: { a: { url: 'http://a', allowedTools: 'b' } } }],
    ['timeoutMs: expected a whole number from 1 to 2147483647', { servers: {}, timeoutMs: 0 }],
    ['totalTimeoutMs: expected a whole number', { servers: {}, totalTimeoutMs: Number.POSITIVE_INFINITY }],
    ['listTimeoutMs: expected a whole number', { servers: {}, listTimeoutMs: 2 ** 31 }],
    ['concurrency: expected a whole number of at least 1', { servers: {}, concurrency: 0 }],
    ['queue: expected a whole number of at least 0', { servers: {}, queue: -1 }],
    ['restartDelayMs: expected a whole number from 1 to 3600000', { servers: {}, restartDelayMs: 0 }],
    ['servers.a.timeoutMs: expected a whole number', { servers: { a: { url: 'http://a', timeoutMs: 0.5 } } }],
    ['servers.a.excludedTools: expected an array', { servers: { a: { url: 'http://a', excludedTools: {} } } }],
    ['listMaxAgeMs: expected a whole number from 0', { servers: {}, listMaxAgeMs: -1 }],
    ['maxOutputBytes: expected a whole number from 100', { servers: {}, maxOutputBytes: 99 }],
    ['onError: expected a function', { servers: {}, onError: 'log' }],
    ['mcpTools: there is no option "timeoutMS", did you mean timeoutMs?', { servers: {}, timeoutMS: 5 }],
    ['did you mean servers.a.args?', { servers: { a: { command: 'b', arg: ['c'] } } }],
    ['there is no option "servers.a.env"', { servers: { a: { url: 'http://a', env: {} } } }],
    [
      'servers.a.headers.authorization: expected a string',
      { servers: { a: { url: 'http://a', headers: { authorization: 5 } } } },
    ],
    ['servers: expected an object of servers', { servers: undefined }],
  ])('mcpTools refuses invalid options: %s', (message, options) => {
    const make = () => mcpTools(options as never)
    expect(make).toThrow(HarmonyResponsesError)
    expect(make).toThrow(message)
  })

  test('what connect() gives has to be a client', async () => {
    const { tools, told } = toolsOf({ weather: { connect: async () => ({}) as never } })
    await tools.listings(declaring('weather'), context())
    expect(told).toMatchObject([{ error: { code: 'bad_option' } }])
  })
})

describe('handlers of the host', () => {
  test('a handler of errors that throws fails nothing', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const connect = async () => {
      throw new Error('down')
    }
    const own = new Error('own')
    const onError = () => {
      throw own
    }
    const { tools } = toolsOf({ weather: { connect } }, { onError })
    expect(await tools.listings(declaring('weather'), context())).toMatchObject([{ error: expect.any(String) }])
    expect(log).toHaveBeenCalledWith(own)
    log.mockRestore()
  })

  test('a handler of progress that throws fails no call, and the host is told', async () => {
    const { tools, told } = toolsOf({ weather: inMemory().config })
    const own = new Error('own')
    const report = () => {
      throw own
    }
    expect(await tools.run(mcpCall('progresses'), { ...context(), report })).toEqual({ output: 'done' })
    expect(told.map(({ error }) => error)).toEqual([own, own])
  })

  test('without a handler, errors are logged', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const error = new Error('down')
    const tools = mcpTools({ servers: { weather: { connect: () => Promise.reject(error) } } })
    await tools.listings(declaring('weather'), context())
    expect(log).toHaveBeenCalledWith(error)
    log.mockRestore()
  })
})
