import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { text as textOf } from 'node:stream/consumers'
import { connect } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import type { Metric } from '../../src/endpoint/server/index.js'
import { type ServeOptions, serveResponses } from '../../src/endpoint/server/node.js'
import { loadTokenTable } from '../../src/index.js'
import { answer, firstTokens, hang, scriptedEngine } from '../../src/testing/index.js'
import { hasNginx, NAME, type Nginx, startNginx } from './nginx.js'

/** A server behind a proxy has keys, so it answers to any name. */
const authorize = (request: Request): string | undefined =>
  request.headers.get('authorization') === 'Bearer a-key' ? 'ann' : undefined

const HEADERS = { host: NAME, authorization: 'Bearer a-key' }

/** The endpoint behind nginx. */
async function behindNginx(options: Omit<ServeOptions, 'tokenTable'>): Promise<Nginx> {
  const server = await serveResponses({ port: 0, onError: () => {}, ...options, tokenTable: await loadTokenTable() })
  onTestFinished(() => server.close({ graceMs: 0 }))
  const nginx = await startNginx(Number(new URL(server.url).port))
  onTestFinished(() => nginx.close())
  return nginx
}

/** A request through nginx, for its name. */
async function send(
  { socketPath }: Nginx,
  path: string,
  body?: object,
  more: Readonly<Record<string, string>> = {},
): Promise<IncomingMessage> {
  const headers = { ...HEADERS, 'content-type': 'application/json', ...more }
  const method = body === undefined ? 'GET' : 'POST'
  const options: RequestOptions = { socketPath, path, method, headers, rejectUnauthorized: false }
  const request = httpsRequest({ ...options, servername: NAME, agent: false })
  request.end(body === undefined ? undefined : JSON.stringify(body))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response
}

if (!hasNginx && process.env['CI'] === undefined) console.log('nginx is not installed: its tests are skipped')

describe.skipIf(!hasNginx && process.env['CI'] === undefined)('behind nginx with examples/deploy/nginx.conf', () => {
  test('an event reaches the client before the model continues, and a client that leaves ends the response', async () => {
    let ended: (metric: Metric) => void = () => {}
    const end = new Promise<Metric>((resolve) => {
      ended = resolve
    })
    const nginx = await behindNginx({
      engine: scriptedEngine([[firstTokens(5, answer('One two three four')), hang()]]),
      authorize,
      onMetric: (metric) => {
        if (metric.type === 'response_ended') ended(metric)
      },
    })
    const response = await send(nginx, '/v1/responses', { model: 'gpt-oss', input: 'Count.', stream: true })
    let received = ''
    for await (const chunk of response.setEncoding('utf8')) {
      received += String(chunk)
      if (received.includes('response.output_text.delta')) break
    }
    expect(received).toContain('"delta":"One"')
    // Leaving the loop has destroyed the response.
    expect(await end).toMatchObject({ type: 'response_ended', status: 'cancelled' })
  })

  test('a body of 8 MB is not refused by nginx', async () => {
    const nginx = await behindNginx({ engine: scriptedEngine([answer('Long.')]), authorize })
    // Refused once it is read: the tokens of a long input would be counted.
    const response = await send(nginx, '/v1/responses', { input: 'Hi', temperature: 'x'.repeat(8_000_000) })
    // The endpoint's own words, not nginx's page.
    expect([response.headers['content-type'], response.headers['x-request-id']]).toEqual([
      expect.stringContaining('application/json'),
      expect.stringMatching(/^req_/),
    ])
    response.resume()
  })

  test('a WebSocket gets through', async () => {
    const nginx = await behindNginx({ engine: scriptedEngine([answer('Hi.')]), authorize })
    const createConnection = () => connect({ path: nginx.socketPath, servername: NAME, rejectUnauthorized: false })
    const socket = new WebSocket(`wss://${NAME}/v1/responses`, { headers: HEADERS, createConnection })
    onTestFinished(() => socket.terminate())
    await once(socket, 'open')
    const types: string[] = []
    const over = new Promise<void>((resolve) => {
      socket.on('message', (data) => {
        const { type } = JSON.parse(String(data)) as { type: string }
        types.push(type)
        if (type === 'response.completed' || type === 'error') resolve()
      })
    })
    socket.send(JSON.stringify({ type: 'response.create', model: 'gpt-oss', input: 'Hi' }))
    await over
    expect(types.at(-1)).toBe('response.completed')
  })

  test('the endpoint sees the name that the client used', async () => {
    const nginx = await behindNginx({ engine: scriptedEngine([answer('Hi.')]), authorize, hosts: [NAME] })
    const response = await send(nginx, '/v1/models')
    response.resume()
    expect(response.statusCode).toBe(200)
  })

  test.each([
    ['with a port', `${NAME}:8443`, `https://${NAME}:8443`, 200],
    ['without one', NAME, `https://${NAME}`, 200],
    ['of another port', `${NAME}:8443`, `https://${NAME}:9443`, 403],
    ['of another site', NAME, 'https://evil.example', 403],
  ])(
    'a POST of a web page is answered if it is of the address that the client used: %s',
    async (_, host, origin, status) => {
      const nginx = await behindNginx({ engine: scriptedEngine([answer('Hi.')]), authorize })
      const response = await send(nginx, '/v1/responses', { model: 'gpt-oss', input: 'Hi' }, { host, origin })
      response.resume()
      expect(response.statusCode).toBe(status)
    },
  )

  test('the metrics are not shown to the outside', async () => {
    const pages = { '/metrics': () => new Response('secret') }
    const nginx = await behindNginx({ engine: scriptedEngine([answer('Hi.')]), authorize, pages })
    const response = await send(nginx, '/metrics')
    expect([response.statusCode, await textOf(response)]).toEqual([404, expect.not.stringContaining('secret')])
  })
})
