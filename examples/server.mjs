// A Responses server that answers with a captured run of gpt-oss: npm run example
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { collectResponse, translate } from 'harmony-responses'
import { readTokenFixture, replay } from 'harmony-responses/sources/replay'
import { sseStream } from 'harmony-responses/sse'

const fixture = readTokenFixture(readFileSync('fixtures/vllm-mcp-python.json', 'utf8'))

const server = createServer(async (incoming, outgoing) => {
  try {
    if (incoming.method !== 'POST' || incoming.url !== '/v1/responses') return outgoing.writeHead(404).end()
    // The capture calls a tool of its own request; everything else is the client's.
    const request = { ...JSON.parse(await text(incoming)), tools: fixture.request?.tools }
    // Here a capture plays the model. In its place goes any iterable of token ids: docs/engines.md.
    const tokens = replay(fixture, { delayMs: 20 })
    const events = translate(tokens, { request, mcpApproval: 'never' })
    if (request.stream) {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      await pipeline(sseStream(events), outgoing) // a client that leaves closes the events and the tokens
    } else {
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      outgoing.end(JSON.stringify(await collectResponse(events)))
    }
  } catch (error) {
    const [status, type] = error instanceof SyntaxError ? [400, 'invalid_request_error'] : [500, 'server_error']
    if (!outgoing.headersSent) outgoing.writeHead(status, { 'content-type': 'application/json' })
    outgoing.end(JSON.stringify({ error: { type, message: status === 400 ? 'invalid JSON' : 'internal error' } }))
  }
})

const port = Number(process.argv[2] ?? 8000)
server.listen(port, '127.0.0.1', () => console.log('listening on', server.address()))
