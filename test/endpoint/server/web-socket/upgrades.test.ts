import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { createAdaptorServer, upgradeWebSocket } from '@hono/node-server'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { createResponsesApp } from '../../../../src/endpoint/server/index.js'
import { answerUpgrades } from '../../../../src/endpoint/server/node.js'
import { answer, scriptedEngine } from '../../../../src/testing/index.js'
import { heldEngine, tokenTable, until } from '../endpoint.js'
import { serve } from './sockets.js'

const engine = scriptedEngine(() => answer('Hi.'), { tokenTable })
const BODY = JSON.stringify({ input: 'Hi' })

/** A client that keeps its end of the connection open, and what it has read. */
function clientOf({ port }: { readonly port: number }): { readonly socket: Socket; readonly read: () => string } {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  socket.on('data', (bytes) => {
    text += bytes
  })
  onTestFinished(() => void socket.destroy())
  return { socket, read: () => text }
}

/** A request of Java's `HttpClient`, which offers HTTP/2. */
function offering(method: string, path: string, body = ''): string {
  const headers = [
    'Host: localhost',
    'Connection: Upgrade, HTTP2-Settings',
    'HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
    'Upgrade: h2c',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  return `${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`
}

test('a client that offers HTTP/2 is answered with HTTP/1.1, and its connection is used again', async () => {
  const { socket, read } = clientOf(await serve({ engine }))
  socket.write(offering('POST', '/v1/responses', BODY))
  await until(() => read().includes('"status":"completed"'))
  socket.write(offering('GET', '/healthz'))
  await until(() => read().endsWith('\r\n\r\nok'))
  expect(read().match(/HTTP\/1.1 200/g)).toHaveLength(2)
})

test('a client that offers HTTP/2 may send its body in pieces', async () => {
  const { socket, read } = clientOf(await serve({ engine }))
  const whole = offering('POST', '/v1/responses', BODY)
  for (const piece of [whole.slice(0, 40), whole.slice(40, -5), whole.slice(-5)]) {
    await new Promise((resolve) => socket.write(piece, resolve))
    await new Promise((resolve) => setImmediate(resolve))
  }
  await until(() => read().includes('"status":"completed"'))
})

test('a client that offers HTTP/2 and resets its connection is one that leaves', async () => {
  const server = await serve({ engine: heldEngine() })
  const { socket } = clientOf(server)
  socket.write(offering('POST', '/v1/responses', BODY))
  await until(() => server.service.load.running === 1)
  socket.resetAndDestroy()
  await until(() => server.service.load.running === 0)
})

test('a client whose headers Node does not keep all is not answered when it offers HTTP/2', async () => {
  const { socket, read } = clientOf(await serve({ engine }))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {})
  socket.on('end', () => socket.end())
  socket.write(offering('GET', '/healthz').replace('Upgrade: h2c', `${'a: b\r\n'.repeat(1500)}Upgrade: h2c`))
  await closed
  expect(read()).toBe('')
})

test('a client whose WebSocket is refused does not keep the server from stopping', async () => {
  const server = await serve({ engine })
  const { socket, read } = clientOf(server)
  const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'
  const offer = 'Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n'
  socket.write(`GET /v1/other HTTP/1.1\r\n${offer}${key}\r\n`)
  await until(() => read().startsWith('HTTP/1.1 404'))
  await server.close()
})

test('a server of the host answers a client that offers HTTP/2, and opens WebSockets', async () => {
  const app = createResponsesApp({ engine, tokenTable, upgradeWebSocket: upgradeWebSocket as never })
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
    websocket: { server: new WebSocketServer({ noServer: true }) as never },
  })
  answerUpgrades(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const { socket, read } = clientOf({ port })
  socket.write(offering('POST', '/v1/responses', BODY))
  await until(() => read().includes('"status":"completed"'))
  socket.destroy()
  const webSocket = new WebSocket(`ws://127.0.0.1:${port}/v1/responses`)
  await once(webSocket, 'open')
  webSocket.terminate()
})

test.each([0, 2])('a server with %i listeners for upgrades is refused', (count) => {
  const server = createServer()
  for (let at = 0; at < count; at++) server.on('upgrade', () => {})
  const message = 'answerUpgrades: expected a server with one listener for upgrades, got Server'
  expect(() => answerUpgrades(server)).toThrow(expect.objectContaining({ code: 'bad_option', message }))
  expect(server.listenerCount('upgrade')).toBe(count)
})
