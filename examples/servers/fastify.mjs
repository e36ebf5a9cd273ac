// The Responses API in Fastify: node fastify.mjs [PORT]
import fastify from 'fastify'
import { collectResponse, translate } from 'harmony-responses'
import { toSseResponse } from 'harmony-responses/sse'
import { generate } from './model.mjs'
import { refusal } from './refusal.mjs'

// Fastify refuses bodies above 1 MiB by default: conversations are longer.
const site = fastify({ bodyLimit: 32 * 2 ** 20 })

site.post('/v1/responses', async ({ body: request }, reply) => {
  const left = new AbortController()
  reply.raw.once('close', () => left.abort())
  const events = translate(generate(request, left.signal), { request, signal: left.signal })
  return request.stream ? toSseResponse(events) : collectResponse(events)
})

site.setErrorHandler((error, _incoming, reply) => {
  const { status, body } = refusal(error)
  return reply.status(status).send(body)
})

console.log(await site.listen({ port: Number(process.argv[2] ?? 3000), host: '127.0.0.1' }))
