import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo, Server } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createResponsesApp } from '../../../src/endpoint/server/index.js'
import { serveResponses } from '../../../src/endpoint/server/node.js'
import { answer, scriptedEngine } from '../../../src/testing/index.js'
import { tokenTable } from './endpoint.js'

const options = { engine: scriptedEngine(() => answer('Grüße')), tokenTable }

interface Answered {
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** By Node's own client, which has no web streams. */
async function ask(url: string): Promise<Answered> {
  const headers = { 'content-type': 'application/json', origin: 'http://page.example' }
  const asked = request(`${url}/responses`, { method: 'POST', headers, agent: false })
  asked.end(JSON.stringify({ input: 'Hi' }))
  const [incoming] = (await once(asked, 'response')) as [IncomingMessage]
  let text = ''
  for await (const piece of incoming.setEncoding('utf8')) text += piece
  return { headers: incoming.headers, text }
}

test('a whole answer of the own server has its length, and every header of the API, without a web stream', async () => {
  const served = await serveResponses({ ...options, origins: ['http://page.example'], port: 0 })
  onTestFinished(() => served.close({ graceMs: 0 }))
  const read = vi.spyOn(ReadableStream.prototype, 'getReader')
  onTestFinished(() => void read.mockRestore())
  const { headers, text } = await ask(`${served.url}/v1`)
  expect(read).not.toHaveBeenCalled()
  expect(JSON.parse(text)).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'Grüße' }] }] })
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    'x-request-id': expect.stringMatching(/^req_/),
    'access-control-allow-origin': 'http://page.example',
  })
})

test('middleware of a host may change a whole answer', async () => {
  const host = new Hono()
  host.use(async (context, next) => {
    await next()
    context.header('x-host', 'yes')
  })
  host.route('/', createResponsesApp({ ...options, origins: ['http://page.example'] }).app)
  const server = serve({ fetch: host.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false }) as Server
  onTestFinished(() => void server.close())
  if (!server.listening) await once(server, 'listening')
  const { headers, text } = await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
  expect(headers['x-host']).toBe('yes')
  expect(JSON.parse(text)).toMatchObject({ status: 'completed' })
})
