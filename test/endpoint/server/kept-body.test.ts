import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import express from 'express'
import { Hono, type MiddlewareHandler } from 'hono'
import { afterEach, describe, expect, test } from 'vitest'
import { createResponsesApp, type ResponsesApp, type ResponsesAppOptions } from '../../../src/endpoint/server/index.js'
import { answer, type ScriptedEngine, scriptedEngine } from '../../../src/testing/index.js'
import { JSON_TYPE, tokenTable } from './endpoint.js'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

interface Site {
  readonly responses: ResponsesApp
  readonly engine: ScriptedEngine
  readonly errors: readonly unknown[]
}

function site(options: Partial<ResponsesAppOptions> = {}): Site {
  const engine = scriptedEngine(() => answer('Hi'), { tokenTable })
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  return { responses: createResponsesApp({ engine, tokenTable, onError, ...options }), engine, errors }
}

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  cleanups.push(() => void server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const listenerOf = (fetch: ResponsesApp['fetch']): RequestListener =>
  getRequestListener(fetch, { overrideGlobalObjects: false })

const post = (input: string): RequestInit => ({
  method: 'POST',
  headers: { ...JSON_TYPE, connection: 'close' },
  body: JSON.stringify({ input }),
})

const asked = ({ engine }: Site): string | undefined => engine.calls.at(-1)?.messages.at(-1)?.content

const READERS: Readonly<Record<string, express.RequestHandler>> = {
  'express.json()': express.json(),
  'express.text()': express.text({ type: 'application/json' }),
  'express.raw()': express.raw({ type: 'application/json' }),
}

describe('a request behind a reader of Express', () => {
  test.each(Object.entries(READERS))('a body that %s has read is answered', async (_, reader) => {
    const made = site()
    const host = express()
    host.use(reader)
    host.all('/v1/*path', listenerOf(made.responses.fetch))
    const url = await listen(host)
    expect((await fetch(`${url}/v1/responses`, post('Grüße, 🦜'))).status).toBe(200)
    expect([asked(made), made.errors]).toEqual(['Grüße, 🦜', []])
  })

  test('a body that Express has read as a form is refused as no request', async () => {
    const { responses, errors } = site()
    const host = express()
    host.use(express.urlencoded({ extended: false }))
    host.all('/v1/*path', listenerOf(responses.fetch))
    const body = new URLSearchParams({ 'input[0]': 'Hi', __proto__: 'x' })
    const { status } = await fetch(`${await listen(host)}/v1/responses`, { method: 'POST', body })
    expect([status, errors]).toEqual([400, []])
  })
})

const MIDDLEWARE: Readonly<Record<string, (request: Parameters<MiddlewareHandler>[0]['req']) => Promise<unknown>>> = {
  'json()': (request) => request.json(),
  'text()': (request) => request.text(),
  'arrayBuffer()': (request) => request.arrayBuffer(),
  'a clone': (request) => request.raw.clone().text(),
}

describe('a request behind a middleware of Hono', () => {
  test.each(Object.entries(MIDDLEWARE))('a body that a middleware has read by %s is answered', async (_, read) => {
    const made = site()
    const host = new Hono()
    host.use(async (context, next) => {
      await read(context.req)
      await next()
    })
    host.route('/', made.responses.app)
    expect((await host.request('http://localhost/v1/responses', post('One'))).status).toBe(200)
    expect(asked(made)).toBe('One')
    const url = await listen(listenerOf(host.fetch as ResponsesApp['fetch']))
    expect((await fetch(`${url}/v1/responses`, post('Two'))).status).toBe(200)
    expect([asked(made), made.errors]).toEqual(['Two', []])
  })

  test('a body that a middleware has read is refused if it is too large', async () => {
    const { responses } = site({ limits: { bodyBytes: 100 } })
    const host = new Hono()
    host.use(async (context, next) => {
      await context.req.text()
      await next()
    })
    host.route('/', responses.app)
    expect((await host.request('http://localhost/v1/responses', post('x'.repeat(100)))).status).toBe(413)
  })
})

test('a body that authorize has used up is an error of the host, which says what to do', async () => {
  const { responses, errors } = site({
    async authorize(request) {
      await request.text()
      return 'ann'
    },
  })
  const url = await listen(listenerOf(responses.fetch))
  for (const answered of [
    responses.fetch(new Request('http://localhost/v1/responses', post('Hi'))),
    fetch(`${url}/v1/responses`, post('Hi')),
  ]) {
    expect((await answered).status).toBe(500)
  }
  const message = 'request: expected an unread body, got one that was read: read `request.clone()` instead'
  expect(errors).toMatchObject([{ message }, { message }])
})
