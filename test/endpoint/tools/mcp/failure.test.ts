import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, test } from 'vitest'
import { isBrokenConnection, isUnknownSession, LOST, mcpFailureOf } from '../../../../src/endpoint/tools/mcp/failure.js'

const asIs = (text: string): string => text

const LATE = 'The MCP server did not answer in time.'
const GONE = 'The MCP server closed the connection before it answered.'
const UNREACHABLE = 'The MCP server could not be reached.'

const http = (status: number) =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'secret', { status, statusText: 'secret' })

describe('errors of either version of the SDK', () => {
  test.each([
    [
      '2: an error of the protocol',
      new ProtocolError(-32602, 'no such city'),
      { code: -32602, message: 'no such city' },
    ],
    ['1: an error of the protocol', new McpError(-32602, 'no such city'), { code: -32602, message: 'no such city' }],
    ['2: late', new SdkError(SdkErrorCode.RequestTimeout, 'secret'), { message: LATE }],
    ['1: late', new McpError(-32001, 'secret'), { message: LATE }],
    ['2: gone', new SdkError(SdkErrorCode.ConnectionClosed, 'secret'), { message: GONE }],
    ['1: gone', new McpError(-32000, 'secret'), { message: GONE }],
    ['2: HTTP', http(500), { message: UNREACHABLE }],
    ['1: HTTP', new StreamableHTTPError(500, 'secret'), { message: UNREACHABLE }],
    ['of fetch', new TypeError('fetch failed: secret'), { message: UNREACHABLE }],
    ['of the platform, with a number', new DOMException('secret', 'InvalidStateError'), { message: UNREACHABLE }],
    ['2: a lost stream', new ProtocolError(-32000, 'secret', LOST), { message: GONE }],
    ['no error at all', undefined, { message: UNREACHABLE }],
  ])('an error of either version of the SDK is told without its secrets: %s', (_, error, said) => {
    const failure = mcpFailureOf(error, 1000, asIs)
    expect(failure.error).toEqual(said)
    expect(failure.isOperators).toBe(!('code' in said))
  })

  test("a server's words are cut", () => {
    expect(mcpFailureOf(new ProtocolError(-1, 'x'.repeat(500)), 100, asIs).error.message).toMatch(/cut off: 500 bytes/)
  })

  test('a session that the server does not know is told by HTTP 404', () => {
    expect([http(404), new StreamableHTTPError(404, '')].map(isUnknownSession)).toEqual([true, true])
    const others = [http(400), new ProtocolError(404, ''), new McpError(404, ''), new Error(''), null]
    expect(others.map(isUnknownSession)).toEqual(others.map(() => false))
  })

  test('a connection is given up for errors of its own, not for slow or unwilling servers', () => {
    const broken = [http(500), new TypeError('fetch failed'), new SdkError(SdkErrorCode.ConnectionClosed, '')]
    expect(broken.map(isBrokenConnection)).toEqual(broken.map(() => true))
    const sound = [
      new ProtocolError(-32602, ''),
      new SdkError(SdkErrorCode.RequestTimeout, ''),
      new SdkError(SdkErrorCode.InvalidResult, ''),
      new McpError(-32001, ''),
      new DOMException('', 'TimeoutError'),
    ]
    expect(sound.map(isBrokenConnection)).toEqual(sound.map(() => false))
  })
})
