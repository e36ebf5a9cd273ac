// The Responses API in Express: node express.mjs [PORT]
import { pipeline } from 'node:stream/promises'
import express from 'express'
import { collectResponse, translate } from 'harmony-responses'
import { SSE_HEADERS, sseStream } from 'harmony-responses/sse'
import { generate } from './model.mjs'
import { refusal } from './refusal.mjs'

const site = express()

// Express refuses bodies above 100 kB by default: conversations are longer.
site.post('/v1/responses', express.json({ limit: '32mb' }), async (incoming, outgoing) => {
  const left = new AbortController()
  outgoing.once('close', () => left.abort())
  const request = incoming.body
  const events = translate(generate(request, left.signal), { request, signal: left.signal })
  if (!request.stream) return outgoing.json(await collectResponse(events))
  return pipeline(sseStream(events), outgoing.set(SSE_HEADERS)) // at the client's pace
})

// Express knows a handler of errors by its four parameters.
site.use((error, _incoming, outgoing, _next) => {
  if (outgoing.headersSent) return outgoing.destroy() // the client has left
  const { status, body } = refusal(error)
  outgoing.status(status).json(body)
})

const server = site.listen(Number(process.argv[2] ?? 3000), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}`)
})
